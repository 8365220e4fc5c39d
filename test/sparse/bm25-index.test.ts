// Tests BM25 search through the public API: scores, explanations, updates, errors, and the event loop.
import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {Bm25Index, Bm25Writer, type Passage, RetrievalError} from '../../ts/index.ts';
import {highestOfThreeCounts} from '../support/event-loop.ts';

const passages: Passage[] = [
	{id: 'a', text: 'the red fox and the red hen'},
	{id: 'b', text: 'a fox'},
	{id: 'c', title: 'Hens', text: 'lay eggs'},
];

/** Creates a folder that is deleted after the test. */
async function folder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-bm25-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

/** Builds an index of the passages above. */
async function built(t: ExecutionContext): Promise<{index: Bm25Index; path: string}> {
	const path = join(await folder(t), 'index');
	return {index: await Bm25Index.build(path, passages), path};
}

/**
A term's score in one of the three passages above, by Lucene's BM25 formula. The one-byte fieldnorm, which stores a passage's
length, is exact for lengths below 40.
*/
function score(
	{tf, df, length, averageLength}: {tf: number; df: number; length: number; averageLength: number},
	k1 = 0.9,
	b = 0.4,
): number {
	const passageCount = 3;
	const idf = Math.log(1 + (passageCount - df + 0.5) / (df + 0.5));
	return (idf * tf) / (tf + k1 * (1 - b + (b * length) / averageLength));
}

test('scores equal those of the BM25 formula', async t => {
	const {index} = await built(t);
	// Without stop words and after stemming, a is "red fox red hen" (4), b is "fox" (1) and c is "hen lai egg" (3): 8 terms in 3 passages.
	const averageLength = 8 / 3;
	const hits = await index.search('red fox', {k: 10});
	t.deepEqual(
		hits.map(({id}) => id),
		['a', 'b'],
	);
	const fox = {df: 2, averageLength};
	const expected = score({tf: 2, df: 1, length: 4, averageLength}) + score({tf: 1, length: 4, ...fox});
	t.true(Math.abs(hits[0]!.score - expected) < 1e-6, `${hits[0]!.score} ${expected}`);
	t.true(Math.abs(hits[1]!.score - score({tf: 1, length: 1, ...fox})) < 1e-6);
});

test('a search finds words of the title and of the text, both stemmed', async t => {
	const {index} = await built(t);
	t.deepEqual(
		(await index.search('hen')).map(({id}) => id),
		['c', 'a'],
		'the shorter passage comes first',
	);
	t.deepEqual(index.terms("The hens' eggs were laid"), ['hen', 'egg', 'were', 'laid']);
});

test('k1 and b can be set per search', async t => {
	const {index, path} = await built(t);
	const [hit] = await index.search('fox', {k: 1, k1: 2, b: 1});
	const expected = score({tf: 1, df: 2, length: 1, averageLength: 8 / 3}, 2, 1);
	t.true(Math.abs(hit!.score - expected) < 1e-6);
	const other = await Bm25Index.open(path, {k1: 2, b: 1});
	t.deepEqual(await other.search('fox', {k: 1}), [hit!]);
});

test('searchMany returns the same hits as search', async t => {
	const {index} = await built(t);
	const run = await index.searchMany(
		[
			{id: 'q1', text: 'red fox'},
			{id: 'q2', text: 'zebra'},
			{id: 'q3', text: 'eggs'},
		],
		{k: 2},
	);
	t.deepEqual([...run.keys()], ['q1', 'q2', 'q3']);
	t.deepEqual(run.get('q1'), await index.search('red fox', {k: 2}));
	t.deepEqual(run.get('q2'), []);
	t.deepEqual(
		run.get('q3')!.map(({id}) => id),
		['c'],
	);
	t.is(run.get('q4'), undefined);
});

test('the contributions of an explanation add up to the score', async t => {
	const {index} = await built(t);
	const [hit] = await index.search('red fox red', {k: 1});
	const {score: total, terms, length} = await index.explain('red fox red', 'a');
	t.is(total, hit!.score);
	t.is(length, 4);
	t.deepEqual(
		terms.map(({term, queryFrequency, frequency, passages: df}) => [term, queryFrequency, frequency, df]),
		[
			['red', 2, 2, 1],
			['fox', 1, 1, 2],
		],
	);
	t.is(Math.fround(terms.reduce((sum, {contribution}) => sum + contribution, 0)), total);
});

test('a term with the weight 2 counts like a term that occurs twice in the query', async t => {
	const {index} = await built(t);
	t.deepEqual(
		await index.searchTerms([
			{term: 'red', weight: 2},
			{term: 'fox', weight: 1},
		]),
		await index.search('red fox red'),
	);
});

test('a writer adds, updates and deletes, and readers see the changes after they reload', async t => {
	const {index, path} = await built(t);
	const writer = await Bm25Writer.open(path);
	t.is(await writer.add([{id: 'd', text: 'zebra'}]), 1);
	t.is(await writer.update([{id: 'b', text: 'a zebra too'}]), 1);
	t.is(await writer.delete(['a', 'nobody']), 1);
	await writer.commit();
	await writer.close();
	t.deepEqual(
		(await index.search('red')).map(({id}) => id),
		['a'],
		'changes are not visible before reload',
	);
	await index.reload();
	t.is(index.size, 3);
	t.deepEqual(await index.search('red'), []);
	t.deepEqual(
		(await index.search('zebra')).map(({id}) => id),
		['d', 'b'],
		'equal scores are ordered by insertion',
	);
});

