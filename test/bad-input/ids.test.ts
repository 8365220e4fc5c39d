// Tests ids and texts with lone surrogates, and ids with white space.
import {execFile} from 'node:child_process';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {
	Bm25Index,
	Bm25Writer,
	Collection,
	FlatIndex,
	PassageStore,
	PhraseIndex,
	type Qrels,
	RetrievalError,
	type Run,
	evaluate,
	fuse,
	readTrecRun,
	topKAccuracy,
	writeQrels,
	writeTrecRun,
} from '../../ts/index.ts';

/**
Two ids that contain a lone surrogate: one half of a UTF-16 surrogate pair without the other. UTF-8 cannot represent it, so conversions
to UTF-8 replace it with U+FFFD (�).
*/
const [HIGH, LOW] = ['x\ud83d', '\ude00x'];

/** Makes a folder that is removed after the test. */
async function folderOf(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-ids-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	return folder;
}

/**
Asserts that a call refuses an id with a lone surrogate, and that the message begins with the position of the id in the arguments, such
as `delete: ids[0]`.
*/
async function refused(t: ExecutionContext, position: string, call: () => unknown): Promise<void> {
	const error = await t.throwsAsync(async () => call(), {instanceOf: RetrievalError});
	t.is(error.code, 'ERR_ARGUMENT', error.message);
	t.true(error.message.startsWith(`${position}: expected well-formed Unicode, got a lone surrogate in "`), error.message);
}

test('functions that take ids refuse an id with a lone surrogate and name its position', async t => {
	const folder = await folderOf(t);
	const passages = [
		{id: 'a', text: 'fox'},
		{id: HIGH, text: 'fox'},
	];
	const writer = await Bm25Writer.create(join(folder, 'writer'));
	t.teardown(async () => writer.close());
	await refused(t, 'passage 1: id', async () => writer.add(passages));
	await refused(t, 'passage 0: id', async () => writer.update([{id: LOW, text: ''}]));
	await refused(t, 'delete: ids[0]', async () => writer.delete([HIGH]));
	await refused(t, 'passage 1: id', async () => PassageStore.write(passages, join(folder, 'store')));
	const valid = [{id: 'a', text: 'fox'}];
	await PassageStore.write(valid, join(folder, 'store'));
	const store = await PassageStore.open(join(folder, 'store'));
	await refused(t, 'get: ids[1]', async () => store.get(['a', LOW]));
	const bm25 = await Bm25Index.build(join(folder, 'bm25'), valid);
	await refused(t, 'explain: passageId', async () => bm25.explain('fox', HIGH));
	await refused(t, 'fields: passageId', async () => bm25.fields(HIGH));
	const queries = [
		{id: 'q', text: 'fox'},
		{id: HIGH, text: 'fox'},
		{id: LOW, text: 'fox'},
	];
	await refused(t, 'queries[1]: id', async () => bm25.searchMany(queries));

	const flat = new FlatIndex({dim: 1});
	const vectors = {data: Float32Array.of(1, 2), rows: 2, dim: 1};
	// Concatenated, the two lone surrogates would form a valid pair.
	await refused(t, 'add: ids[0]', async () => flat.add([HIGH, LOW], vectors));
	await refused(t, 'update: ids[1]', async () => flat.update(['a', LOW], vectors, {upsert: true}));
	await refused(t, 'delete: ids[0]', async () => flat.delete([HIGH]));
	await refused(t, 'vectors: ids[0]', async () => flat.vectors([HIGH]));
	await refused(t, 'has: id', async () => flat.has(HIGH));
	await refused(t, 'get: id', async () => flat.get(HIGH));
	await refused(t, 'filter.ids[0]', async () => flat.filter({ids: [HIGH]}));
	t.is(flat.size, 0);
	const phrases = new PhraseIndex({dim: 1});
	const offsets = [
		{id: 'a', start: 0, end: 1},
		{id: HIGH, start: 0, end: 1},
	];
	await refused(t, 'add: phrases[1].id', async () => phrases.add(offsets, vectors));

	const run = (query: string, passage: string): Run => new Map([[query, [{id: passage, score: 1}]]]);
	const qrels: Qrels = new Map([['q', new Map([['a', 1]])]]);
	await refused(t, 'run: query id', async () => fuse([run(HIGH, 'a')], {method: 'rrf'}));
	await refused(t, 'run: passage id', async () => evaluate(run('q', LOW), qrels, ['RR']));
	await refused(t, 'qrels: query id', async () => evaluate(run('q', 'a'), new Map([[HIGH, new Map()]]), ['RR']));
	await refused(t, 'qrels: judgments of query "q": passage id', async () =>
		evaluate(run('q', 'a'), new Map([['q', new Map([[LOW, 1]])]]), ['RR']),
	);
	const question = {id: 'q', text: '', answers: ['x']};
	await refused(t, 'questions[0]: id', async () => topKAccuracy(run('q', 'a'), [{...question, id: HIGH}], new Map(), [1]));
	await refused(t, 'passages: id', async () => topKAccuracy(run('q', 'a'), [question], new Map([[LOW, {text: 'x'}]]), [1]));
});

