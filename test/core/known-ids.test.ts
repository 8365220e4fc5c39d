// Tests that searches on the JavaScript thread and batches, which keep the ids of earlier hits, return the ids that single searches on other
// threads return, however the index changes in between. The tests run one after another, because they share the time budget of the JavaScript
// thread.
import {join} from 'node:path';
import test from 'ava';
import {Bm25Index, Bm25Writer, type Hit, type HitColumns, type HitLists, type Run} from '../../ts/index.ts';
import {settlesAtOnce} from '../support/event-loop.ts';
import {folder, kinds, names, random, row} from '../support/vectors.ts';

/** Unusual ids: with characters that JSON escapes, with the character that joins ids elsewhere, not ASCII, and too long to be kept. */
const special = ['"quoted"', 'back\\slash', 'new\nline', 'nul\0', 'Zürich', '東京', '😀', ' ', 'x'.repeat(300)];

/** A search with this option runs on another thread, which passes all ids as they are. */
const onThreadPool = {onProgress: (): void => undefined};

const fromColumns = ({ids, scores}: HitColumns): Hit[] => ids.map((id, i) => ({id, score: scores[i]!}));

for (const [kind, {make}] of Object.entries(kinds)) {
	test.serial(`${kind}: ids are right after additions, replacements, deletions and compactions`, async t => {
		const index = make(8);
		const queries = random(30, 8, 7);
		let added = 0;
		let inlineCount = 0;
		let earlier: {readonly lists: HitLists; readonly expected: readonly Hit[][]} | undefined;
		const check = async (): Promise<void> => {
			const expected: Hit[][] = [];
			for (let q = 0; q < queries.rows; q++) {
				expected.push(await index.search(row(queries, q), {k: 40, ...onThreadPool}));
			}
			// The ids of an earlier batch are read after the index has changed.
			t.deepEqual(earlier && [...earlier.lists].map(fromColumns), earlier?.expected);
			earlier = {lists: await index.searchManyColumns(queries, {k: 40}), expected};
			t.deepEqual([...earlier.lists].map(fromColumns), expected);
			t.deepEqual(await index.searchMany(queries, {k: 40}), expected);
			for (let round = 0; round < 2; round++) {
				for (let q = 0; q < queries.rows; q++) {
					const searching = index.search(row(queries, q), {k: 40});
					inlineCount += (await settlesAtOnce(searching)) ? 1 : 0;
					t.deepEqual(await searching, expected[q]);
					t.deepEqual(fromColumns(await index.searchColumns(row(queries, q), {k: 40})), expected[q]);
				}
			}
		};
		await index.add(special, random(special.length, 8, 1));
		await check();
		for (let step = 0; step < 6; step++) {
			const ids = names(70, added);
			added += ids.length;
			await index.add(ids, random(ids.length, 8, step + 2));
			await check();
			await index.delete(ids.filter((_, i) => i % 3 === step % 3));
			await check();
			await index.update([special.at(-1)!, special[step]!], random(2, 8, step + 40), {upsert: true});
			await check();
			await index.compact();
			await check();
		}
		t.true(inlineCount > 50, `${inlineCount} ran on the JavaScript thread`);
		index.close();
		t.deepEqual([...earlier!.lists].map(fromColumns), earlier!.expected);
	});

	test.serial(`${kind}: batches return lists of any length`, async t => {
		const index = make(8);
		await index.add(names(1500), random(1500, 8, 1));
		const queries = random(3, 8, 2);
		for (const k of [0, 1, 500, 1024, 1025, 1500]) {
			const expected: Hit[][] = [];
			for (let q = 0; q < queries.rows; q++) {
				expected.push(await index.search(row(queries, q), {k, ...onThreadPool}));
			}
			for (let round = 0; round < 2; round++) {
				t.deepEqual(await index.searchMany(queries, {k}), expected);
				t.deepEqual([...(await index.searchManyColumns(queries, {k}))].map(fromColumns), expected);
			}
		}
		t.is((await index.searchManyColumns(queries)).get(3), undefined);
		index.close();
	});
}

test.serial('Bm25Index: ids are right after commits, reloads, and when another index replaced this one', async t => {
	const path = join(await folder(t), 'index');
	const writer = await Bm25Writer.create(path);
	const texts = (ids: readonly string[]): Array<{id: string; text: string}> =>
		ids.map((id, i) => ({id, text: `stone ${'bridge '.repeat((i * 7) % 13)}`}));
	await writer.add(texts([...special, ...names(200)]));
	await writer.commit();
	const index = await Bm25Index.open(path);
	let inlineCount = 0;
	const queries = [
		{id: 'q', text: 'stone bridge'},
		{id: 'other', text: 'bridge'},
	];
	let earlier: {readonly run: Run; readonly expected: ReadonlyArray<[string, readonly Hit[]]>} | undefined;
	const check = async (): Promise<void> => {
		const expected = await index.search('stone bridge', {k: 300, ...onThreadPool});
		const other = await index.search('bridge', {k: 300, ...onThreadPool});
		// The ids of an earlier batch are read after the index has changed.
		t.deepEqual(earlier && [...earlier.run], earlier?.expected);
		const run = await index.searchMany(queries, {k: 300});
		earlier = {
			run,
			expected: [
				['q', expected],
				['other', other],
			],
		};
		t.deepEqual([...run], earlier.expected);
		t.deepEqual([run.get('other'), run.get('q'), run.get('none')], [other, expected, undefined]);
		for (let round = 0; round < 3; round++) {
			// Comparing hits may have used up the time budget of this iteration of the event loop.
			await new Promise(resolve => {
				setImmediate(resolve);
			});
			const searching = index.search('stone bridge', {k: 300});
			inlineCount += (await settlesAtOnce(searching)) ? 1 : 0;
			t.deepEqual(await searching, expected);
		}
	};
	await check();
	await writer.delete([...names(50), '"quoted"']);
	await writer.add(texts(names(400, 200)));
	await writer.commit();
	await check();
	await index.reload();
	await check();
	await writer.merge();
	await writer.close();
	await index.reload();
	await check();
	const other = await Bm25Writer.create(path, {overwrite: true});
	await other.add(texts(names(100).reverse()));
	await other.commit();
	await other.close();
	await check();
	await index.reload();
	t.is(index.size, 100);
	await check();
	t.true(inlineCount > 5, `${inlineCount} ran on the JavaScript thread`);
	index.close();
	t.deepEqual([...earlier!.run], earlier!.expected);
});
