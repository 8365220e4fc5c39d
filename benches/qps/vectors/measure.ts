// Measures one vector benchmark: the queries per second of approximate search at given recalls, or of exact search.
// `measure` takes the definition and returns a summary per entry. An entry is a system, the options of its index, and the
// way in which it is called. The effort is the search parameter that trades speed for recall, such as `efSearch`. The class
// `Measurement` builds the indexes, finds the efforts that reach the target recalls, and measures them round by round.
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {cache} from '../harness/folders.ts';
import type {Options, Outcome} from '../harness/suite.ts';
import {figureOf} from '../report/plot/figure.ts';
import {latencies} from '../statistics/latencies.ts';
import {dataOf, prepareVectors} from './data/data.ts';
import {filterOf} from './data/filter.ts';
import {type Truth, compareWithTruth, readRows, truthOf} from './data/truth.ts';
import type {Definition} from './definition.ts';
import {buildUnlessCached, placeOf} from './indexes.ts';
import {vectorsCharts} from './report/charts.ts';
import {tables} from './report/text-tables.ts';
import {type Point, around} from './results/curve.ts';
import type {Result} from './results/result.ts';
import {type Summary, summaries} from './results/summary.ts';
import {type Entry, type Place, type QueryRequest, type QueryTimes, type Similarity, VectorSystem, folderOf, isOurs} from './system.ts';

/** The maximum numbers of rows and queries in a smoke run. */
const SMOKE = {rows: 10_000, queries: 200};
/**
The number of untimed queries before an entry is measured at one k in one round. They are needed because the CPU caches
hold the data of other systems. An entry called from Node runs all queries untimed, so that V8 compiles its code first.
*/
const WARM_UP_QUERIES = 100;

/** Returns the folders of a definition's systems, and that of passagekit's server, which finds the ground truth. */
export const systemsOf = ({systems}: Definition): readonly string[] => [
	...systems.map(entry => folderOf(entry)),
	folderOf({system: 'passagekit'}),
];

/**
Files of little-endian f32 rows without a header; `rows` may also be a flat index of passagekit. The files may have more
rows and queries than a definition uses.
*/
export interface Vectors {
	readonly rows: string;
	readonly queries: string;
	readonly dim: number;
}

export async function measure(defined: Definition, options: Options): Promise<Outcome> {
	const definition = options.smoke ? shortened(defined) : defined;
	const {data, rows} = definition;
	const files = await prepareVectors(data, rows, options.say);
	const {checked, results, violations} = await measureVectors(definition, {...files, dim: dataOf(data).dim}, options);
	return {
		definition,
		data: {...dataOf(data), checked},
		results,
		table: tables(definition, results),
		figure: figureOf(`${data}, ${rows.toLocaleString('en')} rows: ${definition.about}`, vectorsCharts(definition, results)),
		violations,
	};
}

/**
Measures the systems of a definition over the given vectors. Indexes and ground truth are cached under the name
`definition.data`.
*/
export async function measureVectors(
	definition: Definition,
	{dim, ...files}: Vectors,
	options: Options,
): Promise<Pick<Outcome, 'violations'> & {readonly results: readonly Summary[]; readonly checked: unknown}> {
	const {data, rows: count, queries, similarity} = definition;
	const rows = {rows: files.rows, count, dim};
	const filter = definition.filter === undefined ? undefined : filterOf(count, definition.filter);
	const truths = new Map<Similarity, Truth>();
	// An entry may override the similarity with one that ranks rows in the same order, so the recall of every entry is
	// measured against the truth for the definition's similarity. The truths for the other similarities are computed only
	// as a check: computing a truth compares passagekit's hits for some of the queries with f64 scores.
	for (const each of new Set([similarity, ...definition.systems.flatMap(entry => entry.similarity ?? [])])) {
		truths.set(each, truthOf(data, {...rows, similarity: each}, filter, files.queries, queries, options.say));
	}
	const request = {queries: files.queries, ...(filter && {filter: filter.file})};
	const measurement = new Measurement(definition, options, request, truths.get(similarity)!, entry =>
		placeOf(entry, data, similarity, rows, definition.threads),
	);
	const results = await measurement.results();
	return {
		checked: truths.get(similarity)!.checked,
		results: summaries(definition, results),
		violations: results.flatMap(({entry, wrongQueries}) =>
			wrongQueries ? [`${entry.name}: expected the true hits, got others for ${wrongQueries} queries`] : [],
		),
	};
}

/** Returns the definition of a smoke run: one round with few rows and queries. */
function shortened(definition: Definition): Definition {
	const fewer = (value: number): number => Math.min(value, SMOKE.queries);
	return {
		...definition,
		rows: Math.min(definition.rows, SMOKE.rows),
		queries: fewer(definition.queries),
		rounds: 1,
		systems: definition.systems.map(entry => ({...entry, ...(entry.queries && {queries: fewer(entry.queries)})})),
	};
}

/** Measures one definition. Keeps the running systems, and the result of each entry so far. */
class Measurement {
	readonly #definition: Definition;
	readonly #options: Options;
	readonly #files: Pick<QueryRequest, 'queries' | 'filter'>;
	readonly #truth: Truth;
	readonly #placeOf: (entry: Entry) => Place;
	readonly #results: Map<Entry, Result>;
	readonly #running = new Map<Entry, VectorSystem>();

