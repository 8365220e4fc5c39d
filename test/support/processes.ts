// Creates processes for tests.
import {spawn} from 'node:child_process';
import {once} from 'node:events';

/** Runs a short process and returns its id after it has ended. */
export async function endedProcess(): Promise<number> {
	const child = spawn(process.execPath, ['--version'], {stdio: 'ignore'});
	await once(child, 'exit');
	return child.pid!;
}
