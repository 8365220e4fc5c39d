// A soak test: runs a random mix of changes and searches on one dense index for some time, and compares the index with a
// `Map` of its expected content. `soak.test.ts` runs it.
import assert from 'node:assert/strict';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {setImmediate as eventLoopTick, setTimeout as sleep} from 'node:timers/promises';
import {FlatIndex, HnswIndex, type Vectors} from '../../ts/index.ts';
import {random} from '../support/vectors.ts';

/** What a soak test did and measured. */
export interface SoakReport {
	/** How long the test ran. */
	readonly seconds: number;
	/** Name of the operation → number of times that it ran. */
	readonly changes: Readonly<Record<string, number>>;
	/** Number of searches that completed. */
	readonly searches: number;
	/** Minimum resident memory in each tenth of the duration, in MiB. */
	readonly residentMiB: readonly number[];
	/** Number of vectors at the end. */
	readonly rows: number;
}

const DIM = 48;
/**
If the index has more rows than this, the next operation is a deletion; if it has fewer than half of them, it is an
addition. In between, every operation is possible.
*/
const MAX_ROWS = 4000;
/** Number of searchers: loops that run concurrently and search again and again. */
const SEARCHERS = 3;
/** Number of searches that must have completed before the test ends. */
const MIN_SEARCHES = 100;
/** Number of hits that each search requests. */
const K = 10;

type Index = FlatIndex | HnswIndex;

/**
Returns the vector of an id in a given version. The same arguments give the same vector. An update of an id increments its
version. The seed combines id and version with primes, so that different pairs rarely have the same seed. Vectors are
scaled by factors of 1 to 5, so that their norms differ.
*/
function vector(id: number, version: number): Float32Array {
	return random(1, DIM, id * 7919 + version * 104_729 + 1).data.map(x => x * (1 + (id % 5)));
}

