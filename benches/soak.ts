// Mixed searches, additions, updates, deletions and saves on dense indexes. Measures event-loop delay and memory, and checks that no row is
// lost. A process without passagekit runs next to it: its delays are those of the machine.
import assert from 'node:assert/strict';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {FlatIndex, HnswIndex, type Vectors} from '../ts/index.ts';
import type {Benchmark} from './benchmark.ts';
import {control} from './control.ts';
import {TurnWatch, spread} from './turns.ts';

const SECONDS = Number(process.env['PASSAGEKIT_SOAK_SECONDS'] ?? 150);
const DIM = 384;
const ROWS = 20_000;
/** The number of different vectors that rows are drawn from. */
const POOL = 40_000;
const MOST_IDS = 4_000_000;
const SEARCHERS = 3;

type Index = FlatIndex | HnswIndex;

interface Kind {
	readonly make: () => Index;
	readonly open: (path: string) => Promise<Index>;
	/** The largest relative error of a stored number. */
	readonly rounding: number;
}

const flat = (storage: 'f32' | 'f16' | 'int8Filtered', rounding: number): Kind => ({
	make: () => new FlatIndex({dim: DIM, storage}),
	open: async path => FlatIndex.open(path),
	rounding,
});

export const kinds: Readonly<Record<string, Kind>> = {
	'flat f32': flat('f32', 0),
	'flat f16': flat('f16', 2 ** -11),
	'flat int8Filtered': flat('int8Filtered', 0),
	hnsw: {
		make: () => new HnswIndex({dim: DIM, m: 16, efConstruction: 80}),
		open: async path => HnswIndex.open(path),
		rounding: 0,
	},
};

export const soak: Benchmark = async say => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-soak-'));
	const pool = new Float32Array(POOL * DIM);
	for (let at = 0, state = 1; at < pool.length; at++) {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		// No number is small enough to be a subnormal half.
		pool[at] = (state / 2 ** 32 + 0.01) * (state & 1024 ? 1 : -1);
	}
	const figures: Record<string, unknown> = {};
	try {
		for (const [name, kind] of Object.entries(kinds)) {
			const beside = await control();
			const soak = await soaked(kind, pool, join(folder, 'index'));
			const report = {...soak, control: await beside.stop()};
			figures[name] = report;
			const {turnMs, withoutCollectorMs, residentMiB, searches} = report;
			const shown = (ms: {p50: number; p99: number; p999: number; most: number}): string =>
				[ms.p50, ms.p99, ms.p999, ms.most].map(value => value.toFixed(2)).join(' / ');
			say(`${name.padEnd(18)} turns ${shown(turnMs)} ms, without the collector ${shown(withoutCollectorMs)}, ${report.stalls} above 5 ms`);
			say(
				`${' '.repeat(18)} turns of a process without passagekit ${shown(report.control.turnMs)} ms, ${report.control.stalls} above 5 ms`,
			);
			say(`${' '.repeat(18)} ${searches} searches, ${report.rowsLost} rows lost, ${residentMiB.join(' ')} MiB`);
		}
	} finally {
		await rm(folder, {recursive: true, force: true});
	}
	return {seconds: SECONDS, dim: DIM, rows: ROWS, figures};
};

