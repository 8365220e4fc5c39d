// Tests where `--output` can write: standard output, process substitution, links and appended files.
import {execFile} from 'node:child_process';
import {lstat, mkdtemp, readFile, readdir, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import test from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {Collection} from '../../ts/index.ts';

const onUnix = process.platform === 'win32' ? test.skip : test;

onUnix('a run can be written to /dev/stdout, to a file that it appends to, to a process substitution and through a link', async t => {
	const home = await mkdtemp(join(tmpdir(), 'passagekit-outputs-'));
	t.teardown(async () => rm(home, {recursive: true, force: true}));
	await (await Collection.build([{id: 'p', text: 'A stone bridge.'}], join(home, 'index'), {encoder: false})).close();
	await writeFile(join(home, 'queries.tsv'), 'q\tbridge\n');
	await writeFile(join(home, 'log'), 'before\n');
	await symlink('run', join(home, 'link'));
	const search = `"$NODE" "$BIN" search --collection index --queries queries.tsv --tag t --output`;
	const shell = async (script: string): Promise<string> => {
		const env = {...process.env, NODE: process.execPath, BIN: join(packageRoot, 'bin/passagekit.js')};
		// The shell creates standard output as a pipe; Node would create a socket.
		const {stdout} = await promisify(execFile)('bash', ['-c', `set -o pipefail; { ${script}; } | cat`], {cwd: home, env});
		return stdout;
	};
	const run = await shell(`${search} -`);
	t.regex(run, /^q Q0 p 1 \d\.\d+ t\n$/u);
	t.is(await shell(`${search} /dev/stdout`), run);
	t.is(await shell(`${search} /dev/fd/1`), run);
	await shell(`${search} /dev/stdout >> log`);
	t.is(await readFile(join(home, 'log'), 'utf8'), `before\n${run}`);
	t.is(await shell(`exec 4>&1; ${search} >(cat >&4)`), run);
	t.is(await shell(`${search} /dev/null`), '');
	// Node gives child processes a socket as standard output.
	const args = ['search', '--collection', 'index', '--queries', 'queries.tsv', '--tag', 't', '--output', '/dev/stdout'];
	const direct = await promisify(execFile)(process.execPath, [join(packageRoot, 'bin/passagekit.js'), ...args], {cwd: home});
	t.is(direct.stdout, run);
	await shell(`${search} link`);
	t.is(await readFile(join(home, 'run'), 'utf8'), run);
	t.true((await lstat(join(home, 'link'))).isSymbolicLink());
	t.deepEqual((await readdir(home)).toSorted(), ['index', 'link', 'log', 'queries.tsv', 'run']);
});
