// Tests that known failures of other Node libraries for vector search do not happen here. In parentheses, titles name
// the library and its failure or issue. The failures were found by running the libraries or in their issue trackers.
import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {setImmediate as eventLoopTick} from 'node:timers/promises';
import test from 'ava';
import {FlatIndex, HnswIndex, RetrievalError} from '../../ts/index.ts';
import {highestOfThreeCounts} from '../support/event-loop.ts';
import {best, during, folder, idsOf, kinds, names, random, row, slice, vectors} from '../support/vectors.ts';

for (const [kind, {make, open}] of Object.entries(kinds)) {
	test(`${kind}: a query that is a view with an offset is read from that offset (usearch ignores byteOffset)`, async t => {
		const index = make(2);
		await index.add(['x', 'y'], vectors(2, [1, 0], [0, 1]));
		const both = Float32Array.of(1, 0, 0, 1);
		t.is((await index.search(both.subarray(0, 2), {k: 1}))[0]!.id, 'x');
		t.is((await index.search(both.subarray(2), {k: 1}))[0]!.id, 'y');
		t.is((await index.search(new Float32Array(both.buffer, 8, 2), {k: 1}))[0]!.id, 'y');
	});

	test(`${kind}: a truncated file is refused, whatever its length (usearch: the process aborts)`, async t => {
		const path = join(await folder(t), 'index');
		const index = make(4);
		await index.add(names(40), random(40, 4));
		await index.save(path);
		const intact = await readFile(path);
		for (let length = 0; length < intact.length; length += 61) {
			await writeFile(path, intact.subarray(0, length));
			const error = await t.throwsAsync(open(path), {instanceOf: RetrievalError}, `cut to ${length}`);
			t.true(error.message.includes(path), error.message);
		}
	});

	test(`${kind}: a file with one flipped bit is refused, unless the bit is in padding (usearch: segmentation fault)`, async t => {
		const path = join(await folder(t), 'index');
		const index = make(4);
		await index.add(names(40), random(40, 4));
		await index.save(path);
		const intact = await readFile(path);
		const query = Float32Array.of(1, -1, 1, -1);
		const expected = await index.search(query);
		for (let at = 0; at < intact.length; at += 41) {
			const flipped = Buffer.from(intact);
			flipped[at]! ^= 1 << (at % 8);
			await writeFile(path, flipped);
			const result = await open(path).then(
				async opened => opened.search(query),
				(error: unknown) => error,
			);
			if (Array.isArray(result)) {
				t.deepEqual(result, expected, `byte ${at} is padding`);
			} else {
				t.true(result instanceof RetrievalError && ['ERR_INDEX_CORRUPT', 'ERR_INDEX_VERSION'].includes(result.code), String(result));
			}
		}
	});

	test(`${kind}: an opened index refuses vectors of another dimension (usearch, hnswlib-node: meaningless hits)`, async t => {
		const path = join(await folder(t), 'index');
		const index = make(4);
		await index.add(names(3), random(3, 4));
		await index.save(path);
		const opened = await open(path);
		t.is(opened.dim, 4);
		const wide = new Float32Array(768).fill(1);
		await t.throwsAsync(opened.search(wide), {code: 'ERR_DIMENSION', message: 'search: expected vectors of dimension 4, got 768 values'});
		await t.throwsAsync(opened.searchMany({data: wide, rows: 1, dim: 768}), {
			code: 'ERR_DIMENSION',
			message: 'searchMany: expected vectors of dimension 4, got 768',
		});
		await t.throwsAsync(opened.add(['x'], {data: wide, rows: 1, dim: 768}), {
			code: 'ERR_DIMENSION',
			message: 'add: expected vectors of dimension 4, got 768',
		});
		t.is(opened.size, 3);
	});

	test(`${kind}: NaN and infinities are refused with their row and column (usearch, hnswlib-node: accepted)`, async t => {
		const index = make(2);
		await index.add(['a'], vectors(2, [1, 1]));
		for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
			const shown = Number.isNaN(bad) ? 'NaN' : bad > 0 ? 'inf' : '-inf';
			/** Asserts that a call fails. `place` is the name of the call, as in the error message, then the position of the bad value. */
			const refused = async (work: Promise<unknown>, place: string): Promise<void> => {
				await t.throwsAsync(work, {
					code: 'ERR_ARGUMENT',
					message: `${place.split(' ')[0]!}: expected finite numbers, got ${shown} ${place.slice(place.indexOf(' ') + 1)}`,
				});
			};
			await refused(index.search(Float32Array.of(1, bad)), 'search at row 0, column 1');
			await refused(index.searchMany(vectors(2, [1, 1], [bad, 1])), 'search at row 1, column 0');
			const many = random(300, 2);
			many.data[599] = bad;
			await refused(index.searchMany(many), 'search at row 299, column 1');
			await refused(index.add(['b', 'c'], vectors(2, [1, 1], [1, bad])), 'add at row 1, column 1');
			await refused(index.update(['a'], vectors(2, [bad, 1])), 'update at row 0, column 0');
		}
		t.is(index.size, 1);
		t.deepEqual(await index.get('a'), Float32Array.of(1, 1));
	});

	test(`${kind}: a Float32Array is accepted (hnswlib-node: refused)`, async t => {
		const index = make(2);
		await index.add(['a'], {data: Float32Array.of(3, 4), rows: 1, dim: 2});
		t.deepEqual(await index.search(Float32Array.of(1, 1)), [{id: 'a', score: 7}]);
	});

	test(`${kind}: adding and searching do not block the event loop (usearch, hnswlib-node: synchronous)`, async t => {
		const rows = kind === 'flat' ? 60_000 : 8000;
		const data = random(rows, 96);
		const queries = slice(data, 0, kind === 'flat' ? 500 : 8000);
		// Counts the event-loop ticks during a call: two or three if the call blocks the event loop.
		const ticksDuring = async (call: () => Promise<unknown>): Promise<number> =>
			highestOfThreeCounts(20, async () => {
				let ticks = 0;
				await during(call(), async () => {
					ticks++;
					await eventLoopTick();
				});
				return ticks;
			});
		let index = make(96);
		const added = await ticksDuring(async () => {
			index = make(96);
			return index.add(names(rows), data);
		});
		const searched = await ticksDuring(async () => index.searchMany(queries, {k: 10}));
		t.log(`${added} ticks while adding, ${searched} while searching`);
		t.true(added > 20 && searched > 20, `${added} and ${searched} ticks`);
	});

	test(`${kind}: a filter that throws rejects only its own call (hnswlib-node #132: the process aborts)`, async t => {
		const index = make(1);
		await index.add(['a', 'b'], vectors(1, [2], [1]));
		const thrown = new RangeError('error of the predicate');
		const where = (): boolean => {
			throw thrown;
		};
		t.is(await t.throwsAsync(index.search(Float32Array.of(1), {filter: {where}})), thrown);
		t.deepEqual(idsOf(await index.search(Float32Array.of(1))), ['a', 'b']);
	});

	test(`${kind}: an index has no fixed capacity (hnswlib-node: fixed)`, async t => {
		const index = make(4);
		for (let from = 0; from < 3000; from += 250) {
			await index.add(names(250, from), random(250, 4, from + 1));
		}
		t.is(index.size, 3000);
		t.is((await index.search(Float32Array.of(1, 1, 1, 1), {k: 3000})).length, 3000);
	});

	test(`${kind}: the memory of deleted vectors is freed (hnswlib-node: never)`, async t => {
		const index = make(32);
		const data = random(1000, 32);
		await index.add(names(1000), data);
		const memoryBefore = index.memoryBytes;
		for (let round = 0; round < 5; round++) {
			await index.delete(names(1000));
			await index.add(names(1000), data);
			await index.compact();
		}
		t.true(index.memoryBytes <= 1.5 * memoryBefore, `${memoryBefore} bytes, then ${index.memoryBytes}`);
	});

	test(`${kind}: the highest inner products are found even if norms differ by a factor of 1,000 (@ruvector/core: recall 0.006)`, async t => {
		const data = random(4000, 32, 8);
		// Scales each vector by a random factor from 1 to 1,000.
		for (let i = 0; i < data.rows; i++) {
			const factor = 10 ** (3 * Math.abs(row(random(1, 1, i + 1), 0)[0]!));
			row(data, i).forEach((x, column) => {
				data.data[i * 32 + column] = x * factor;
			});
		}
		const index = make(32);
		await index.add(names(4000), data);
		let foundCount = 0;
		for (let q = 0; q < 20; q++) {
			const query = row(random(20, 32, 77), q);
			const hits = idsOf(await index.search(query, {k: 10}));
			const expected = best(data, query, 10);
			foundCount += hits.filter(id => expected.includes(id)).length;
		}
		t.true(foundCount >= 190, `recall@10 of ${foundCount / 200}`);
	});

	test(`${kind}: k may exceed efSearch (LanceDB: an error at query time)`, async t => {
		const index = make(8);
		const data = random(3000, 8);
		await index.add(names(3000), data);
		for (const efSearch of [1, 10, 50]) {
			const hits = await index.search(row(data, 0), {k: 100, ...(index instanceof HnswIndex && {efSearch})});
			t.is(hits.length, 100);
		}
	});

	test(`${kind}: a filtered search returns k hits if the filter allows at least k vectors (LanceDB #2761, #2762, #3095)`, async t => {
		const index = make(8);
		const data = random(5000, 8);
		await index.add(names(5000), data);
		const query = row(random(1, 8, 3), 0);
		for (const divisor of [2, 50, 500]) {
			const allowed = (id: string): boolean => Number(id.slice(1)) % divisor === 1;
			const hits = idsOf(await index.search(query, {k: 10, filter: {where: allowed}}));
			t.is(hits.length, 10);
			t.true(hits.every(allowed), 'every hit is allowed by the filter');
			const others = idsOf(await index.search(query, {k: 10, filter: {not: {where: allowed}}}));
			t.false(others.some(allowed));
		}
	});

	test(`${kind}: null and undefined are refused, and empty lists are accepted (chroma #6979: segmentation fault)`, async t => {
		const index = make(2);
		t.deepEqual(await index.search(Float32Array.of(1, 1)), []);
		t.deepEqual(await index.searchMany(vectors(2)), []);
		await index.add([], vectors(2));
		await index.update([], vectors(2));
		t.is(await index.delete([]), 0);
		await index.compact();
		await index.save(join(await folder(t), 'index'));
		await index.add(['a'], vectors(2, [1, 1]));
		await index.delete(['a']);
		await index.compact();
		t.deepEqual(await index.search(Float32Array.of(1, 1)), []);
		for (const nothing of [null, undefined]) {
			const none = nothing as never;
			/** Asserts that a call fails with this message, in which `?` stands for the value. */
			const refused = async (work: Promise<unknown>, message: string): Promise<void> => {
				await t.throwsAsync(work, {instanceOf: RetrievalError, code: 'ERR_ARGUMENT', message: message.replace('?', String(nothing))});
			};
			await refused(index.search(none), 'search: expected a Float32Array, got ?');
			await refused(index.searchMany(none), 'searchMany: expected {data, rows, dim}, got ?');
			await refused(index.add(none, vectors(2)), 'add: ids: expected an array of strings, got ?');
			await refused(index.add(['a'], none), 'add: expected {data, rows, dim}, got ?');
			await refused(index.add([none], vectors(2, [1, 1])), 'add: ids[0]: expected a string, got ?');
			await refused(index.delete(none), 'delete: ids: expected an array of strings, got ?');
			await refused(index.save(none), 'save: path: expected a string, got ?');
		}
	});
}

test('calls finish even if their index is garbage-collected while they run', async t => {
	const data = random(3000, 32);
	const searches: Promise<unknown>[] = [];
	for (let round = 0; round < 10; round++) {
		const index = new FlatIndex({dim: 32});
		await index.add(names(3000), data);
		searches.push(index.searchMany(slice(data, 0, 64), {k: 5}), index.search(row(data, round), {onProgress() {}}));
	}
	globalThis.gc?.();
	t.is((await Promise.all(searches)).length, 20);
});
