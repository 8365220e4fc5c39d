// Tests passage stores, `splitDocument`, and the functions that read passages and questions, and read and write runs and qrels.
import {mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import test, {type ExecutionContext} from 'ava';
import {
	PassageStore,
	type Passage,
	RetrievalError,
	readPassages,
	readQrels,
	readQuestions,
	readTrecRun,
	splitDocument,
	writeQrels,
	writeTrecRun,
} from '../../ts/index.ts';

/** Makes a temporary folder that is removed after the test. */
async function temporaryFolder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-corpus-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

async function toArray<T>(items: AsyncIterable<T>): Promise<T[]> {
	const list: T[] = [];
	for await (const item of items) {
		list.push(item);
	}
	return list;
}

/** Writes a file to a new folder and returns its path. */
async function createFile(t: ExecutionContext, name: string, content: string | Uint8Array): Promise<string> {
	const path = join(await temporaryFolder(t), name);
	await writeFile(path, content);
	return path;
}

test('a folder of text files is read in the order of paths and split into passages, with titles from headings', async t => {
	const path = await temporaryFolder(t);
	await mkdir(join(path, 'b'));
	await writeFile(join(path, 'b', 'two words.md'), '# Title Two\n\none two three\n');
	await writeFile(join(path, 'a.txt'), 'alpha  beta');
	t.deepEqual(await toArray(readPassages(path, {split: {words: 2}})), [
		{id: 'a.txt#0', text: 'alpha  beta', title: 'a'},
		{id: 'b/two%20words.md#0', text: 'one two', title: 'Title Two'},
		{id: 'b/two%20words.md#1', text: 'three', title: 'Title Two'},
	]);
});

test('formats and gzip are detected by content, not by the file name', async t => {
	const passages: Passage[] = [
		{id: '1', text: 'A "quoted" text', title: 'T'},
		{id: '2', text: 'naïve', title: 'U'},
	];
	const dpr = 'id\ttext\ttitle\n1\t"A ""quoted"" text"\tT\n2\tnaïve\tU\n';
	const beir = passages.map(({id, ...rest}) => JSON.stringify({_id: id, ...rest})).join('\n');
	for (const content of [dpr, gzipSync(dpr), beir, gzipSync(beir)]) {
		t.deepEqual(await toArray(readPassages(await createFile(t, 'file.bin', content))), passages);
	}
	t.deepEqual(await toArray(readPassages(await createFile(t, 'x', '{"id": "1", "contents": "text"}\n'))), [{id: '1', text: 'text'}]);
	const squad = JSON.stringify({
		data: [
			{
				title: 'Big_Ben',
				paragraphs: [{context: 'It rings.', qas: [{id: 'q', question: 'Does it?', answers: [{text: 'It rings', answer_start: 0}]}]}],
			},
		],
	});
	const path = await createFile(t, 'squad', squad);
	t.deepEqual(await toArray(readPassages(path)), [{id: 'Big_Ben#0', text: 'It rings.', title: 'Big Ben'}]);
	t.deepEqual(await toArray(readQuestions(path)), [
		{id: 'q', text: 'Does it?', answers: ['It rings'], context: {id: 'Big_Ben#0', text: 'It rings.', title: 'Big Ben'}},
	]);
});

test('questions are read from TSV files, JSON lines and TREC topics', async t => {
	const read = async (content: string): Promise<unknown> =>
		(await toArray(readQuestions(await createFile(t, 'q', content)))).map(({id, text, answers}) => [id, text, answers]);
	t.deepEqual(await read('q1\twho?\nq2\twhere?\n'), [
		['q1', 'who?', []],
		['q2', 'where?', []],
	]);
	t.deepEqual(await read('who?\t["me", "I"]\n'), [['0', 'who?', ['me', 'I']]]);
	t.deepEqual(await read('{"_id": "q1", "text": "who?"}\n'), [['q1', 'who?', []]]);
	t.deepEqual(await read('{"id": "q1", "question": "who?", "answers": ["me"]}\n'), [['q1', 'who?', ['me']]]);
	t.deepEqual(await read('<top>\n<num> Number: 301\n<title> International Crime\n<desc> Description:\nx\n</top>\n'), [
		['301', 'International Crime', []],
	]);
});

test('an invalid line is refused with the file, the line and what was expected, or skipped and counted', async t => {
	const path = await createFile(t, 'corpus.jsonl', '{"_id": "1", "text": "one"}\n{"_id": "2"\n{"_id": "3", "text": "three"}\n');
	const error = await t.throwsAsync(toArray(readPassages(path)), {instanceOf: RetrievalError, code: 'ERR_FORMAT'});
	t.true(error.message.startsWith(`${path}:2: expected `), error.message);
	let skipped = 0;
	const passages = await toArray(
		readPassages(path, {
			skipBadLines: true,
			onSkipped: lines => {
				skipped = lines;
			},
		}),
	);
	t.deepEqual(
		passages.map(({id}) => id),
		['1', '3'],
	);
	t.is(skipped, 1);
});

test('a missing file and a folder in place of a file are refused', async t => {
	const path = await temporaryFolder(t);
	await t.throwsAsync(toArray(readPassages(join(path, 'none'))), {code: 'ERR_IO'});
	await t.throwsAsync(toArray(readQuestions(path)), {code: 'ERR_IO'});
	await t.throwsAsync(toArray(readPassages(path, {format: 'dpr'})), {code: 'ERR_FORMAT'});
	await t.throwsAsync(readTrecRun(path), {code: 'ERR_IO'});
	await t.throwsAsync(toArray(readPassages(path, {format: 'xml' as 'dpr'})), {code: 'ERR_ARGUMENT'});
});

test('a run that is written and read again has the same scores, bit for bit, but no queries without hits', async t => {
	const path = join(await temporaryFolder(t), 'run');
	const scores = [16_777_216, 13.2515, 0.1, 1e-12, -3.5].map(Math.fround);
	const run = new Map([
		['q1', scores.map((score, i) => ({id: `p${i}`, score}))],
		['q2', []],
	]);
	await writeTrecRun(path, run, 'test');
	t.is((await readFile(path, 'utf8')).split('\n')[1], 'q1 Q0 p1 2 13.2515 test');
	const read = await readTrecRun(path);
	t.deepEqual([...read], [['q1', run.get('q1')!]]);
	await t.throwsAsync(writeTrecRun(path, new Map([['q', [{id: 'with space', score: 1}]]])), {code: 'ERR_ARGUMENT'});
	t.deepEqual([...(await readTrecRun(path))], [['q1', run.get('q1')!]], 'the old file is unchanged');
});

test("qrels are read as they were written, and BEIR's qrels with three columns are read", async t => {
	const path = join(await temporaryFolder(t), 'qrels');
	const qrels = new Map([
		[
			'q1',
			new Map([
				['a', 2],
				['b', 0],
			]),
		],
		['q2', new Map([['c', 1]])],
	]);
	await writeQrels(path, qrels);
	t.deepEqual(await readQrels(path), qrels);
	// Passages keep the order of the file, whatever their ids are.
	await writeFile(path, 'q2 0 119 1\nq2 0 5 1\nq1 0 b 1\nq1 0 a 1\nq1 0 10 1\nq1 0 9 1\n');
	const read = await readQrels(path);
	t.deepEqual(
		[...read].map(([query, grades]) => [query, [...grades.keys()]]),
		[
			['q2', ['119', '5']],
			['q1', ['b', 'a', '10', '9']],
		],
	);
	await writeQrels(path, read);
	t.deepEqual([...(await readQrels(path)).get('q2')!.keys()], ['119', '5']);
	await writeFile(path, 'query-id\tcorpus-id\tscore\nq1\ta\t1\n');
	t.deepEqual(await readQrels(path), new Map([['q1', new Map([['a', 1]])]]));
});

test('a document is split into passages with their offsets in the document', t => {
	const text = 'Ein  schöner 🚀 Tag\tund mehr';
	const pieces = splitDocument({id: 'd', text, title: 'T'}, {words: 3, overlap: 1});
	t.deepEqual(
		pieces.map(piece => piece.text),
		['Ein  schöner 🚀', '🚀 Tag\tund', 'und mehr'],
	);
	for (const piece of pieces) {
		t.is(text.slice(piece.start, piece.end), piece.text);
	}
	// With `wrap`, the last passage is filled up with words from the start of the document.
	t.is(splitDocument({id: 'd', text: 'a b c'}, {words: 2, wrap: true})[1]!.text, 'c a');
	t.deepEqual(splitDocument({id: 'd', text: ' \n'}), []);
	t.throws(() => splitDocument({id: 'd', text: 'x'}, {words: 2, overlap: 2}), {
		code: 'ERR_ARGUMENT',
		message: 'split: overlap: expected a whole number from 0 to 1, got 2',
	});
});

test('a store returns passages by id and in the order in which they were written, and a corrupt store is refused', async t => {
	const path = join(await temporaryFolder(t), 'store');
	const passages: Passage[] = Array.from({length: 600}, (_, i) => ({id: `p${i}`, text: `text ${i}`, ...(i % 2 ? {title: 'odd'} : {})}));
	await PassageStore.write(passages, path);
	const store = await PassageStore.open(path);
	t.is(store.size, 600);
	t.deepEqual(await store.get(['p7', 'p500', 'p7']), [passages[7]!, passages[500]!, passages[7]!]);
	t.deepEqual(await toArray(store), passages);
	t.deepEqual(await store.slice(598, 10), passages.slice(598));
	await t.throwsAsync(store.get(['nobody']), {code: 'ERR_ARGUMENT', message: 'get: expected ids of passages in the store, got "nobody"'});
	const bytes = await readFile(path);
	// Changes a byte inside the passages.
	bytes[200]! ^= 1;
	await writeFile(path, bytes);
	await t.throwsAsync(PassageStore.open(path), {code: 'ERR_INDEX_CORRUPT'});
});

test('a store with a duplicate id or an invalid passage is refused and leaves no file', async t => {
	const path = join(await temporaryFolder(t), 'store');
	await t.throwsAsync(
		PassageStore.write(
			[
				{id: 'a', text: 'x'},
				{id: 'a', text: 'y'},
			],
			path,
		),
		{code: 'ERR_DUPLICATE_ID'},
	);
	await t.throwsAsync(PassageStore.open(path), {code: 'ERR_IO'});
	await t.throwsAsync(PassageStore.write([{id: 'a'} as Passage], path), {
		code: 'ERR_ARGUMENT',
		message: 'passage 0: text: expected a string, got undefined',
	});
});