test('closing a writer discards uncommitted changes', async t => {
	const {index, path} = await built(t);
	const writer = await Bm25Writer.open(path);
	await writer.add([{id: 'd', text: 'zebra'}]);
	await writer.close();
	await index.reload();
	t.is(index.size, 3);
});

test('a second writer, a duplicate id and an existing index are refused, each with its own code', async t => {
	const {index, path} = await built(t);
	const writer = await Bm25Writer.open(path);
	await t.throwsAsync(Bm25Writer.open(path), {instanceOf: RetrievalError, code: 'ERR_INDEX_LOCKED'});
	await t.throwsAsync(writer.add([{id: 'a', text: 'again'}]), {
		code: 'ERR_DUPLICATE_ID',
		message: 'add: expected an id that is new, got "a" again',
	});
	await writer.close();
	await t.throwsAsync(Bm25Index.build(path, passages), {code: 'ERR_ARGUMENT'});
	t.is(index.size, 3, 'the index is unchanged');
});

test('opening a missing folder, a file, a folder without an index or a damaged index is refused', async t => {
	const {path} = await built(t);
	const other = await folder(t);
	await t.throwsAsync(Bm25Index.open(join(other, 'none')), {code: 'ERR_IO'});
	await writeFile(join(other, 'file'), 'text');
	await t.throwsAsync(Bm25Index.open(join(other, 'file')), {code: 'ERR_IO'});
	await t.throwsAsync(Bm25Index.open(other), {code: 'ERR_INDEX_CORRUPT'});
	await writeFile(join(path, 'meta.json'), '{');
	await t.throwsAsync(Bm25Index.open(path), {code: 'ERR_INDEX_CORRUPT'});
});

test('invalid arguments are refused', async t => {
	const {index} = await built(t);
	await t.throwsAsync(index.search('fox', {k: -1}), {code: 'ERR_ARGUMENT', message: 'k: expected a whole number of at least 0, got -1'});
	await t.throwsAsync(index.search('fox', {b: 1.5}), {code: 'ERR_ARGUMENT', message: 'b: expected a number from 0 to 1, got 1.5'});
	await t.throwsAsync(index.search(7 as unknown as string), {
		code: 'ERR_ARGUMENT',
		message: 'search: query: expected a string, got number',
	});
	t.deepEqual(await index.search(''), []);
	t.deepEqual(await index.search('fox', {k: 0}), []);
});

test("an aborted search rejects with the signal's reason, and a closed index rejects with ERR_CLOSED", async t => {
	const {index} = await built(t);
	const reason = new Error('enough');
	t.is(await t.throwsAsync(index.search('fox', {signal: AbortSignal.abort(reason)})), reason);
	index.close();
	await t.throwsAsync(index.search('fox'), {code: 'ERR_CLOSED'});
});

test('verify detects a damaged file and names it', async t => {
	const {index, path} = await built(t);
	await t.notThrowsAsync(index.verify());
	const file = (await readdir(path)).find(name => name.endsWith('.impacts'))!;
	const bytes = await readFile(join(path, file));
	bytes[40]! ^= 1;
	// Replaces the file instead of writing to it, so that the memory-mapped file of the open index stays intact.
	await rm(join(path, file));
	await writeFile(join(path, file), bytes);
	const error = await t.throwsAsync(index.verify(), {code: 'ERR_INDEX_CORRUPT'});
	t.true(error?.message.includes(file), error?.message);
	t.is((await index.search('fox', {k: 1})).length, 1);
});

test('passages whose ids and texts contain U+0000 are found, and their ids are returned unchanged', async t => {
	const index = await Bm25Index.build(join(await folder(t), 'index'), [
		{id: 'a\0b', text: 'stone bridge'},
		{id: 'c', text: 'stone road'},
	]);
	t.deepEqual((await index.search('stone')).map(hit => hit.id).toSorted(), ['a\0b', 'c']);
	t.deepEqual(
		(await index.search('bridge')).map(hit => hit.id),
		['a\0b'],
	);
	const run = await index.searchMany([
		{id: 'q\0', text: 'bridge'},
		{id: 'r', text: 'stone\0road'},
	]);
	t.deepEqual([...run.keys()], ['q\0', 'r']);
	t.deepEqual(
		run.get('q\0')?.map(hit => hit.id),
		['a\0b'],
	);
	t.is(run.get('r')?.[0]?.id, 'c');
	t.deepEqual(await index.search('nothing'), []);
	index.close();
});

test('timers fire while searches run one after another', async t => {
	const index = await Bm25Index.build(join(await folder(t), 'index'), [{id: 'a', text: 'stone bridge'}]);
	// The timer can fire a hundred times in 100 ms. On a busy machine it fires less often, but it must still fire.
	const firings = await highestOfThreeCounts(3, async () => {
		let count = 0;
		const timer = setInterval(() => count++, 0);
		const end = performance.now() + 100;
		while (performance.now() < end) {
			await index.search('bridge');
		}
		clearInterval(timer);
		return count;
	});
	t.true(firings > 3, `the timer fired ${firings} times`);
	index.close();
});