	constructor(
		definition: Definition,
		options: Options,
		files: Pick<QueryRequest, 'queries' | 'filter'>,
		truth: Truth,
		placeOf: (entry: Entry) => Place,
	) {
		this.#definition = definition;
		this.#options = options;
		this.#files = files;
		this.#truth = truth;
		this.#placeOf = placeOf;
		this.#results = new Map(definition.systems.map(entry => [entry, {entry}]));
	}

	/** Runs all steps for all entries. An entry that fails is left out of the later steps. */
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
					const place = this.#placeOf(entry);
					const filtered = this.#files.filter !== undefined;
					const built = await buildUnlessCached(entry, place, {rebuild: rebuild && !rebuilt.has(place.folder), filtered}, say);
					rebuilt.add(place.folder);
					return {built};
				});
			}
			for (const entry of systems) {
				await this.#step(entry, async () => {
					say(`trying ${entry.name} …`);
					return this.#withSystem(entry, async system => this.#findEfforts(entry, system));
				});
			}
			for (let round = 1; round <= rounds; round++) {
				say(`round ${round} of ${rounds} …`);
				for (const entry of systems) {
					await this.#step(entry, async () => this.#withSystem(entry, async system => this.#measureRound(entry, system)));
				}
			}
		} finally {
			await Promise.all([...this.#running.values()].map(async system => system.close()));
		}
		return systems.map(entry => this.#results.get(entry)!);
	}

	/** Runs one step for an entry, and adds what it returns to the entry's result. Does nothing if the entry has failed. */
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

	/**
	Runs `work` with the entry's system, which is started if needed. Returns what `work` returned, with the system's peak
	memory so far. If the definition has `reopen`, the system is closed afterwards.
	*/
	async #withSystem(entry: Entry, work: (system: VectorSystem) => Promise<Partial<Result>>): Promise<Partial<Result>> {
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

	/**
	Measures recall at increasing efforts, until all targets are reached. Returns the efforts that are needed to interpolate
	at the targets. Exact search has the single effort 0.
	*/
	async #findEfforts(entry: Entry, system: VectorSystem): Promise<Partial<Result>> {
		const {targets, efforts, passagekitEfforts = efforts} = this.#definition;
		const folder = join(cache, 'hits');
		mkdirSync(folder, {recursive: true});
		const found = join(folder, 'found.i32');
		const queryCount = this.#queryCount(entry);
		const points: Record<string, readonly Point[]> = {};
		let wrongQueries = 0;
		for (const [k, wanted] of Object.entries(targets)) {
			const tried: Point[] = [];
			for (const effort of (entry.efforts ?? (isOurs(entry) ? passagekitEfforts : efforts))?.[k] ?? [0]) {
				await this.#ask(entry, system, {k: Number(k), effort, found});
				const {recall, identical} = compareWithTruth(readRows(found), this.#truth, queryCount, Number(k));
				tried.push({effort, recall, wall: [], cpu: []});
				wrongQueries = entry.exact ? Math.max(wrongQueries, queryCount - identical) : 0;
				if (recall >= Math.max(...wanted)) {
					break;
				}
			}
			points[k] = around(tried, wanted);
		}
		const {threads: threadedTasks = []} = await system.describe();
		const threads = threadedTasks.includes(entry.batch ? 'batch' : 'query') ? (this.#definition.threads ?? 1) : 1;
		return {points, queries: queryCount, threads, wrongQueries};
	}

	/** For each k, runs a warm-up, and then measures each effort that `#findEfforts` returned once. */
	async #measureRound(entry: Entry, system: VectorSystem): Promise<Partial<Result>> {
		const {points: before = {}} = this.#results.get(entry)!;
		const points: Record<string, readonly Point[]> = {};
		const queryCount = this.#queryCount(entry);
		for (const [k, pointsAtK] of Object.entries(before)) {
			const measured: Point[] = [];
			await this.#ask(entry, system, {k: Number(k), ...this.#warmUp(entry, pointsAtK, queryCount)});
			for (const point of pointsAtK) {
				const {wallNanos, cpuNanos, queryNanos} = await this.#ask(entry, system, {k: Number(k), effort: point.effort});
				const speed = (nanos: number): number => (queryCount * 1e9) / nanos;
				const roundLatencies = latencies(queryNanos);
				measured.push({
					...point,
					wall: [...point.wall, speed(wallNanos)],
					cpu: [...point.cpu, speed(cpuNanos)],
					...(roundLatencies && {latencies: [...(point.latencies ?? []), roundLatencies]}),
				});
			}
			points[k] = measured;
		}
		return {points};
	}

	/**
	Returns the effort and the number of queries of a warm-up. An index that was just opened gets all queries at the
	largest effort, because the pages of a mapped file are loaded when they are first read.
	*/
	#warmUp({node}: Entry, points: readonly Point[], queryCount: number): Pick<QueryRequest, 'effort' | 'asked'> {
		if (this.#definition.reopen) {
			return {effort: points.at(-1)!.effort, asked: queryCount};
		}
		return {effort: points[0]!.effort, asked: node ? queryCount : Math.min(queryCount, WARM_UP_QUERIES)};
	}

	/** Sends a query request. Fields that `request` lacks are taken from the entry and the definition. */
	async #ask(entry: Entry, system: VectorSystem, request: Pick<QueryRequest, 'k' | 'effort'> & Partial<QueryRequest>): Promise<QueryTimes> {
		return system.query(this.#placeOf(entry), {
			...this.#files,
			asked: this.#queryCount(entry),
			batch: entry.batch ?? false,
			...request,
		});
	}

	#queryCount(entry: Entry): number {
		return Math.min(entry.queries ?? this.#definition.queries, this.#definition.queries);
	}
}
