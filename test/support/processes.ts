// Creates processes for tests.
import {spawn} from 'node:child_process';
import {once} from 'node:events';

/** Runs a short-lived process, waits until it has ended, and returns its process id, which then belongs to no process. */
export async function endedProcess(): Promise<number> {
	const child = spawn(process.execPath, ['--version'], {stdio: 'ignore'});
	await once(child, 'exit');
	return child.pid!;
}
