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

/** Creates a working folder for a program, with a copy of `examples/encyclopedia`, the articles that the programs read. */
async function workingFolder(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-example-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	await cp(join(examples, 'encyclopedia'), folder, {recursive: true});
	return folder;
}

/** Programs that keep their collection in the working folder. The second run opens that collection and must print the same output. */
const runTwice = new Set([
	'ask-one-document',
	'bulk-load',
	'embedding-api',
	'evaluate-your-retriever',
	'highlights',
	'languages',
	'llm-context',
	'products',
	'search-folder',
	'update-while-searching',
]);

/** Maps each program whose main file is not called `main.ts` to that file. */
const mainFiles: Readonly<Record<string, string>> = {'same-program': 'passagekit.ts'};

/** Maps each program that is run with command-line arguments to these arguments. Its README states the output for them. */
const programArguments: Readonly<Record<string, readonly string[]>> = {'bulk-load': ['3000']};

const programs = (await readdir(examples)).filter(name => name !== 'encyclopedia');

for (const name of programs.filter(each => each !== 'http-service')) {
	test.serial(`examples/${name} prints what its README states`, async t => {
		const readme = await readFile(join(examples, name, 'README.md'), 'utf8');
		const [, expected] = /^```text output\n([\s\S]*?)^```$/mu.exec(readme)!;
		const cwd = await workingFolder(t);
		const program = async (): Promise<string> => {
			const file = join(examples, name, mainFiles[name] ?? 'main.ts');
			const {stdout} = await run(process.execPath, [...tsx, file, ...(programArguments[name] ?? [])], {cwd, timeout: 170_000});
			return stdout.trim();
		};
		t.is(await program(), expected!.trim());
		if (runTwice.has(name)) {
			t.is(await program(), expected!.trim(), 'the second run opens the collection of the first one');
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
	const controller = new AbortController();
	const request = fetch(`${base}/ask?q=anything`, {signal: controller.signal});
	controller.abort();
	await t.throwsAsync(request, {any: true});
	t.is((await fetch(`${base}/search?q=comet`)).status, 200);

	service.kill('SIGTERM');
	const [status] = (await once(service, 'exit')) as [number];
	t.is(status, 0);
});

test.serial('examples/bulk-load keeps its committed documents when SIGINT stops it, and the next run adds the others', async t => {
	const cwd = await workingFolder(t);
	const start = (count: number): ChildProcess =>
		spawn(process.execPath, [...tsx, join(examples, 'bulk-load', 'main.ts'), String(count)], {cwd, stdio: ['ignore', 'pipe', 'pipe']});
	// The program cannot add so many documents before the signal, even if this process is slow.
	const program = start(100_000_000);
	t.teardown(() => program.kill('SIGKILL'));
	// Interrupts the program once it has added the 20,000 documents of its first commit.
	program.stderr!.setEncoding('utf8').on('data', (progress: string) => {
		if (/\b(?:[2-9]\d{4}|\d{6,}) of 100000000/u.test(progress)) {
			program.kill('SIGINT');
		}
	});
	let output = '';
	for await (const chunk of program.stdout!.setEncoding('utf8') as AsyncIterable<string>) {
		output += chunk;
	}
	const [, kept] = /^stopped\n(\d*[02468]0000) documents in \d+ segments?\nfound document-42\n$/u.exec(output) ?? [];
	t.true(Number(kept) >= 20_000, output);

	const total = Number(kept) + 60_000;
	const next = start(total);
	t.teardown(() => next.kill('SIGKILL'));
	next.stderr!.resume();
	const lines: string[] = [];
	for await (const line of createInterface({input: next.stdout!})) {
		lines.push(line);
	}
	t.is(lines[0], `${total} documents in 1 segment`);
});
