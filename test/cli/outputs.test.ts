// Tests where `--output` can write: to stdout, to process substitutions, through symbolic links, and to files to which
// the shell appends.
import {execFile} from 'node:child_process';
import {lstat, mkdtemp, readFile, readdir, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import test from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {Collection} from '../../ts/index.ts';

/** Declares a test that is skipped on Windows. */
const onUnix = process.platform === 'win32' ? test.skip : test;

onUnix('a run can be written to /dev/stdout, to a file by appending, to a process substitution and through a link', async t => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-outputs-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	await (await Collection.build([{id: 'p', text: 'A stone bridge.'}], join(folder, 'index'), {encoder: false})).close();
	await writeFile(join(folder, 'queries.tsv'), 'q\tbridge\n');
	await writeFile(join(folder, 'log'), 'before\n');
	await symlink('run', join(folder, 'link'));
	const search = `"$NODE" "$BIN" search --collection index --queries queries.tsv --tag t --output`;
	/** Runs a Bash script in the folder and returns what it printed. */
	const shell = async (script: string): Promise<string> => {
		const env = {...process.env, NODE: process.execPath, BIN: join(packageRoot, 'bin/passagekit.js')};
		// With `| cat`, stdout is a pipe. Otherwise it would be a socket, which Node creates for child processes.
		const {stdout} = await promisify(execFile)('bash', ['-c', `set -o pipefail; { ${script}; } | cat`], {cwd: folder, env});
		return stdout;
	};
	const run = await shell(`${search} -`);
	t.regex(run, /^q Q0 p 1 \d\.\d+ t\n$/u);
	t.is(await shell(`${search} /dev/stdout`), run);
	t.is(await shell(`${search} /dev/fd/1`), run);
	await shell(`${search} /dev/stdout >> log`);
	t.is(await readFile(join(folder, 'log'), 'utf8'), `before\n${run}`);
	t.is(await shell(`exec 4>&1; ${search} >(cat >&4)`), run);
	t.is(await shell(`${search} /dev/null`), '');
	// Here stdout is the socket that Node creates for child processes.
	const args = ['search', '--collection', 'index', '--queries', 'queries.tsv', '--tag', 't', '--output', '/dev/stdout'];
	const direct = await promisify(execFile)(process.execPath, [join(packageRoot, 'bin/passagekit.js'), ...args], {cwd: folder});
	t.is(direct.stdout, run);
	await shell(`${search} link`);
	t.is(await readFile(join(folder, 'run'), 'utf8'), run);
	t.true((await lstat(join(folder, 'link'))).isSymbolicLink());
	t.deepEqual((await readdir(folder)).toSorted(), ['index', 'link', 'log', 'queries.tsv', 'run']);
});
