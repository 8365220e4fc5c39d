// Runs the programs in `examples/` and compares their output with their READMEs.
import {type ChildProcess, execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {cp, mkdtemp, readFile, readdir, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {promisify} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';

const run = promisify(execFile);
const examples = join(packageRoot, 'examples');
const tsx = ['--import', import.meta.resolve('tsx')];

/** Creates a folder with the files of the encyclopedia, where the programs expect them. */
async function workingFolder(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-example-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	await cp(join(examples, 'encyclopedia'), folder, {recursive: true});
	return folder;
}

const programs = (await readdir(examples)).filter(name => name !== 'encyclopedia');

for (const name of programs.filter(each => each !== 'http-service')) {
	test.serial(`examples/${name} prints what its README states`, async t => {
		const readme = await readFile(join(examples, name, 'README.md'), 'utf8');
		const [, expected] = /^```text output\n([\s\S]*?)^```$/mu.exec(readme)!;
		const cwd = await workingFolder(t);
		const program = async (): Promise<string> => {
			const {stdout} = await run(process.execPath, [...tsx, join(examples, name, 'main.ts')], {cwd, timeout: 170_000});
			return stdout.trim();
		};
		t.is(await program(), expected!.trim());
		if (name === 'search-folder') {
			t.is(await program(), expected!.trim(), 'the second run opens what the first one built');
		}
	});
}

test.serial('examples/http-service answers requests, refuses invalid parameters, and exits on SIGTERM', async t => {
	const service: ChildProcess = spawn(process.execPath, [...tsx, join(examples, 'http-service', 'main.ts')], {
		cwd: await workingFolder(t),
		env: {...process.env, PORT: '0'},
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	t.teardown(() => service.kill('SIGKILL'));
	const [line] = (await once(createInterface({input: service.stdout!}), 'line')) as [string];
	const base = `http://localhost:${/\d+$/u.exec(line)![0]}`;

	const {hits} = (await (await fetch(`${base}/search?q=Bayeux+comet&k=1`)).json()) as {hits: Array<{id: string}>};
	t.is(hits[0]?.id, 'bayeux-tapestry.md#1');
	const {answers} = (await (await fetch(`${base}/ask?q=Who+designed+the+Perkins+Brailler%3F`)).json()) as {answers: Array<{text: string}>};
	t.is(answers[0]?.text, 'David Abraham');
	const invalid = await fetch(`${base}/search?q=comet&k=many`);
	t.is(invalid.status, 400);
	t.regex(((await invalid.json()) as {error: string}).error, /^k: expected/u);
	t.is((await fetch(`${base}/other`)).status, 404);

	// An aborted request does not affect the next one.
	const abandoned = new AbortController();
	const asked = fetch(`${base}/ask?q=anything`, {signal: abandoned.signal});
	abandoned.abort();
	await t.throwsAsync(asked, {any: true});
	t.is((await fetch(`${base}/search?q=comet`)).status, 200);

	service.kill('SIGTERM');
	const [status] = (await once(service, 'exit')) as [number];
	t.is(status, 0);
});
