// What one definition of vectors comes to: speed at a recall, or of exact search.
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {latencies} from '../latencies.ts';
import {figureOf} from '../report/figure.ts';
import type {Options, Outcome} from '../part.ts';
import {cache} from '../system.ts';
import {vectorsCharts} from './charts.ts';
import {type Point, around} from './curve.ts';
import {dataOf, prepareVectors} from './data.ts';
import {filterOf} from './filter.ts';
import type {Definition, Result} from './definition.ts';
import {indexed, placeOf} from './indexes.ts';
import {type Summary, summaries} from './summary.ts';
import {type Asked, type Entry, type Place, type Similarity, type Spent, VectorSystem, folderOf, isOurs} from './system.ts';
import {tables} from './table.ts';
import {type Truth, judge, readRows, truthOf} from './truth.ts';

/** In a smoke run, at most. */
const SMOKE = {rows: 10_000, queries: 200};
/** Asked before each turn, untimed: other systems had the caches. From Node all queries are, for V8 compiles what runs often. */
const WARM_UP = 100;

export const systemsOf = ({systems}: Definition): readonly string[] => [
	...systems.map(entry => folderOf(entry)),
	folderOf({system: 'passagekit'}),
];

/** Files of little-endian f32 rows without a header, of as many rows and queries as a definition says or more. */
export interface Vectors {
	readonly rows: string;
	readonly queries: string;
	readonly dim: number;
}

export async function measure(defined: Definition, options: Options): Promise<Outcome> {
	const definition = options.smoke ? small(defined) : defined;
	const {data, rows} = definition;
	const files = await prepareVectors(data, rows, options.say);
	const {checked, results, wrong} = await measureVectors(definition, {...files, dim: dataOf(data).dim}, options);
	return {
		definition,
		data: {...dataOf(data), checked},
		results,
		table: tables(definition, results),
		figure: figureOf(`${data}, ${rows.toLocaleString('en')} rows: ${definition.about}`, vectorsCharts(definition, results)),
		wrong,
	};
}

/** The systems of a definition over vectors that are there; its `data` is what indexes and truth are kept by. */
export async function measureVectors(
	definition: Definition,
	{dim, ...files}: Vectors,
	options: Options,
): Promise<Pick<Outcome, 'wrong'> & {readonly results: readonly Summary[]; readonly checked: unknown}> {
	const {data, rows: count, queries, similarity} = definition;
	const rows = {rows: files.rows, count, dim};
	const filter = definition.filter === undefined ? undefined : filterOf(count, definition.filter);
	const truths = new Map<Similarity, Truth>();
	for (const of of new Set([similarity, ...definition.systems.flatMap(entry => entry.similarity ?? [])])) {
		truths.set(of, truthOf(data, {...rows, similarity: of}, filter, files.queries, queries, options.say));
	}
	// Whatever a system ranks by, the definition's similarity says what is right.
	const asked = {queries: files.queries, ...(filter && {filter: filter.file})};
	const run = new Run(definition, options, asked, truths.get(similarity)!, entry =>
		placeOf(entry, data, similarity, rows, definition.threads),
	);
	const results = await run.results();
	return {
		checked: truths.get(similarity)!.checked,
		results: summaries(definition, results),
		wrong: results.flatMap(({entry, untrue}) =>
			untrue ? [`${entry.name}: expected the true hits, got others for ${untrue} queries`] : [],
		),
	};
}

function small(definition: Definition): Definition {
	const fewer = (value: number): number => Math.min(value, SMOKE.queries);
	return {
		...definition,
		rows: Math.min(definition.rows, SMOKE.rows),
		queries: fewer(definition.queries),
		rounds: 1,
		systems: definition.systems.map(entry => ({...entry, ...(entry.queries && {queries: fewer(entry.queries)})})),
	};
}

class Run {
	readonly #definition: Definition;
	readonly #options: Options;
	readonly #files: Pick<Asked, 'queries' | 'filter'>;
	readonly #truth: Truth;
	readonly #place: (entry: Entry) => Place;
	readonly #results: Map<Entry, Result>;
	readonly #running = new Map<Entry, VectorSystem>();

	constructor(
		definition: Definition,
		options: Options,
		files: Pick<Asked, 'queries' | 'filter'>,
		truth: Truth,
		place: (entry: Entry) => Place,
	) {
		this.#definition = definition;
		this.#options = options;
		this.#files = files;
		this.#truth = truth;
		this.#place = place;
		this.#results = new Map(definition.systems.map(entry => [entry, {entry}]));
	}

