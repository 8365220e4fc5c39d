// Tests the commands for live collections, which `passagekit add` creates and changes: add, delete, search, ask, stats
// and optimize.
import {execFile, execFileSync, spawn} from 'node:child_process';
import {createWriteStream} from 'node:fs';
import {mkdir, mkdtemp, readFile, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {Collection} from '../../ts/index.ts';
import {passagekit} from '../support/command.ts';

/** Declares a test that is skipped on Windows. */
const onUnix = process.platform === 'win32' ? test.skip : test;

const products = `sku,name,description,category,price,tags
lamp-1,Desk lamp,A lamp with a long cable for the desk.,desk,39,metal;black
lamp-2,Reading light,A reading light without a cable.,light,25,black
lamp-3,Floor lamp,A tall lamp of steel for the living room.,floor,120,metal
`;
/** Flags of `passagekit add` that map the columns of the products to the parts of a document. */
const mapping = ['--id', 'sku', '--text', 'description', '--title', 'name', '--fields', 'kind=category,price:number,tags:strings'];

/** A temporary folder with a file of products, from which a test makes a collection. */
interface Shop {
	readonly folder: string;
	/** The path of the file of products. */
	readonly file: string;
	/** The path of the collection, which does not exist before `add` is called. */
	readonly collection: string;
	/** Runs `passagekit add` for the file of products, with these flags. */
	add(...flags: string[]): ReturnType<typeof passagekit>;
}

/** Makes a temporary folder that is removed after the test. */
async function newFolder(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-cli-live-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	return folder;
}

/** Makes a temporary folder with a file of products. */
async function newShop(t: ExecutionContext): Promise<Shop> {
	const folder = await newFolder(t);
	const [file, collection] = [join(folder, 'products.csv'), join(folder, 'shop')];
	await writeFile(file, products);
	return {folder, file, collection, add: async (...flags) => passagekit(['add', file, ...mapping, '--collection', collection, ...flags])};
}

/** Parses the JSON object that a command printed. */
const parsed = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

test('the documents of a table are added, searched with a filter, used to answer a question, deleted and counted', async t => {
	const {collection, add} = await newShop(t);
	const added = await add();
	t.is(added.status, 0, added.stderr);
	t.regex(added.stdout, /^3 documents added in .*shop has 3 documents\n$/u);

	const filter = '{"price":{"lt":50}}';
	const shown = await passagekit(['search', 'reading light', '--collection', collection, '--filter', filter, '-k', '5']);
	t.is(shown.status, 0, shown.stderr);
	t.regex(shown.stdout, /^1\. Reading light {2}lamp-2 · \d\.\d{3}\n {3}A reading light without a cable\.\n\n2\. Desk lamp/u);
	t.false(shown.stdout.includes('Floor') || shown.stdout.includes('\u001B'));

	const searched = await passagekit(['search', 'reading light', '-c', collection, '-f', filter, '-r', 'bm25', '-k', '1', '--json']);
	t.like(parsed(searched.stdout), {query: 'reading light', retriever: 'bm25'});
	const [hit] = parsed(searched.stdout)['hits'] as Array<Record<string, unknown>>;
	t.like(hit, {document: 'lamp-2', title: 'Reading light', fields: {kind: 'light', price: 25, tags: ['black']}});
	t.deepEqual(hit!['highlights'], [
		{start: 2, end: 9},
		{start: 10, end: 15},
	]);

	const asked = await passagekit(['ask', 'Which lamp has a long cable?', '-c', collection, '--filter', filter, '--json']);
	t.is(asked.status, 0, asked.stderr);
	t.deepEqual((parsed(asked.stdout)['passages'] as Array<{id: string}>).map(({id}) => id).toSorted(), ['lamp-1#0', 'lamp-2#0']);

	const deleted = await passagekit(['delete', 'lamp-1', 'unknown', '--collection', collection]);
	t.regex(deleted.stdout, /^1 document deleted; .*shop has 2 documents\n$/u);
	const deletedByFilter = await passagekit(['delete', '--filter', '{"price":{"gte":100}}', '--collection', collection, '--json']);
	t.like(parsed(deletedByFilter.stdout), {deleted: 1, documents: 1});

	const optimized = await passagekit(['optimize', '--collection', collection, '--json']);
	t.like(parsed(optimized.stdout), {documents: 1, passages: 1, segments: 1});
	const stats = await passagekit(['stats', '--collection', collection, '--json']);
	t.like(parsed(stats.stdout), {madeBy: 'add', documents: 1, passages: 1, dim: 384, split: {words: 100, overlap: 0, wrap: false}});
	t.regex((await passagekit(['stats', '--collection', collection])).stdout, /^documents {3}1$/mu);
});

test('documents that are added again are replaced if they changed; with --new-only, they are left as they are', async t => {
	const {file, collection, add} = await newShop(t);
	t.is((await add('--no-encoder')).status, 0);
	const rows = products.replace('A tall lamp', 'A very tall lamp').replace('39,metal', '35,metal');
	await writeFile(file, `${rows}lamp-4,Candle,A candle,floor,2,wax\n`);
	t.like(parsed((await add('--new-only', '--json')).stdout), {added: 1, replaced: 0, unchanged: 3, documents: 4});
	t.like(parsed((await add('--json')).stdout), {added: 0, replaced: 2, unchanged: 2, documents: 4});
	/** Returns the generation of the collection, which every commit increments. */
	const generation = async (): Promise<unknown> => parsed((await passagekit(['stats', '-c', collection, '--json'])).stdout)['generation'];
	const before = await generation();
	t.like(parsed((await add('--json')).stdout), {added: 0, replaced: 0, unchanged: 4});
	t.is(await generation(), before, 'without changes, there is no commit');
	await using docs = await Collection.open(collection);
	const [lamp] = await docs.passagesOfDocument('lamp-1');
	t.like(lamp, {text: 'A lamp with a long cable for the desk.', fields: {price: 35}});
});

test('if several documents of a file have the same id, the last one replaces the others, also across commits', async t => {
	const folder = await newFolder(t);
	const file = join(folder, 'docs.jsonl');
	const texts = ['one', 'two', 'one', 'three', 'one'];
	await writeFile(file, texts.map(text => `${JSON.stringify({id: 'a', text})}\n`).join(''));
	for (const interval of ['1', '1000', '30s']) {
		const collection = join(folder, interval);
		const {stdout, stderr} = await passagekit(['add', file, '-c', collection, '--no-encoder', '--commit-every', interval, '--json']);
		t.like(parsed(stdout), {documents: 1}, stderr);
		await using docs = await Collection.open(collection);
		t.is((await docs.passagesOfDocument('a'))[0]!.text, 'one');
	}
});

test('the text files of a folder become documents, with their headings or else their file names as titles', async t => {
	const folder = await newFolder(t);
	const docs = join(folder, 'docs');
	await mkdir(join(docs, 'inner', '.hidden'), {recursive: true});
	await writeFile(join(docs, 'b.md'), `# Bridges\n\n${'A bridge of stone. '.repeat(60)}`);
	await writeFile(join(docs, 'inner', 'a.txt'), 'A canal.');
	await writeFile(join(docs, 'inner', '.hidden', 'c.txt'), 'Hidden.');
	await writeFile(join(docs, 'data.json'), '[]');
	const collection = join(folder, 'index');
	const added = await passagekit(['add', docs, '-c', collection, '--no-encoder', '--words', '50', '--overlap', '10', '--json']);
	t.like(parsed(added.stdout), {added: 2, documents: 2}, added.stderr);
	await using opened = await Collection.open(collection);
	t.like((await opened.passagesOfDocument('inner/a.txt'))[0], {title: 'a', text: 'A canal.'});
	const passages = await opened.passagesOfDocument('b.md');
	// The text has 240 words. The first passage has 50, and each later one adds up to 40 because of the overlap of 10.
	t.is(passages.length, 6);
	t.true(passages.every(({title}) => title === 'Bridges'));

	await mkdir(join(folder, 'other'));
	await writeFile(join(folder, 'other', 'b.md'), 'Another one.');
	const twice = await passagekit(['add', docs, join(folder, 'other'), '-c', collection]);
	t.is(twice.status, 1);
	t.regex(twice.stderr, /expected an id of its own, got "b\.md".*\(ERR_DUPLICATE_ID\)\n$/u);
});

test('with an invalid file or flag, add makes no collection and prints a one-line error', async t => {
	const {folder, file, collection} = await newShop(t);
	await mkdir(join(folder, 'empty'));
	for (const [args, message] of [
		[[file], /expected the column "id" in the header.*name the parts with --id, --text, --title and --fields \(ERR_FORMAT\)/u],
		[[join(folder, 'none.csv')], /none\.csv.*\(ERR_IO\)/u],
		[[join(folder, 'empty')], /expected a folder with \.txt or \.md files.*\(ERR_IO\)/u],
		[[file, ...mapping, '--encoder', './none'], /expected a folder, .*"\.\/none" \(ERR_MODEL_MISSING\)/u],
		[[file, ...mapping, '--overlap', '100'], /overlap: expected.*\(ERR_ARGUMENT\)/u],
	] as const) {
		const {status, stdout, stderr} = await passagekit(['add', ...args, '--collection', collection]);
		t.is(status, 1, stderr);
		t.is(stdout, '');
		t.regex(stderr, message);
		t.regex(stderr, /^passagekit: [^\n]*\n$/u);
		await t.throwsAsync(readFile(join(collection, 'passagekit.json')), {code: 'ENOENT'});
	}
	for (const [flag, value] of [
		['--fields', 'price:decimal'],
		['--fields', 'a,,b'],
		['--commit-every', '10m'],
		['--words', '0'],
		['--format', 'xml'],
	] as const) {
		const {status, stderr} = await passagekit(['add', file, flag, value]);
		t.is(status, 2, stderr);
		t.regex(stderr, new RegExp(`'${flag} .*invalid`, 'u'));
	}
});

test('add stops at an invalid record and reports its line, unless --skip-bad-lines is given', async t => {
	const folder = await newFolder(t);
	const [file, collection] = [join(folder, 'docs.jsonl'), join(folder, 'index')];
	await writeFile(file, '{"id":"a","text":"one"}\n{"id":"b"}\n{"id":"c","text":"three"}\n');
	const failed = await passagekit(['add', file, '-c', collection, '--no-encoder']);
	t.is(failed.status, 1);
	t.regex(failed.stderr, /docs\.jsonl:2: expected a text/u);
	const skipping = await passagekit(['add', file, '-c', collection, '--skip-bad-lines', '--json']);
	t.like(parsed(skipping.stdout), {skipped: 1, documents: 2}, skipping.stderr);
});

test('flags for the settings of a new collection are refused if an existing collection has other settings', async t => {
	const {add} = await newShop(t);
	t.is((await add('--encoder', 'tiny-encoder', '--words', '80')).status, 0);
	t.is((await add('--encoder', 'tiny-encoder', '--words', '80', '--analyzer', 'english')).status, 0);
	for (const [flags, message] of [
		[['--words', '50'], /--words: expected 80, the setting of .*shop, got 50/u],
		[['--overlap', '5'], /--overlap: expected 0/u],
		[['--no-split'], /--no-split: expected passages of 80 words/u],
		[['--no-encoder'], /--no-encoder: expected the encoder tiny-encoder/u],
		[['--analyzer', 'simple'], /expected an index made with the analyzer simple, got one made with english/u],
	] as const) {
		const {status, stderr} = await add(...flags);
		t.is(status, 1, stderr);
		t.regex(stderr, message);
	}
});

test('search takes either a query or a file of queries', async t => {
	const {folder, collection, add} = await newShop(t);
	t.is((await add('--no-encoder')).status, 0);
	const queries = join(folder, 'queries.tsv');
	await writeFile(queries, 'q\tlamp\n');
	for (const args of [[], ['lamp', '--queries', queries]]) {
		const {status, stderr} = await passagekit(['search', ...args, '-c', collection]);
		t.is(status, 2);
		t.regex(stderr, /expected either a query, .* or --queries FILE \(ERR_USAGE\)/u);
	}
	for (const flags of [
		['--output', 'run'],
		['--tag', 't'],
		['--threads', '1'],
		['--query-format', 'tsv'],
	]) {
		const {status, stderr} = await passagekit(['search', 'lamp', '-c', collection, ...flags]);
		t.is(status, 2);
		t.regex(stderr, new RegExp(`${flags[0]} needs --queries FILE`, 'u'));
	}
	const run = await passagekit(['search', '-q', queries, '-c', collection, '--filter', '{"price":{"lt":50}}']);
	t.regex(run.stdout, /^q Q0 lamp-1#0 1 \d\.\d+ passagekit-bm25\n$/u);
	const none = await passagekit(['search', 'zebra', '-c', collection]);
	t.is(none.stdout, 'No passage was found.\n');
});

test('the words of the query are bold if FORCE_COLOR is set and NO_COLOR is not', async t => {
	const {collection, add} = await newShop(t);
	t.is((await add('--no-encoder')).status, 0);
	const args = ['search', 'cables', '-c', collection, '-k', '1'];
	t.true((await passagekit(args, {FORCE_COLOR: '1'})).stdout.includes('\u001B[1mcable\u001B[22m'));
	for (const environment of [{}, {FORCE_COLOR: '1', NO_COLOR: '1'}]) {
		const {stdout} = await passagekit(args, environment);
		t.true(stdout.includes('cable') && !stdout.includes('\u001B'), stdout);
	}
});

test('an invalid filter is reported in one line', async t => {
	const {collection, add} = await newShop(t);
	t.is((await add('--no-encoder')).status, 0);
	for (const [filter, message] of [
		['{"colour":"red"}', /filter\.colour: expected a field that passages of the index have .*got "colour" \(ERR_ARGUMENT\)/u],
		['{"price":{"lt":"50"}}', /filter\.price\.lt: expected a number/u],
		['{"price":{"less":50}}', /filter\.price: expected operators among/u],
	] as const) {
		for (const command of [['search', 'lamp'], ['ask', 'lamp?'], ['delete']]) {
			const {status, stderr} = await passagekit([...command, '-c', collection, '--filter', filter]);
			t.is(status, 1, stderr);
			t.regex(stderr, message);
			t.regex(stderr, /^passagekit: [^\n]*\n$/u);
		}
	}
	const syntax = await passagekit(['search', 'lamp', '-c', collection, '--filter', '{price:1}']);
	t.is(syntax.status, 2);
	t.regex(syntax.stderr, /expected a JSON object such as \{"price":\{"lt":50\}\}, got \{price:1\}/u);
	t.is((await passagekit(['delete', '-c', collection])).status, 2);
	t.is((await passagekit(['delete', 'lamp-1', '-c', collection, '--filter', '{}'])).status, 2);
});

test('if another process is changing the collection, the error names that process', async t => {
	const {collection, add} = await newShop(t);
	t.is((await add('--no-encoder')).status, 0);
	const docs = await Collection.open(collection);
	await docs.upsert({id: 'x', text: 'a change'});
	for (const command of [['delete', 'lamp-1'], ['optimize']]) {
		const {status, stderr} = await passagekit([...command, '-c', collection]);
		t.is(status, 1);
		t.regex(stderr, new RegExp(`process ${process.pid} on .*\\(ERR_INDEX_LOCKED\\)\\n$`, 'u'));
	}
	t.regex((await add()).stderr, new RegExp(`^passagekit: .*process ${process.pid} on .*\\(ERR_INDEX_LOCKED\\)\\n$`, 'u'));
	t.is((await passagekit(['search', 'lamp', '-c', collection])).status, 0, 'the collection can be searched meanwhile');
	await docs.close({discard: true});
	t.is((await passagekit(['delete', 'lamp-1', '-c', collection])).status, 0);
});

test('collections that `index` built are searched and described, but not changed', async t => {
	const folder = await newFolder(t);
	const [text, collection] = [join(folder, 'a.txt'), join(folder, 'index')];
	await writeFile(text, 'A bridge of stone over the river.');
	t.is((await passagekit(['index', text, '-o', collection, '--no-encoder'])).status, 0);
	const found = await passagekit(['search', 'bridge', '-c', collection]);
	t.regex(found.stdout, /^1\. a {2}a\.txt · \d\.\d+\n {3}A bridge of stone over the river\.\n$/u, found.stderr);
	t.like(parsed((await passagekit(['stats', '-c', collection, '--json'])).stdout), {madeBy: 'index', passages: 1, encoder: null});
	for (const [command, what] of [
		[['add', text], 'add'],
		[['delete', 'a'], 'delete'],
		[['optimize'], 'optimize'],
	] as const) {
		const {status, stderr} = await passagekit([...command, '-c', collection]);
		t.is(status, 1);
		t.is(
			stderr,
			`passagekit: ${what}: expected a collection that \`passagekit add\` made, got ${collection}, which \`passagekit index\` built and which never changes (ERR_ARGUMENT)\n`,
		);
	}
	// Such a collection has no fields: its passages can be filtered only by their ids.
	for (const command of [
		['search', 'bridge'],
		['ask', 'a bridge of what?'],
	]) {
		const {status, stderr} = await passagekit([...command, '--filter', '{"not":{"a":1}}', '-c', collection]);
		t.is(status, 1);
		t.regex(stderr, /^passagekit: filter\.not\.a: expected no condition on fields, .* got "a" \(ERR_ARGUMENT\)\n$/u);
	}
	// The filter excludes the only passage, so the result is that of a query without hits.
	const filtered = await passagekit(['search', 'bridge', '--filter', '{"not":{"ids":["a.txt#0"]}}', '-c', collection, '--json']);
	t.deepEqual(
		parsed(filtered.stdout)['hits'],
		(parsed((await passagekit(['search', 'nothing', '-c', collection, '--json'])).stdout) as {hits: unknown})['hits'],
	);
	const missing = await passagekit(['delete', 'a', '-c', join(folder, 'none')]);
	t.regex(
		missing.stderr,
		/expected a collection in .*none, got none; make one with `passagekit add <files> --collection .*none` \(ERR_IO\)\n$/u,
	);
});

onUnix('add reads documents from a pipe on stdin, and prints nothing with --quiet', async t => {
	const folder = await newFolder(t);
	await writeFile(join(folder, 'docs.jsonl'), '{"id":"a","text":"one"}\n{"id":"b","text":"two"}\n');
	const env = {...process.env, NODE: process.execPath, BIN: join(packageRoot, 'bin/passagekit.js')};
	const script = 'cat docs.jsonl | "$NODE" "$BIN" add - --collection index --no-encoder --quiet';
	const {stdout, stderr} = await promisify(execFile)('bash', ['-c', script], {cwd: folder, env});
	t.is(stdout + stderr, '');
	await using docs = await Collection.open(join(folder, 'index'));
	t.is((await docs.stats()).documents, 2);
});

for (const [signal, status] of [
	['SIGINT', 130],
	['SIGKILL', 'SIGKILL'],
] as const) {
	onUnix(`${signal} during add leaves the last commit intact, and a second run adds only the remaining documents`, async t => {
		const folder = await newFolder(t);
		const [pipe, file, collection] = [join(folder, 'pipe.jsonl'), join(folder, 'docs.jsonl'), join(folder, 'index')];
		const total = 1500;
		const text = (i: number): string => Array.from({length: 60}, (_, j) => `word${(i * 7 + j * j) % 500}`).join(' ');
		const lines = Array.from({length: total}, (_, i) => `${JSON.stringify({id: `d${i}`, text: text(i), n: i})}\n`);
		await writeFile(file, lines.join(''));
		const flags = ['-c', collection, '--encoder', 'tiny-encoder', '--commit-every', '64', '--json'];
		// The first run reads a FIFO that gets only some of the documents, so it cannot end before the signal, even if this process is slow.
		execFileSync('mkfifo', [pipe]);
		const command = [join(packageRoot, 'bin/passagekit.js'), 'add', pipe, ...flags];
		const child = spawn(process.execPath, command, {stdio: ['ignore', 'ignore', 'pipe']});
		const input = createWriteStream(pipe);
		// The run may end before it has read everything.
		input.on('error', () => {});
		t.teardown(() => input.destroy());
		input.write(lines.slice(0, 1000).join(''));
		let stderr = '';
		child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
		const ended = new Promise(resolve => {
			child.once('close', (code, by) => resolve(code ?? by));
		});
		// Waits until the first commit is visible.
		let committed = 0;
		while (committed === 0 && child.exitCode === null) {
			await new Promise(resolve => setTimeout(resolve, 10));
			const docs = await Collection.open(collection).catch(() => undefined);
			committed = (await docs?.stats())?.documents ?? 0;
			await docs?.close();
		}
		child.kill(signal);
		t.is(await ended, status, stderr);
		if (signal === 'SIGINT') {
			t.is(stderr, 'passagekit: interrupted\n');
		}
		const docs = await Collection.open(collection);
		const {documents, passages} = await docs.stats();
		t.true(documents >= committed && documents < total, `${documents} documents`);
		t.is(passages, documents);
		// The documents are the first ones of the file, each with its text, its field and a vector.
		for (const i of [0, documents - 1]) {
			t.like((await docs.passagesOfDocument(`d${i}`))[0], {text: text(i), fields: {n: i}});
			t.is((await docs.vectors([`d${i}#0`])).length, 128);
		}
		t.deepEqual(await docs.passagesOfDocument(`d${documents}`), []);
		await docs.close();

		const again = await passagekit(['add', file, ...flags]);
		t.is(again.status, 0, again.stderr);
		t.like(parsed(again.stdout), {added: total - documents, replaced: 0, unchanged: documents, documents: total});
	});
}

test('explain, evaluate and doctor work with a live collection', async t => {
	const {folder, collection, add} = await newShop(t);
	t.is((await add()).status, 0);
	const explained = await passagekit(['explain', 'a light without cables', '-c', collection, '--json']);
	t.is(explained.status, 0, explained.stderr);
	const {explanations} = JSON.parse(explained.stdout) as {
		explanations: Array<{passage: {id: string; title: string}; bm25: {score: number}}>;
	};
	t.like(explanations[0], {passage: {id: 'lamp-2#0', title: 'Reading light'}});
	t.true(explanations[0]!.bm25.score > 0);
	const unknown = await passagekit(['explain', 'light', '-c', collection, '--passage', 'lamp-2']);
	t.is(unknown.status, 1);
	t.regex(unknown.stderr, /expected the id of a passage, such as "lamp-2#0" for the first one of a document, got "lamp-2"/u);

	const [queries, run, questions] = ['queries.tsv', 'run', 'questions.jsonl'].map(name => join(folder, name)) as [string, string, string];
	await writeFile(queries, 'q\tliving room\n');
	await writeFile(questions, '{"id":"q","question":"Which lamp is tall?","answers":["steel"]}\n');
	t.is((await passagekit(['search', '-q', queries, '-c', collection, '-r', 'hybrid', '-o', run])).status, 0);
	const evaluated = await passagekit(['evaluate', '--run', run, '--questions', questions, '--passages', collection, '--ks', '1', '--json']);
	t.like(parsed(evaluated.stdout), {accuracy: {1: 1}, questions: 1}, evaluated.stderr);

	const checked = await passagekit(['doctor', '--repair', collection]);
	t.is(checked.status, 0);
	t.regex(checked.stdout, /✓ collection {2}intact, 3 documents after 1 commit; nothing to repair\n/u);
	// A missing file of postings is made again from the stored passages.
	const bm25 = join(collection, 'bm25');
	const impacts = join(bm25, (await readdir(bm25)).find(name => name.endsWith('.impacts'))!);
	const postings = await readFile(impacts);
	await rm(impacts);
	const repaired = await passagekit(['doctor', '--repair', collection]);
	t.is(repaired.status, 0);
	t.regex(repaired.stdout, /✓ collection {2}1 file rebuilt; intact, 3 documents after 1 commit\n/u);
	t.deepEqual(await readFile(impacts), postings);
	// A flipped bit in the log of vectors is detected.
	const log = join(collection, 'vectors-1.log');
	const bytes = await readFile(log);
	bytes[bytes.length - 20]! ^= 1;
	await writeFile(log, bytes);
	const damaged = await passagekit(['doctor', '--repair', collection]);
	t.is(damaged.status, 1);
	t.regex(damaged.stdout, /✗ collection {2}.*this cannot be repaired: restore the folder of the collection from a backup/u);
});

test('`index` refuses to replace a live collection, and `explain` refuses a collection without an encoder', async t => {
	const {file, collection, add} = await newShop(t);
	t.is((await add('--no-encoder')).status, 0);
	for (const flags of [[], ['--overwrite']]) {
		const {status, stderr} = await passagekit(['index', file, '-o', collection, '--no-encoder', ...flags]);
		t.is(status, 1);
		t.regex(stderr, /expected a (?:new or empty folder|collection that Collection\.build made), got/u);
	}
	t.like(parsed((await passagekit(['stats', '-c', collection, '--json'])).stdout), {documents: 3});
	const {status, stderr} = await passagekit(['explain', 'lamp', '-c', collection]);
	t.is(status, 1);
	t.regex(
		stderr,
		/^passagekit: explain: expected a collection whose encoder is a model, got .*, one without an encoder \(ERR_ARGUMENT\)\n$/u,
	);
});
