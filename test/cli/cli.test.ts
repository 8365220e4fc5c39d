// Runs the commands of passagekit as child processes, and tests their output, their files and their exit status.
import {execFile} from 'node:child_process';
import {mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {FlatIndex, encyclopedia} from '../../ts/index.ts';

/** What a child process printed, and its exit status. */
interface Result {
	readonly status: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** Runs a command to its end. */
async function passagekit(...args: string[]): Promise<Result> {
	return new Promise(resolve => {
		execFile(process.execPath, [join(packageRoot, 'bin/passagekit.js'), ...args], {maxBuffer: 1 << 26}, (error, stdout, stderr) => {
			resolve({status: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr});
		});
	});
}

/** Makes a temporary folder that is removed after the test. */
async function folder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-cli-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

const {articles, qrels} = encyclopedia();
const testQuestions = join(packageRoot, 'examples/encyclopedia/questions.test.jsonl');

test('the commands index, search and evaluate work together, without a model', async t => {
	const path = await folder(t);
	const [index, run] = [join(path, 'index'), join(path, 'run')];

	const indexed = await passagekit('index', articles, '--output', index, '--no-encoder', '--json');
	t.is(indexed.status, 0, indexed.stderr);
	const report = JSON.parse(indexed.stdout) as {passages: number; encoder: unknown};
	// The articles of the encyclopedia are split into 352 passages.
	t.like(report, {passages: 352, encoder: null});

	const searched = await passagekit(
		'search',
		'--collection',
		index,
		'--queries',
		testQuestions,
		'--retriever',
		'bm25',
		'--k',
		'20',
		'--output',
		run,
	);
	t.is(searched.status, 0, searched.stderr);
	const [first] = (await readFile(run, 'utf8')).split('\n');
	t.regex(first!, /^\S+ Q0 \S+\.md#\d+ 1 \d+\.\d+ passagekit-bm25$/u);

	const measured = await passagekit('evaluate', '--run', run, '--qrels', qrels, '--measures', 'nDCG@10,R@20', '--json');
	// The run contains only the 168 test questions, but there are judgments for all 528 questions. The measures count the
	// 360 missing ones as 0.
	t.is(measured.status, 0, measured.stderr);
	t.is((JSON.parse(measured.stdout) as {missing: number}).missing, 528 - 168);

	const accuracy = await passagekit(
		'evaluate',
		'--run',
		run,
		'--questions',
		testQuestions,
		'--passages',
		articles,
		'--ks',
		'5,20',
		'--json',
	);
	t.is(accuracy.status, 0, accuracy.stderr);
	const result = JSON.parse(accuracy.stdout) as {accuracy: Record<string, number>; questions: number};
	t.is(result.questions, 168);
	t.true(result.accuracy['20']! > 0.8 && result.accuracy['20']! >= result.accuracy['5']!, accuracy.stdout);

	const fromStore = await passagekit('evaluate', '--run', run, '--questions', testQuestions, '--passages', index, '--ks', '5,20', '--json');
	t.deepEqual(JSON.parse(fromStore.stdout), JSON.parse(accuracy.stdout), '--passages also accepts the collection');

	const piped = await passagekit('search', '--collection', index, '--queries', testQuestions, '--k', '20');
	t.is(piped.stdout, await readFile(run, 'utf8'), 'without --output, the same run is printed to stdout');
});

test('ask answers a question from documents', async t => {
	const path = await folder(t);
	await writeFile(
		join(path, 'suez.md'),
		'# Suez Canal\n\nThe Suez Canal was opened to shipping in November 1869 after ten years of digging.\n',
	);
	await writeFile(
		join(path, 'piano.md'),
		'# Piano\n\nBartolomeo Cristofori built the first pianos in Florence. Hammers strike the strings.\n',
	);
	const index = join(path, 'index');

	const indexed = await passagekit('index', path, '--output', index, '--storage', 'int8Rescored');
	t.is(indexed.status, 0, indexed.stderr);
	t.is((await FlatIndex.open(join(index, 'flat.pkflat'))).storage, 'int8Rescored');
	const asked = await passagekit('ask', 'When was the Suez Canal opened?', '--collection', index, '--json');

	t.is(asked.status, 0, asked.stderr);
	const {answers} = JSON.parse(asked.stdout) as {answers: Array<{text: string; passageId: string}>};
	t.regex(answers[0]!.text, /1869/u);
	t.is(answers[0]!.passageId, 'suez.md#0');
	const shown = await passagekit('ask', 'When was the Suez Canal opened?', '--collection', index);
	t.regex(shown.stdout, /^1\. .*1869/u);
	t.regex(shown.stdout, /«[^»]*1869[^»]*»/u, 'the answer is marked in its passage');
});

test('a replication study can be run, and resumed with the same settings only', async t => {
	const path = await folder(t);
	const output = join(path, 'study');
	const flags = [
		'--encoder',
		'tiny-encoder',
		'--reader',
		'tiny-reader',
		'--passages-read',
		'3',
		'--max-development-questions',
		'8',
		'--max-test-questions',
		'9',
	];
	const args = ['replicate', '--dataset', join(articles, '..'), '--output', output, ...flags];
	const first = await passagekit(...args);
	t.is(first.status, 0, first.stderr);
	for (const name of ['dense', 'bm25', 'dprHybrid', 'hybridNorm', 'top-20', 'exact match', 'GAR*']) {
		t.true(first.stdout.includes(name), name);
	}
	t.regex(first.stderr, /report written to .*report\.html, also as report\.md and report\.json/u);
	const report = await readFile(join(output, 'report.json'), 'utf8');

	const again = await passagekit(...args, '--json');
	t.is(again.status, 0, again.stderr);
	t.deepEqual(JSON.parse(again.stdout), JSON.parse(report));
	t.is(await readFile(join(output, 'report.json'), 'utf8'), report);

	const other = await passagekit(...args, '--depth', '500');
	t.is(other.status, 1);
	t.regex(other.stderr, /got one with a different settings\.depth: 1000 there, 500 here/u);
});

test('a phrase study can be run, and resumed with the same settings only', async t => {
	const path = await folder(t);
	const output = join(path, 'study');
	const flags = ['--encoder', 'tiny-encoder', '--sentences', '2', '--tokens', '30', '--max-questions', '9'];
	const args = ['phrases', '--dataset', join(articles, '..'), '--output', output, ...flags];
	const first = await passagekit(...args);
	t.is(first.status, 0, first.stderr);
	for (const name of ['among 31 candidates', 'among all passages', 'M2', 'M30t', 'M0', 'BM25', 'MUF', 'accuracy', 'top-100', 'MRR']) {
		t.true(first.stdout.includes(name), name);
	}
	t.regex(first.stderr, /report written to .*report\.html, also as report\.md and results\.json/u);
	const report = await readFile(join(output, 'results.json'), 'utf8');

	const again = await passagekit(...args, '--json');
	t.is(again.status, 0, again.stderr);
	t.deepEqual(JSON.parse(again.stdout), JSON.parse(report));
	t.is(await readFile(join(output, 'results.json'), 'utf8'), report);
	t.is(
		(JSON.parse(report) as {command: string}).command,
		'npx passagekit phrases --dataset encyclopedia --sentences 2 --tokens 30 --encoder tiny-encoder --max-questions 9 --answer-kind text --seed 42 --negatives 10 --random 20 --significance 0.01 --confidence-of phrases',
	);

	const other = await passagekit(...args, '--seed', '43');
	t.is(other.status, 1);
	t.regex(other.stderr, /got one with a different settings\.seed: 42 there, 43 here/u);
});

test('a vocabulary study can be run, and resumed with the same settings only', async t => {
	const path = await folder(t);
	const output = join(path, 'study');
	const flags = ['--encoder', 'tiny-encoder', '--no-enrichment', '--max-questions', '9'];
	const args = ['vocabulary', '--dataset', join(articles, '..'), '--output', output, ...flags];
	const first = await passagekit(...args);
	t.is(first.status, 0, first.stderr);
	for (const name of [
		'Encoder',
		'Static embeddings',
		'shared, Q@20',
		'MRR shared',
		'BM25',
		'BM25 on word pieces',
		'Dense',
		'top-100',
		'nDCG@10',
	]) {
		t.true(first.stdout.includes(name), name);
	}
	t.regex(first.stderr, /report written to .*report\.html, also as report\.md and results\.json/u);
	const report = await readFile(join(output, 'results.json'), 'utf8');

	const again = await passagekit(...args, '--json');
	t.is(again.status, 0, again.stderr);
	t.deepEqual(JSON.parse(again.stdout), JSON.parse(report));
	t.is(await readFile(join(output, 'results.json'), 'utf8'), report);
	t.is(
		(JSON.parse(report) as {command: string}).command,
		'npx passagekit vocabulary --dataset encyclopedia --encoder tiny-encoder --max-questions 9 --answer-kind text --max-steps 100 --seed 42 --significance 0.01 --no-enrichment',
	);

	const other = await passagekit(...args, '--seed', '43');
	t.is(other.status, 1);
	t.regex(other.stderr, /got one with a different settings\.seed: 42 there, 43 here/u);
});

test('a training study can be run, and resumed with the same settings only', async t => {
	const path = await folder(t);
	const output = join(path, 'study');
	const flags = ['--encoder', 'tiny-encoder', '--gold-field', 'passage', '--max-training-questions', '12', '--max-questions', '9'];
	const training = ['--epochs', '1', '--batch-size', '4', '--max-tokens', '16', '--examples', '8', '--threads', '2'];
	const parts = ['--no-schemes', '--no-supervision', '--no-similarities'];
	const args = ['training-study', '--dataset', join(articles, '..'), '--output', output, ...flags, ...training, ...parts];
	const first = await passagekit(...args);
	t.is(first.status, 0, first.stderr);
	for (const name of ['encyclopedia', 'BM25', 'Before training', 'In-batch 4 + 1 BM25', '8 examples', 'top-100', 'MRR']) {
		t.true(first.stdout.includes(name), name);
	}
	t.false(/Random|L2|Distant/u.test(first.stdout));
	t.regex(first.stderr, /report written to .*report\.html, also as report\.md and results\.json/u);
	const report = await readFile(join(output, 'results.json'), 'utf8');

	const again = await passagekit(...args, '--json');
	t.is(again.status, 0, again.stderr);
	t.deepEqual(JSON.parse(again.stdout), JSON.parse(report));
	t.is(
		(JSON.parse(report) as {command: string}).command,
		'npx passagekit training-study --dataset encyclopedia --gold-field passage --answer-kind text --encoder tiny-encoder --max-training-questions 12 --max-questions 9 --epochs 1 --batch-size 4 --learning-rate 0.00002 --max-tokens 16 --examples 8 --threads 2 --seed 42 --significance 0.01 --no-schemes --no-supervision --no-similarities',
	);

	const other = await passagekit(...args, '--transfer', 'none,nothing');
	t.is(other.status, 1);
	t.regex(other.stderr, /none: expected a folder with a corpus and questions/u);
	const help = await passagekit('training-study', '--help');
	for (const text of ['--transfer <list>', '--train <file>', '--no-curve', 'default: 5', '--gold-field <name>']) {
		t.true(help.stdout.includes(text), text);
	}
});

test('explain shows why a passage is found: as text, as JSON and as an HTML page', async t => {
	const path = await folder(t);
	const docs = join(path, 'docs');
	await mkdir(docs);
	await writeFile(join(docs, 'court.txt'), 'The court has nine judges and a president. Its judges are appointed for twelve years.');
	await writeFile(join(docs, 'river.txt'), 'The river rises in the hills and reaches the sea. Who counts judges here?');
	const index = join(path, 'index');
	t.is((await passagekit('index', docs, '-o', index)).status, 0);
	const question = 'How many judges serve on the court?';

	const text = await passagekit('explain', question, '--collection', index, '--passage', 'court.txt#0');
	t.is(text.status, 0, text.stderr);
	for (const words of [
		'court.txt#0',
		'Q, of the question',
		'P, of the passage',
		'Shared tokens',
		'Query expansion',
		'BM25',
		'contribution',
	]) {
		t.true(text.stdout.includes(words), words);
	}

	// Without --passage, the first hit of dense retrieval and the first hit of BM25 are explained; they may be the same
	// passage.
	const page = join(path, 'page.html');
	const json = await passagekit('explain', question, '--collection', index, '--json', '--html', page, '-k', '5');
	t.is(json.status, 0, json.stderr);
	const {explanations} = JSON.parse(json.stdout) as {
		explanations: Array<{passage: {id: string}; dense: {question: unknown[]; shared: Array<{token: string}>}; bm25: {score: number}}>;
	};
	t.true(explanations.length >= 1 && explanations.some(({passage}) => passage.id === 'court.txt#0'));
	const court = explanations.find(({passage}) => passage.id === 'court.txt#0')!;
	t.is(court.dense.question.length, 5);
	t.deepEqual(court.dense.shared.map(({token}) => token).toSorted(), ['court', 'judges']);
	t.true(court.bm25.score > 0);
	const html = await readFile(page, 'utf8');
	t.true(html.includes(`<h1>${question}</h1>`) && html.includes('court.txt#0'));

	const none = await passagekit('explain', question, '--collection', index, '--passage', 'no-such');
	t.is(none.status, 1);
	t.regex(none.stderr, /no-such/u);
});

test('an invalid command line exits with 2 and says why', async t => {
	t.is((await passagekit('serch')).status, 2);
	t.is((await passagekit('search')).status, 2);
	t.is((await passagekit('search', '--queries', 'x', '--k', 'ten')).status, 2);
	t.is((await passagekit('index', 'file', '--storage', 'int4')).status, 2);
	const analyzer = await passagekit('index', 'file', '--analyzer', 'klingon');
	t.is(analyzer.status, 2);
	t.regex(analyzer.stderr, /expected english, simple, whitespace, snowball:<language> or \{type: …\}, such as .*, got "klingon"/u);
	const both = await passagekit('evaluate', '--run', 'r', '--qrels', 'q', '--questions', 'f');
	t.is(both.status, 2);
	t.regex(both.stderr, /expected either --qrels QRELS, or --questions FILE/u);
	const subcommand = await passagekit('train', 'encoder');
	t.is(subcommand.status, 2);
	t.regex(subcommand.stderr, /required option '--init/u);
	for (const [flags, message] of [
		[['--alpha', '1'], /--alpha and --lambda need --fusion/u],
		[['--fusion', 'rrf', '--alpha', '1'], /--fusion rrf has no --alpha/u],
		[['--fusion', 'hybrid', '--alpha', '1', '--lambda', '2'], /--fusion hybrid has no --lambda/u],
		[['--fusion', 'hybridNorm'], /--fusion hybridNorm needs --alpha/u],
		[['--fusion', 'rrf', '--retriever', 'bm25'], /--fusion needs --retriever hybrid, got --retriever bm25/u],
		[['--output', ''], /--output: expected a value, got an empty string/u],
	] as const) {
		const weights = await passagekit('search', 'query', ...flags);
		t.is(weights.status, 2);
		t.regex(weights.stderr, message);
	}
});

test('a failure exits with 1 and prints a message, or one JSON object with --json', async t => {
	const path = await folder(t);
	const plain = await passagekit('ask', 'who?', '--collection', join(path, 'none'));
	t.is(plain.status, 1);
	t.regex(plain.stderr, /^passagekit: open .*: expected a collection, got no passagekit\.json there\..*\(ERR_IO\)\n$/u);
	t.is(plain.stdout, '');
	const json = await passagekit('ask', 'who?', '--collection', join(path, 'none'), '--json');
	t.is(json.status, 1);
	t.is((JSON.parse(json.stderr) as {error: {code: string}}).error.code, 'ERR_IO');
});

test('an existing index is overwritten only with --overwrite', async t => {
	const path = await folder(t);
	const index = join(path, 'index');
	await writeFile(join(path, 'a.txt'), 'one document');
	t.is((await passagekit('index', join(path, 'a.txt'), '-o', index, '--no-encoder')).status, 0);
	const again = await passagekit('index', join(path, 'a.txt'), '-o', index, '--no-encoder');
	t.is(again.status, 1);
	t.regex(again.stderr, /expected a new or empty folder/u);
	t.is((await passagekit('index', join(path, 'a.txt'), '-o', index, '--no-encoder', '--overwrite')).status, 0);
});

test('an analyzer is chosen by its name, and one of word pieces by the folder of a model', async t => {
	const path = await folder(t);
	await writeFile(join(path, 'a.txt'), 'Die Häuser der Städte');
	await writeFile(join(path, 'queries.tsv'), 'q\tHäuser\n');
	for (const [given, name] of [
		['snowball:german', 'snowball:german'],
		[`wordpiece:${join(packageRoot, 'models/tiny-encoder')}`, 'wordpiece'],
	] as const) {
		const made = await passagekit('index', join(path, 'a.txt'), '-o', join(path, name), '--no-encoder', '--analyzer', given, '--json');
		t.is(made.status, 0, made.stderr);
		t.is((JSON.parse(made.stdout) as {analyzer: string}).analyzer, name);
		const found = await passagekit('search', '--queries', join(path, 'queries.tsv'), '--collection', join(path, name));
		t.regex(found.stdout, /^q Q0 a\.txt#0 1 /u);
	}
});

test('help lists every command, and the help of every command mentions --json and has an example', async t => {
	const {stdout} = await passagekit('--help');
	const commands = [...stdout.matchAll(/^ {2}([a-z]+) .*/gmu)].map(([, command]) => command!);
	for (const command of ['add', 'delete', 'index', 'search', 'ask', 'stats', 'optimize', 'explain', 'evaluate', 'doctor']) {
		t.true(commands.includes(command), command);
	}
	for (const command of commands.filter(name => name !== 'help')) {
		const help = await passagekit(command, '--help');
		t.is(help.status, 0);
		t.regex(help.stdout, /--json/u, command);
		t.regex(help.stdout, new RegExp(`^Examples?:\\n {2}\\$ passagekit ${command} `, 'mu'));
	}
});

test('bench verifies the hits of its queries, and its report names what was measured', async t => {
	const {status, stdout, stderr} = await passagekit(
		'bench',
		'--passages',
		'100',
		'--vectors',
		'200',
		'--dim',
		'16',
		'--rounds',
		'1',
		'--no-encoder',
	);
	t.is(status, 0, stderr);
	for (const words of [
		'BM25',
		'100 passages of 100 words',
		'HNSW',
		'200 vectors of 16 numbers',
		'✓ 20 of 20 queries have the hits',
		'in one call, all cores',
	]) {
		t.true(stdout.includes(words), words);
	}
	const refused = await passagekit('bench', '--recall', '2', '--json');
	t.is(refused.status, 1);
	t.is((JSON.parse(refused.stderr) as {error: {code: string}}).error.code, 'ERR_ARGUMENT');
});

test('doctor reports on the platform, the addon, ONNX Runtime and the models', async t => {
	const {status, stdout} = await passagekit('doctor', '--json');
	const {ok, findings} = JSON.parse(stdout) as {ok: boolean; findings: Array<{what: string; ok: boolean}>};
	t.deepEqual(
		findings.map(({what}) => what),
		['platform', 'addon', 'ONNX Runtime', 'models'],
	);
	t.is(status, ok ? 0 : 1);
});
