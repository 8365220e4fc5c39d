// Tests that searches on the JavaScript thread, which keep the ids of earlier hits, return the ids that searches on other threads return,
// however the index changes in between. The tests run one after another, because they share the time budget of the JavaScript thread.
import {join} from 'node:path';
import test from 'ava';
import {Bm25Index, Bm25Writer, type Hit} from '../../ts/index.ts';
import {settlesAtOnce} from '../support/event-loop.ts';
import {folder, kinds, names, random, row} from '../support/vectors.ts';

/** Unusual ids: with characters that JSON escapes, with the character that joins ids elsewhere, not ASCII, and too long to be kept. */
const special = ['"quoted"', 'back\\slash', 'new\nline', 'nul\0', 'Zürich', '東京', '😀', ' ', 'x'.repeat(300)];

for (const [kind, {make}] of Object.entries(kinds)) {
	test.serial(`${kind}: ids are right after additions, replacements, deletions and compactions`, async t => {
		const index = make(8);
		const queries = random(30, 8, 7);
		let added = 0;
		let inlineCount = 0;
		const check = async (): Promise<void> => {
			// The hits of a batch are found on other threads.
			const expected = await index.searchMany(queries, {k: 40});
			for (let round = 0; round < 2; round++) {
				for (let q = 0; q < queries.rows; q++) {
					const searching = index.search(row(queries, q), {k: 40});
					inlineCount += (await settlesAtOnce(searching)) ? 1 : 0;
					t.deepEqual(await searching, expected[q]);
					const {ids, scores} = await index.searchColumns(row(queries, q), {k: 40});
					t.deepEqual(
						ids.map((id, i): Hit => ({id, score: scores[i]!})),
						expected[q],
					);
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
	const check = async (): Promise<void> => {
		const expected = (await index.searchMany([{id: 'q', text: 'stone bridge'}], {k: 300})).get('q');
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
});