test('lone surrogates in texts become U+FFFD, as in any conversion to UTF-8', async t => {
	const bm25 = await Bm25Index.build(join(await folderOf(t), 'bm25'), [{id: '😀', text: `fox ${HIGH}`}]);
	t.deepEqual(
		(await bm25.search(`fox ${LOW}`)).map(({id}) => id),
		['😀'],
	);
});

test('a run does not treat U+FFFD and a lone surrogate as the same query id', async t => {
	const bm25 = await Bm25Index.build(join(await folderOf(t), 'bm25'), [{id: 'a', text: 'fox'}]);
	const run = await bm25.searchMany([{id: '\ufffd', text: 'fox'}]);
	t.is(run.get('\ufffd')!.length, 1);
	t.is(run.get('\ud800'), undefined);
	t.false(run.has('\ud800'));
	t.is(run.get(5 as never), undefined);
	t.false(run.has(undefined as never));
});

test('writing a TREC file refuses and names an id that is empty or has white space, which separates columns', async t => {
	const path = join(await folderOf(t), 'file');
	const message = (what: string, id: string): string =>
		`${what}: expected one or more characters, none of them white space or control, got ${JSON.stringify(id)}`;
	for (const id of ['two words', 'a\tb', 'a\u00a0b', 'a\n', '']) {
		for (const [what, run, qrels] of [
			['query id', new Map([[id, [{id: 'a', score: 1}]]]), new Map([[id, new Map([['a', 1]])]])],
			['passage id', new Map([['q', [{id, score: 1}]]]), new Map([['q', new Map([[id, 1]])]])],
		] as const) {
			for (const call of [async () => writeTrecRun(path, run), async () => writeQrels(path, qrels)]) {
				const error = await t.throwsAsync(call(), {code: 'ERR_ARGUMENT'});
				// Messages of the addon escape the no-break space, as Rust does; `JSON.stringify` does not.
				t.is(error.message.replace(String.raw`\u{a0}`, '\u{a0}'), message(what, id), JSON.stringify(id));
			}
		}
	}
	await t.throwsAsync(writeTrecRun(path, new Map(), 'my run'), {code: 'ERR_ARGUMENT', message: message('tag', 'my run')});
});

test('the command `search` refuses ids with white space before it prints or writes a line', async t => {
	const folder = await folderOf(t);
	const [index, queries, output] = ['index', 'queries.jsonl', 'run'].map(name => join(folder, name)) as [string, string, string];
	await using collection = await Collection.build(
		[
			{id: 'a b', text: 'fox'},
			{id: 'c', text: 'hen'},
		],
		index,
		{encoder: false},
	);
	t.is(collection.bm25.size, 2, 'an index accepts such ids');
	const search = async (...more: string[]): Promise<{status: number; stdout: string; stderr: string}> =>
		promisify(execFile)(process.execPath, [join(packageRoot, 'bin/passagekit.js'), 'search', '-c', index, '-q', queries, ...more]).then(
			({stdout, stderr}) => ({status: 0, stdout, stderr}),
			({code, stdout, stderr}: {code: number; stdout: string; stderr: string}) => ({status: code, stdout, stderr}),
		);
	for (const more of [[], ['--output', output]]) {
		await writeFile(queries, '{"_id": "q 1", "text": "hen"}\n');
		const query = await search(...more);
		t.is(query.status, 1);
		t.is(query.stdout, '');
		t.regex(query.stderr, /query id: expected .*, got "q 1"/u);
		await writeFile(queries, '{"_id": "q1", "text": "fox"}\n');
		const passage = await search(...more);
		t.is(passage.status, 1);
		t.is(passage.stdout, '');
		t.regex(passage.stderr, /passage id: expected .*, got "a b"/u);
	}
	await t.throwsAsync(readFile(output), {code: 'ENOENT'});
	await writeFile(queries, '{"_id": "q1", "text": "hen"}\n');
	t.is((await search('--output', output)).status, 0);
	t.is((await readTrecRun(output)).get('q1')![0]!.id, 'c');
});
