// Declares tests that need files from the shared folder (see `shared.ts`).
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {sharedFolder} from './shared.ts';

/**
Declares a test that needs `files` from the shared folder. The test receives their absolute paths in the same order. If a file
is absent, the test is reported as skipped.
*/
export function testWithShared<const Files extends readonly string[]>(
	title: string,
	files: Files,
	implementation: (t: ExecutionContext, ...paths: {[I in keyof Files]: string}) => Promise<void>,
): void {
	const absent = files.filter(file => !existsSync(join(sharedFolder, file)));
	if (absent.length > 0) {
		test.skip(`${title} (needs ${absent.join(', ')} in ${sharedFolder})`, () => {});
		return;
	}
	const paths = files.map(file => join(sharedFolder, file)) as {[I in keyof Files]: string};
	test(title, async t => implementation(t, ...paths));
}
