// Soak test: searches dense indexes while rows are added, updated, deleted and saved, for each kind of index in turn. Measures
// event-loop delay and memory, and counts rows that are lost or have a wrong vector. A control process without passagekit runs at the
// same time: its event-loop delays are those that the machine causes. In the names of results, a "turn" is one iteration of the event
// loop, and a "stall" is an iteration longer than 5 ms (see ../support/event-loop-monitor.ts).
//
// PASSAGEKIT_SOAK_SECONDS (default 150) sets the duration for each kind of index.
import assert from 'node:assert/strict';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {FlatIndex, HnswIndex, type Vectors} from '../../ts/index.ts';
import type {Benchmark} from '../support/benchmark.ts';
import {startControlProcess} from '../support/control-process.ts';
import {type Distribution, EventLoopMonitor, distribution} from '../support/event-loop-monitor.ts';

const SECONDS = Number(process.env['PASSAGEKIT_SOAK_SECONDS'] ?? 150);
const DIM = 384;
/** Minimum number of rows in the index at the start. Later, the number varies between about half and one and a half times this. */
const ROWS = 20_000;
/** Number of vectors in the pool, from which the vectors of all rows are taken. */
const POOL = 40_000;
/** Upper bound on the number of ids that are ever added to one index. */
const MAX_IDS = 4_000_000;
/** Number of search loops that run concurrently. */
const SEARCHERS = 3;

type Index = FlatIndex | HnswIndex;

/** A kind of index. */
interface Kind {
	readonly make: () => Index;
	readonly open: (path: string) => Promise<Index>;
	/** Maximum relative error of a stored number: 0, or for float16, 2⁻¹¹, which is the error of rounding to the nearest number. */
	readonly maxRelativeError: number;
}

const flat = (storage: 'f32' | 'f16' | 'int8Rescored', maxRelativeError: number): Kind => ({
	make: () => new FlatIndex({dim: DIM, storage}),
	open: async path => FlatIndex.open(path),
	maxRelativeError,
});

const kinds: Readonly<Record<string, Kind>> = {
	'flat f32': flat('f32', 0),
	'flat f16': flat('f16', 2 ** -11),
	'flat int8Rescored': flat('int8Rescored', 0),
	hnsw: {
		make: () => new HnswIndex({dim: DIM, m: 16, efConstruction: 80}),
		open: async path => HnswIndex.open(path),
		maxRelativeError: 0,
	},
};

export const soak: Benchmark = async say => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-soak-'));
	const pool = new Float32Array(POOL * DIM);
	for (let at = 0, state = 1; at < pool.length; at++) {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		// No number is small enough to be subnormal as float16; subnormal numbers have a larger relative error.
		pool[at] = (state / 2 ** 32 + 0.01) * (state & 1024 ? 1 : -1);
	}
	const figures: Record<string, unknown> = {};
	try {
		for (const [name, kind] of Object.entries(kinds)) {
			const control = await startControlProcess();
			const result = await testIndex(kind, pool, join(folder, 'index'));
			const report = {...result, control: await control.stop()};
			figures[name] = report;
			const {turnMs, withoutCollectorMs, residentMiB, searches} = report;
			const shown = (ms: Distribution): string => [ms.p50, ms.p99, ms.p999, ms.most].map(value => value.toFixed(2)).join(' / ');
			say(
				`${name.padEnd(18)} event-loop iterations, p50 / p99 / p99.9 / max: ${shown(turnMs)} ms, without garbage collection ${shown(withoutCollectorMs)} ms, ${report.stalls} above 5 ms`,
			);
			say(`${' '.repeat(18)} those of the control process: ${shown(report.control.turnMs)} ms, ${report.control.stalls} above 5 ms`);
			say(`${' '.repeat(18)} ${searches} searches, ${report.rowsLost} rows lost, ${residentMiB.join(' ')} MiB`);
		}
	} finally {
		await rm(folder, {recursive: true, force: true});
	}
	return {seconds: SECONDS, dim: DIM, rows: ROWS, figures};
};