export async function soaked(kind: Kind, pool: Float32Array, path: string) {
	let index = kind.make();
	/** Ids in the index, in no order, and the vector of each. */
	const alive: number[] = [];
	const held = new Int32Array(MOST_IDS);
	let next = 0;
	let state = 7;
	const roll = (sides: number): number => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * sides);
	};
	const name = (id: number): string => `passage-${id}`;
	const watch = new TurnWatch();
	const names = (ids: readonly number[]): string[] => watch.own(() => ids.map(name));
	const fresh = (count: number): number[] => watch.own(() => Array.from({length: count}, () => next++));
	/** Consecutive vectors, without a copy. */
	const vectors = (first: number, rows: number): Vectors => ({data: pool.subarray(first * DIM, (first + rows) * DIM), rows, dim: DIM});
	const put = (ids: readonly number[], first: number): void => watch.own(() => ids.forEach((id, at) => (held[id] = first + at)));
	const some = (most: number): number[] => {
		const first = roll(Math.max(1, alive.length - most));
		return alive.slice(first, first + 1 + roll(most));
	};

	const same = (data: Float32Array, at: number, start: number): boolean => {
		for (let column = 0; column < DIM; column++) {
			const x = data[at + column]!;
			if (Math.abs(x - pool[start + column]!) > kind.rounding * Math.abs(x)) {
				return false;
			}
		}
		return true;
	};

	let rowsLost = 0;
	const compare = async (ids: readonly number[]): Promise<void> => {
		for (let from = 0; from < ids.length; from += 500) {
			const slice = ids.slice(from, from + 500);
			const {data} = await index.vectors(names(slice));
			watch.note('vectors');
			rowsLost += watch.own(() => slice.reduce((lost, id, at) => lost + (same(data, at * DIM, held[id]! * DIM) ? 0 : 1), 0));
		}
	};

	const changes: Readonly<Record<string, () => Promise<void>>> = {
		async add() {
			const ids = fresh(1 + roll(4000));
			const first = roll(POOL - ids.length);
			await index.add(names(ids), vectors(first, ids.length));
			put(ids, first);
			alive.push(...ids);
		},
		async update() {
			const ids = some(1000);
			const first = roll(POOL - ids.length);
			await index.update(names(ids), vectors(first, ids.length));
			put(ids, first);
		},
		async delete() {
			const first = roll(Math.max(1, alive.length - 3000));
			const ids = alive.splice(first, 1 + roll(3000));
			assert.equal(await index.delete(names(ids)), ids.length);
		},
		async abort() {
			const ids = fresh(3000);
			const controller = new AbortController();
			const adding = index.add(names(ids), vectors(0, ids.length), {signal: controller.signal});
			setTimeout(() => controller.abort(new Error('enough')), roll(15));
			try {
				await adding;
			} catch (error) {
				assert.equal((error as Error).message, 'enough');
				return;
			}
			put(ids, 0);
			alive.push(...ids);
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
		async ids() {
			let count = 0;
			for await (const id of index.ids()) {
				count += id.length > 0 ? 1 : 0;
			}
			rowsLost += Math.abs(alive.length - count);
		},
	};
	const chances = Object.entries({add: 8, update: 6, delete: 6, abort: 1, save: 2, reopen: 1, compact: 1, ids: 2}).flatMap(
		([change, count]) => Array<string>(count).fill(change),
	);

	while (alive.length < ROWS) {
		await changes['add']!();
	}
	const began = performance.now();
	const end = began + SECONDS * 1000;
	const done: Record<string, number> = {};
	const times: number[] = [];
	const resident: number[] = [];
	watch.start();

	const write = async (): Promise<void> => {
		while (performance.now() < end) {
			const change = alive.length < ROWS / 2 ? 'add' : alive.length > ROWS * 1.5 ? 'delete' : chances[roll(chances.length)]!;
			watch.note(`${change} begins`);
			await changes[change]!();
			watch.note(`${change} is done`);
			done[change] = (done[change] ?? 0) + 1;
			rowsLost += Math.abs(index.size - alive.length);
			await compare(some(200));
		}
	};
	const search = async (): Promise<void> => {
		while (performance.now() < end) {
			const query = pool.subarray(roll(POOL) * DIM).subarray(0, DIM);
			const start = performance.now();
			const filtered = times.length % 16 === 0 && alive.length > 0;
			try {
				const hits = await index.search(query, filtered ? {k: 10, filter: {ids: names(some(500))}} : {k: 10});
				assert.ok(filtered || hits.length === 10);
			} catch (error) {
				// Another index was opened in its place.
				assert.equal((error as {code?: string}).code, 'ERR_CLOSED');
				continue;
			}
			watch.note(filtered ? 'filtered search' : 'search');
			times.push(performance.now() - start);
			await sleep(1);
		}
	};
	const searchMany = async (): Promise<void> => {
		while (performance.now() < end) {
			const first = roll(POOL - 300);
			try {
				const lists = await index.searchMany(vectors(first, 300), {k: 100});
				assert.equal(lists.length, 300);
			} catch (error) {
				assert.equal((error as {code?: string}).code, 'ERR_CLOSED');
			}
			watch.note('searchMany');
			await sleep(50);
		}
	};
	const remember = async (): Promise<void> => {
		while (performance.now() < end) {
			resident.push(process.memoryUsage.rss() / 2 ** 20);
			await sleep(250);
		}
	};
	await Promise.all([write(), searchMany(), remember(), ...Array.from({length: SEARCHERS}, search)]);
	const turns = await watch.stop();
	await compare(alive);
	index.close();
	const share = resident.length / 10;
	return {
		...turns,
		searches: times.length,
		searchMs: spread(times),
		changes: done,
		rowsLost,
		/** The minimum in each tenth of the time. */
		residentMiB: Array.from({length: 10}, (_, tenth) =>
			Math.round(Math.min(...resident.slice(Math.floor(tenth * share), Math.max(1, Math.floor((tenth + 1) * share))))),
		),
	};
}