	async results(): Promise<readonly Result[]> {
		const {systems, rounds} = this.#definition;
		const {say, failed, rebuild} = this.#options;
		const rebuilt = new Set<string>();
		try {
			for (const entry of systems) {
				await this.#step(entry, async () => {
					const failure = failed.get(folderOf(entry));
					if (failure) {
						throw new Error(failure);
					}
					const place = this.#place(entry);
					const filtered = this.#files.filter !== undefined;
					const built = await indexed(entry, place, {rebuild: rebuild && !rebuilt.has(place.folder), filtered}, say);
					rebuilt.add(place.folder);
					return {built};
				});
			}
			for (const entry of systems) {
				await this.#step(entry, async () => {
					say(`trying ${entry.name} …`);
					return this.#turn(entry, async system => this.#tried(entry, system));
				});
			}
			for (let round = 1; round <= rounds; round++) {
				say(`round ${round} of ${rounds} …`);
				for (const entry of systems) {
					await this.#step(entry, async () => this.#turn(entry, async system => this.#round(entry, system)));
				}
			}
		} finally {
			await Promise.all([...this.#running.values()].map(async system => system.close()));
		}
		return systems.map(entry => this.#results.get(entry)!);
	}

	/** Adds to what is known of an entry, unless it failed before. */
	async #step(entry: Entry, work: () => Promise<Partial<Result>>): Promise<void> {
		const result = this.#results.get(entry)!;
		if (result.failed) {
			return;
		}
		try {
			this.#results.set(entry, {...result, ...(await work())});
		} catch (error) {
			this.#options.say(`${entry.name}: ${(error as Error).message}`);
			this.#results.set(entry, {...result, failed: (error as Error).message});
		}
	}

	/** Lets a system work that is running, or runs for this alone. */
	async #turn(entry: Entry, work: (system: VectorSystem) => Promise<Partial<Result>>): Promise<Partial<Result>> {
		const system = this.#running.get(entry) ?? new VectorSystem(entry, {threads: this.#definition.threads ?? 1});
		this.#running.set(entry, system);
		try {
			const done = await work(system);
			const before = this.#results.get(entry)!;
			const {anonBytes = 0, fileBytes = 0} = system.peakParts();
			return {
				...done,
				peakBytes: Math.max(system.peakBytes() ?? 0, before.peakBytes ?? 0) || undefined,
				...(anonBytes > 0 && {
					anonBytes: Math.max(anonBytes, before.anonBytes ?? 0),
					fileBytes: Math.max(fileBytes, before.fileBytes ?? 0),
				}),
			};
		} finally {
			if (this.#definition.reopen) {
				this.#running.delete(entry);
				await system.close();
			}
		}
	}

	/** The recall of each effort, from the least until it is above all targets. */
	async #tried(entry: Entry, system: VectorSystem): Promise<Partial<Result>> {
		const {targets, efforts, ownEfforts = efforts} = this.#definition;
		const folder = join(cache, 'hits');
		mkdirSync(folder, {recursive: true});
		const found = join(folder, 'found.i32');
		const asked = this.#asked(entry);
		const points: Record<string, readonly Point[]> = {};
		let untrue = 0;
		for (const [k, wanted] of Object.entries(targets)) {
			const tried: Point[] = [];
			for (const effort of (entry.efforts ?? (isOurs(entry) ? ownEfforts : efforts))?.[k] ?? [0]) {
				await this.#ask(entry, system, {k: Number(k), effort, found});
				const {recall, identical} = judge(readRows(found), this.#truth, asked, Number(k));
				tried.push({effort, recall, wall: [], cpu: []});
				untrue = entry.exact ? Math.max(untrue, asked - identical) : 0;
				if (recall >= Math.max(...wanted)) {
					break;
				}
			}
			points[k] = around(tried, wanted);
		}
		const {threads: ways = []} = await system.describe();
		const threads = ways.includes(entry.batch ? 'batch' : 'query') ? (this.#definition.threads ?? 1) : 1;
		return {points, queries: asked, threads, untrue};
	}

	async #round(entry: Entry, system: VectorSystem): Promise<Partial<Result>> {
		const {points: before = {}} = this.#results.get(entry)!;
		const points: Record<string, readonly Point[]> = {};
		const asked = this.#asked(entry);
		for (const [k, of] of Object.entries(before)) {
			const measured: Point[] = [];
			await this.#ask(entry, system, {k: Number(k), ...this.#warmUp(entry, of, asked)});
			for (const point of of) {
				const {wallNanos, cpuNanos, queryNanos} = await this.#ask(entry, system, {k: Number(k), effort: point.effort});
				const speed = (nanos: number): number => (asked * 1e9) / nanos;
				const one = latencies(queryNanos);
				measured.push({
					...point,
					wall: [...point.wall, speed(wallNanos)],
					cpu: [...point.cpu, speed(cpuNanos)],
					...(one && {latencies: [...(point.latencies ?? []), one]}),
				});
			}
			points[k] = measured;
		}
		return {points};
	}

	/** Of an index just opened, all that will be read: a mapped file comes to memory page by page. */
	#warmUp({node}: Entry, points: readonly Point[], asked: number): Pick<Asked, 'effort' | 'asked'> {
		if (this.#definition.reopen) {
			return {effort: points.at(-1)!.effort, asked};
		}
		return {effort: points[0]!.effort, asked: node ? asked : Math.min(asked, WARM_UP)};
	}

	async #ask(entry: Entry, system: VectorSystem, asked: Pick<Asked, 'k' | 'effort'> & Partial<Asked>): Promise<Spent> {
		return system.query(this.#place(entry), {
			...this.#files,
			asked: this.#asked(entry),
			batch: entry.batch ?? false,
			...asked,
		});
	}

	#asked(entry: Entry): number {
		return Math.min(entry.queries ?? this.#definition.queries, this.#definition.queries);
	}
}
