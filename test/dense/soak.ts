// Runs a random mix of changes and searches on one dense index and compares it with a Map of the expected content.
import assert from 'node:assert/strict';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {setImmediate as turn, setTimeout as sleep} from 'node:timers/promises';
import {FlatIndex, HnswIndex, type Vectors} from '../../ts/index.ts';
import {random} from '../support/vectors.ts';

export interface SoakReport {
	readonly seconds: number;
	readonly changes: Readonly<Record<string, number>>;
	readonly searches: number;
	/** Minimum resident memory in each tenth of the run, in MiB. */
	readonly residentMiB: readonly number[];
	readonly rows: number;
}

const DIM = 48;
const ROWS = 4000;
const SEARCHERS = 3;
/** Minimum number of searches. */
const SEARCHES = 100;
const K = 10;

type Index = FlatIndex | HnswIndex;

/** The vector of an id in a given version. It is deterministic. */
function vector(id: number, version: number): Float32Array {
	return random(1, DIM, id * 7919 + version * 104_729 + 1).data.map(x => x * (1 + (id % 5)));
}

/**
Applies pseudorandom changes to the index, one after another, while concurrent searchers query it, for at least the given
number of seconds. Throws if the index and the map differ. On a slow machine it continues until every kind of change and
`SEARCHES` searches were made.
*/
export async function soak(kind: 'flat' | 'hnsw', seconds: number, folder: string): Promise<SoakReport> {
	const path = join(folder, kind);
	const open = async (): Promise<Index> => (kind === 'flat' ? FlatIndex.open(path) : HnswIndex.open(path));
	let index: Index = kind === 'flat' ? new FlatIndex({dim: DIM}) : new HnswIndex({dim: DIM, m: 8, efConstruction: 40});
	/** Id → version of its vector. */
	const model = new Map<number, number>();
	/** Id → number of the change that deleted it. */
	const gone = new Map<number, number>();
	const dice = random(1 << 16, 1, seconds).data;
	let thrown = 0;
	const roll = (sides: number): number => Math.min(sides - 1, Math.floor(((dice[thrown++ % dice.length]! + 1) / 2) * sides));
	const began = performance.now();
	const end = began + seconds * 1000;
	let change = 0;
	let next = 0;
	const state = {failed: false, over: false};
	const changes: Record<string, number> = {};
	let searches = 0;

	/** Prepares ids and vectors. Yields to the event loop regularly, so that searches run in between. */
	const put = async (ids: readonly number[], versions: readonly number[]): Promise<[string[], Vectors]> => {
		const data = new Float32Array(ids.length * DIM);
		for (const [i, id] of ids.entries()) {
			data.set(vector(id, versions[i]!), i * DIM);
			if (i % 50 === 49) {
				await turn();
			}
		}
		return [ids.map(id => `p${id}`), {data, rows: ids.length, dim: DIM}];
	};
	const some = (most: number): number[] => {
		const all = [...model.keys()];
		const first = roll(Math.max(1, all.length));
		return all.slice(first, first + 1 + roll(most));
	};
	const remember = (ids: readonly number[], versions: readonly number[]): void => ids.forEach((id, i) => model.set(id, versions[i]!));

	const kinds: Record<string, () => Promise<void>> = {
		async add() {
			const ids = Array.from({length: 1 + roll(400)}, () => next++);
			const versions = ids.map(() => 0);
			await index.add(...(await put(ids, versions)));
			remember(ids, versions);
		},
		async update() {
			const ids = some(100);
			const versions = ids.map(id => model.get(id)! + 1);
			await index.update(...(await put(ids, versions)));
			remember(ids, versions);
		},
		async upsert() {
			const ids = [...some(30), next++, next++];
			const versions = ids.map(id => (model.get(id) ?? -1) + 1);
			await index.update(...(await put(ids, versions)), {upsert: true});
			remember(ids, versions);
		},
		async delete() {
			const ids = some(300);
			assert.equal(await index.delete([...ids.map(id => `p${id}`), 'nobody']), ids.length);
			for (const id of ids) {
				model.delete(id);
				gone.set(id, change);
			}
		},
		async abort() {
			const ids = Array.from({length: 1500}, () => next++);
			const versions = ids.map(() => 0);
			const [names, data] = await put(ids, versions);
			const controller = new AbortController();
			const adding = index.add(names, data, {signal: controller.signal});
			const timer = setTimeout(() => controller.abort(new Error('enough')), roll(20));
			try {
				await adding;
				remember(ids, versions);
			} catch (error) {
				assert.equal((error as Error).message, 'enough');
			} finally {
				clearTimeout(timer);
			}
		},
		async refuse() {
			const [id] = some(1);
			if (id !== undefined) {
				await assert.rejects(index.add(...(await put([next++, id], [0, 0]))), {code: 'ERR_DUPLICATE_ID'});
			}
		},
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
		async abandon() {
			// The index may be garbage-collected during the search.
			const lost = new FlatIndex({dim: DIM});
			await lost.add(...(await put([1, 2, 3], [0, 0, 0])));
			void lost.searchMany({data: new Float32Array(200 * DIM).fill(1), rows: 200, dim: DIM}, {k: 3});
		},
	};
	const chances = Object.entries({add: 8, update: 5, upsert: 3, delete: 5, abort: 1, refuse: 1, reopen: 1, compact: 1, abandon: 2}).flatMap(
		([name, count]) => Array<string>(count).fill(name),
	);

	/** Compares a few vectors with the map, and every 50 changes all of them. */
	const compare = async (): Promise<void> => {
		assert.equal(index.size, model.size, 'wrong number of rows');
		const all = change % 50 === 0;
		const ids = all ? [...model.keys()] : some(5);
		for (let from = 0; from < ids.length; from += 50) {
			const slice = ids.slice(from, from + 50);
			const [names, {data}] = await put(
				slice,
				slice.map(id => model.get(id)!),
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
				assert.ok(model.has(Number(id.slice(1))), id);
				seen.add(id);
			}
			assert.equal(seen.size, model.size);
		}
		const [id] = ids;
		if (id !== undefined) {
			const [hit] = await index.search(vector(id, model.get(id)!), {k: 1, filter: {ids: [`p${id}`]}});
			assert.equal(hit?.id, `p${id}`);
		}
		for (const [id, when] of gone) {
			if (when < change - 50) {
				gone.delete(id);
			}
		}
	};

	const write = async (): Promise<void> => {
		const done = (): boolean =>
			performance.now() > end && searches >= SEARCHES && Object.keys(changes).length === Object.keys(kinds).length;
		while (!state.failed && !done()) {
			const name = model.size < ROWS / 2 ? 'add' : model.size > ROWS ? 'delete' : chances[roll(chances.length)]!;
			await kinds[name]!();
			changes[name] = (changes[name] ?? 0) + 1;
			change++;
			await compare();
		}
		state.over = true;
	};

	const search = async (searcher: number): Promise<void> => {
		for (let round = 0; !state.over && !state.failed; round++) {
			const before = change;
			const least = model.size;
			const query = vector(roll(next + 1), 0);
			let hits;
			try {
				hits = await (round % 4 === 3 ? index.search(query, {k: K, onProgress() {}}) : index.search(query, {k: K}));
			} catch (error) {
				// The index was closed because another one was opened in its place.
				assert.equal((error as {code?: string}).code, 'ERR_CLOSED');
				continue;
			}
			searches++;
			// Fewer hits are allowed only if the index was changed during the search.
			assert.ok(hits.length === K || least < K || change !== before || model.size !== least, `${hits.length} hits of ${least}`);
			hits.forEach(({id, score}, i) => {
				assert.ok((gone.get(Number(id.slice(1))) ?? Number.POSITIVE_INFINITY) >= before, `${id} was deleted before`);
				assert.ok(i === 0 || hits[i - 1]!.score >= score);
			});
			if (round % 16 === searcher) {
				await sleep(1);
			}
		}
	};

	const resident: number[] = [];
	const watch = async (): Promise<void> => {
		while (!state.over && !state.failed) {
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
	const share = resident.length / 10;
	return {
		seconds: (performance.now() - began) / 1000,
		changes,
		searches,
		residentMiB: Array.from({length: 10}, (_, tenth) =>
			Math.round(Math.min(...resident.slice(Math.floor(tenth * share), Math.max(1, Math.floor((tenth + 1) * share))))),
		),
		rows: model.size,
	};
}