/**
Applies pseudorandom operations to an index, one after another, while concurrent searchers query it. Throws if the content of
the index differs from the expected one. Runs for at least the given number of seconds, and until every kind of operation and
at least `MIN_SEARCHES` searches have run.
*/
export async function soak(kind: 'flat' | 'hnsw', seconds: number, folder: string): Promise<SoakReport> {
	const path = join(folder, kind);
	const open = async (): Promise<Index> => (kind === 'flat' ? FlatIndex.open(path) : HnswIndex.open(path));
	let index: Index = kind === 'flat' ? new FlatIndex({dim: DIM}) : new HnswIndex({dim: DIM, m: 8, efConstruction: 40});
	/** Maps each id of the index to the version of its vector. */
	const expected = new Map<number, number>();
	/** Maps each recently deleted id to the value of `operationCount` when the id was deleted. */
	const deleted = new Map<number, number>();
	// The duration serves as the seed.
	const randomValues = random(1 << 16, 1, seconds).data;
	let drawn = 0;
	/** Returns a pseudorandom integer from 0 to `limit` - 1. */
	const randomBelow = (limit: number): number =>
		Math.min(limit - 1, Math.floor(((randomValues[drawn++ % randomValues.length]! + 1) / 2) * limit));
	const began = performance.now();
	const end = began + seconds * 1000;
	/** Number of operations that have finished. */
	let operationCount = 0;
	let nextId = 0;
	const state = {failed: false, finished: false};
	const changes: Record<string, number> = {};
	let searches = 0;

	/** Makes the arguments of an addition or update. Yields to the event loop every 50 vectors, so that searches can run. */
	const argumentsFor = async (ids: readonly number[], versions: readonly number[]): Promise<[string[], Vectors]> => {
		const data = new Float32Array(ids.length * DIM);
		for (const [i, id] of ids.entries()) {
			data.set(vector(id, versions[i]!), i * DIM);
			if (i % 50 === 49) {
				await eventLoopTick();
			}
		}
		return [ids.map(id => `p${id}`), {data, rows: ids.length, dim: DIM}];
	};
	/** Returns 1 to `maxCount` ids of the index, or none if the index is empty. */
	const someIds = (maxCount: number): number[] => {
		const all = [...expected.keys()];
		const first = randomBelow(Math.max(1, all.length));
		return all.slice(first, first + 1 + randomBelow(maxCount));
	};
	/** Records vectors that the index now has. */
	const remember = (ids: readonly number[], versions: readonly number[]): void => ids.forEach((id, i) => expected.set(id, versions[i]!));

	/** The operations, each of which also updates `expected`. */
	const operations: Record<string, () => Promise<void>> = {
		async add() {
			const ids = Array.from({length: 1 + randomBelow(400)}, () => nextId++);
			const versions = ids.map(() => 0);
			await index.add(...(await argumentsFor(ids, versions)));
			remember(ids, versions);
		},
		async update() {
			const ids = someIds(100);
			const versions = ids.map(id => expected.get(id)! + 1);
			await index.update(...(await argumentsFor(ids, versions)));
			remember(ids, versions);
		},
		async upsert() {
			const ids = [...someIds(30), nextId++, nextId++];
			const versions = ids.map(id => (expected.get(id) ?? -1) + 1);
			await index.update(...(await argumentsFor(ids, versions)), {upsert: true});
			remember(ids, versions);
		},
		async delete() {
			const ids = someIds(300);
			assert.equal(await index.delete([...ids.map(id => `p${id}`), 'nobody']), ids.length);
			for (const id of ids) {
				expected.delete(id);
				deleted.set(id, operationCount);
			}
		},
		/** Adds vectors and aborts the call after at most 19 ms. The call may have finished by then. */
		async abort() {
			const ids = Array.from({length: 1500}, () => nextId++);
			const versions = ids.map(() => 0);
			const [names, data] = await argumentsFor(ids, versions);
			const controller = new AbortController();
			const adding = index.add(names, data, {signal: controller.signal});
			const timer = setTimeout(() => controller.abort(new Error('enough')), randomBelow(20));
			try {
				await adding;
				remember(ids, versions);
			} catch (error) {
				assert.equal((error as Error).message, 'enough');
			} finally {
				clearTimeout(timer);
			}
		},
		/** Tries to add an id that the index already has. */
		async refuse() {
			const [id] = someIds(1);
			if (id !== undefined) {
				await assert.rejects(index.add(...(await argumentsFor([nextId++, id], [0, 0]))), {code: 'ERR_DUPLICATE_ID'});
			}
		},
		/** Saves the index, opens the file, and replaces the index with the opened one. */
		async reopen() {
			await index.save(path);
			const old = index;
			index = await open();
			// Searches on the old index may still be running.
			old.close();
		},
		async compact() {
			await index.compact();
		},
		/** Starts a search of another index and drops all references to it, so that it may be garbage-collected during the search. */
		async abandon() {
			const abandoned = new FlatIndex({dim: DIM});
			await abandoned.add(...(await argumentsFor([1, 2, 3], [0, 0, 0])));
			void abandoned.searchMany({data: new Float32Array(200 * DIM).fill(1), rows: 200, dim: DIM}, {k: 3});
		},
	};
	/** The names of the operations, each repeated as many times as its relative frequency. */
	const weightedNames = Object.entries({
		add: 8,
		update: 5,
		upsert: 3,
		delete: 5,
		abort: 1,
		refuse: 1,
		reopen: 1,
		compact: 1,
		abandon: 2,
	}).flatMap(([name, count]) => Array<string>(count).fill(name));

	/** Compares the index with `expected`: a few vectors or, after every 50th operation, all vectors and ids. */
	const compare = async (): Promise<void> => {
		assert.equal(index.size, expected.size, 'wrong number of rows');
		const all = operationCount % 50 === 0;
		const ids = all ? [...expected.keys()] : someIds(5);
		for (let from = 0; from < ids.length; from += 50) {
			const slice = ids.slice(from, from + 50);
			const [names, {data}] = await argumentsFor(
				slice,
				slice.map(id => expected.get(id)!),
			);
			const stored = await index.vectors(names);
			assert.ok(
				stored.data.every((x, i) => x === data[i]),
				'wrong vector',
			);
		}
		if (all) {
			const seen = new Set<string>();
			for await (const id of index.ids()) {
				assert.ok(expected.has(Number(id.slice(1))), id);
				seen.add(id);
			}
			assert.equal(seen.size, expected.size);
		}
		const [id] = ids;
		if (id !== undefined) {
			const [hit] = await index.search(vector(id, expected.get(id)!), {k: 1, filter: {ids: [`p${id}`]}});
			assert.equal(hit?.id, `p${id}`);
		}
		for (const [id, when] of deleted) {
			if (when < operationCount - 50) {
				deleted.delete(id);
			}
		}
	};

	/** Applies operations until the test is done. */
	const write = async (): Promise<void> => {
		const done = (): boolean =>
			performance.now() > end && searches >= MIN_SEARCHES && Object.keys(changes).length === Object.keys(operations).length;
		while (!state.failed && !done()) {
			const name =
				expected.size < MAX_ROWS / 2 ? 'add' : expected.size > MAX_ROWS ? 'delete' : weightedNames[randomBelow(weightedNames.length)]!;
			await operations[name]!();
			changes[name] = (changes[name] ?? 0) + 1;
			operationCount++;
			await compare();
		}
		state.finished = true;
	};

	/** Searches again and again until `write` has finished. `searcher` is the number of the searcher, from 0. */
	const search = async (searcher: number): Promise<void> => {
		for (let round = 0; !state.finished && !state.failed; round++) {
			const operationsBefore = operationCount;
			const sizeBefore = expected.size;
			const query = vector(randomBelow(nextId + 1), 0);
			let hits;
			try {
				hits = await (round % 4 === 3 ? index.search(query, {k: K, onProgress() {}}) : index.search(query, {k: K}));
			} catch (error) {
				// The operation `reopen` replaced and closed the index.
				assert.equal((error as {code?: string}).code, 'ERR_CLOSED');
				continue;
			}
			searches++;
			// Fewer hits are allowed only if the index was changed during the search.
			assert.ok(
				hits.length === K || sizeBefore < K || operationCount !== operationsBefore || expected.size !== sizeBefore,
				`${hits.length} hits of ${sizeBefore}`,
			);
			hits.forEach(({id, score}, i) => {
				const deletedAt = deleted.get(Number(id.slice(1))) ?? Number.POSITIVE_INFINITY;
				assert.ok(deletedAt >= operationsBefore, `${id} was deleted before the search`);
				assert.ok(i === 0 || hits[i - 1]!.score >= score);
			});
			if (round % 16 === searcher) {
				await sleep(1);
			}
		}
	};

	/** The resident memory in MiB, every 100 ms. */
	const resident: number[] = [];
	const watch = async (): Promise<void> => {
		while (!state.finished && !state.failed) {
			resident.push(process.memoryUsage.rss() / 2 ** 20);
			await sleep(100);
		}
	};

	try {
		await Promise.all(
			[write(), watch(), ...Array.from({length: SEARCHERS}, async (_, searcher) => search(searcher))].map(async work =>
				work.catch((error: unknown) => {
					state.failed = true;
					throw error;
				}),
			),
		);
		await compare();
	} finally {
		index.close();
		await rm(path, {force: true});
	}
	/** Number of samples per tenth of the duration; not necessarily an integer. */
	const perTenth = resident.length / 10;
	return {
		seconds: (performance.now() - began) / 1000,
		changes,
		searches,
		residentMiB: Array.from({length: 10}, (_, tenth) =>
			Math.round(Math.min(...resident.slice(Math.floor(tenth * perTenth), Math.max(1, Math.floor((tenth + 1) * perTenth))))),
		),
		rows: expected.size,
	};
}