/** Changes and searches one index for `SECONDS` seconds. `pool` has the vectors of the rows, and `path` is where the index is saved. */
async function testIndex(kind: Kind, pool: Float32Array, path: string) {
	let index = kind.make();
	/** Ids in the index, in no particular order. */
	const liveIds: number[] = [];
	/** For each id, the position of its vector in the pool. */
	const vectorOf = new Int32Array(MAX_IDS);
	let nextId = 0;
	let state = 7;
	/** Returns a random integer from 0 to `bound - 1`, from a linear congruential generator. */
	const randomBelow = (bound: number): number => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * bound);
	};
	const name = (id: number): string => `passage-${id}`;
	/** Measures event-loop delay. `exclude` leaves out the work of the test itself, and `note` records what happened in an iteration. */
	const monitor = new EventLoopMonitor();
	const names = (ids: readonly number[]): string[] => monitor.exclude(() => ids.map(name));
	const newIds = (count: number): number[] => monitor.exclude(() => Array.from({length: count}, () => nextId++));
	/** Returns consecutive vectors of the pool, without a copy. */
	const vectors = (first: number, rows: number): Vectors => ({data: pool.subarray(first * DIM, (first + rows) * DIM), rows, dim: DIM});
	/** Records that the ids have consecutive vectors of the pool, starting at position `first`. */
	const setVectors = (ids: readonly number[], first: number): void =>
		monitor.exclude(() => ids.forEach((id, at) => (vectorOf[id] = first + at)));
	/** Returns up to `max` consecutive entries of `liveIds`. */
	const someIds = (max: number): number[] => {
		const first = randomBelow(Math.max(1, liveIds.length - max));
		return liveIds.slice(first, first + 1 + randomBelow(max));
	};

	/** Whether the vector at `dataOffset` in `data` equals the one at `poolOffset` in the pool, up to the index's rounding error. */
	const isSame = (data: Float32Array, dataOffset: number, poolOffset: number): boolean => {
		for (let column = 0; column < DIM; column++) {
			const stored = data[dataOffset + column]!;
			if (Math.abs(stored - pool[poolOffset + column]!) > kind.maxRelativeError * Math.abs(stored)) {
				return false;
			}
		}
		return true;
	};

	let rowsLost = 0;
	/** Reads the vectors of the ids from the index, and counts the wrong ones as lost rows. */
	const compare = async (ids: readonly number[]): Promise<void> => {
		for (let from = 0; from < ids.length; from += 500) {
			const slice = ids.slice(from, from + 500);
			const {data} = await index.vectors(names(slice));
			monitor.note('vectors');
			rowsLost += monitor.exclude(() => slice.reduce((lost, id, at) => lost + (isSame(data, at * DIM, vectorOf[id]! * DIM) ? 0 : 1), 0));
		}
	};

	/** The operations of the writer, by name. Some of them only read or save the index. */
	const changes: Readonly<Record<string, () => Promise<void>>> = {
		async add() {
			const ids = newIds(1 + randomBelow(4000));
			const first = randomBelow(POOL - ids.length);
			await index.add(names(ids), vectors(first, ids.length));
			setVectors(ids, first);
			liveIds.push(...ids);
		},
		async update() {
			const ids = someIds(1000);
			const first = randomBelow(POOL - ids.length);
			await index.update(names(ids), vectors(first, ids.length));
			setVectors(ids, first);
		},
		async delete() {
			const first = randomBelow(Math.max(1, liveIds.length - 3000));
			const ids = liveIds.splice(first, 1 + randomBelow(3000));
			assert.equal(await index.delete(names(ids)), ids.length);
		},
		/** Starts to add rows, and aborts after 0 to 14 ms. If that was too late, all of the rows are in the index; otherwise, none are. */
		async abort() {
			const ids = newIds(3000);
			const controller = new AbortController();
			const adding = index.add(names(ids), vectors(0, ids.length), {signal: controller.signal});
			setTimeout(() => controller.abort(new Error('stopped')), randomBelow(15));
			try {
				await adding;
			} catch (error) {
				assert.equal((error as Error).message, 'stopped');
				return;
			}
			setVectors(ids, 0);
			liveIds.push(...ids);
		},
		async save() {
			await index.save(path);
		},
		async reopen() {
			await index.save(path);
			const old = index;
			index = await kind.open(path);
			old.close();
		},
		async compact() {
			await index.compact();
		},
		/** Reads all ids, and counts missing and surplus ids as lost rows. */
		async ids() {
			let count = 0;
			for await (const id of index.ids()) {
				count += id.length > 0 ? 1 : 0;
			}
			rowsLost += Math.abs(liveIds.length - count);
		},
	};
	/** The names of the changes, each repeated as often as its weight says. `write` draws from this list. */
	const weighted = Object.entries({add: 8, update: 6, delete: 6, abort: 1, save: 2, reopen: 1, compact: 1, ids: 2}).flatMap(
		([change, weight]) => Array<string>(weight).fill(change),
	);

	while (liveIds.length < ROWS) {
		await changes['add']!();
	}
	const began = performance.now();
	const end = began + SECONDS * 1000;
	const done: Record<string, number> = {};
	const searchTimes: number[] = [];
	const residentMiB: number[] = [];
	monitor.start();

	const write = async (): Promise<void> => {
		while (performance.now() < end) {
			const change = liveIds.length < ROWS / 2 ? 'add' : liveIds.length > ROWS * 1.5 ? 'delete' : weighted[randomBelow(weighted.length)]!;
			monitor.note(`${change} begins`);
			await changes[change]!();
			monitor.note(`${change} is done`);
			done[change] = (done[change] ?? 0) + 1;
			rowsLost += Math.abs(index.size - liveIds.length);
			await compare(someIds(200));
		}
	};
	const search = async (): Promise<void> => {
		while (performance.now() < end) {
			const query = pool.subarray(randomBelow(POOL) * DIM).subarray(0, DIM);
			const start = performance.now();
			// Every 16th search has a filter.
			const filtered = searchTimes.length % 16 === 0 && liveIds.length > 0;
			try {
				const hits = await index.search(query, filtered ? {k: 10, filter: {ids: names(someIds(500))}} : {k: 10});
				assert.ok(filtered || hits.length === 10);
			} catch (error) {
				// The index was closed during the search, because `reopen` opened the saved one in its place.
				assert.equal((error as {code?: string}).code, 'ERR_CLOSED');
				continue;
			}
			monitor.note(filtered ? 'filtered search' : 'search');
			searchTimes.push(performance.now() - start);
			await sleep(1);
		}
	};
	const searchMany = async (): Promise<void> => {
		while (performance.now() < end) {
			const first = randomBelow(POOL - 300);
			try {
				const lists = await index.searchMany(vectors(first, 300), {k: 100});
				assert.equal(lists.length, 300);
			} catch (error) {
				assert.equal((error as {code?: string}).code, 'ERR_CLOSED');
			}
			monitor.note('searchMany');
			await sleep(50);
		}
	};
	const sampleMemory = async (): Promise<void> => {
		while (performance.now() < end) {
			residentMiB.push(process.memoryUsage.rss() / 2 ** 20);
			await sleep(250);
		}
	};
	await Promise.all([write(), searchMany(), sampleMemory(), ...Array.from({length: SEARCHERS}, search)]);
	const eventLoop = await monitor.stop();
	await compare(liveIds);
	index.close();
	const tenthLength = residentMiB.length / 10;
	return {
		...eventLoop,
		searches: searchTimes.length,
		searchMs: distribution(searchTimes),
		changes: done,
		rowsLost,
		/** The minimum in each tenth of the duration. */
		residentMiB: Array.from({length: 10}, (_, tenth) =>
			Math.round(Math.min(...residentMiB.slice(Math.floor(tenth * tenthLength), Math.max(1, Math.floor((tenth + 1) * tenthLength))))),
		),
	};
}
