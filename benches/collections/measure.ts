// Measures the systems of a definition of benches/collections. Each measurement of a system runs in a process of its own, pinned to one
// core, and the systems take turns.
import {cpSync, mkdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {bytesOf} from '../qps/harness/folders.ts';
import {System} from '../qps/harness/system.ts';
import {figure, percentile} from '../qps/statistics/statistics.ts';
import {type BenchQuery, PRICES, cache, nearest, prepareData} from './data.ts';
import type {CommitResult, Definition, Kind, LoadResult, MixedResult, SearchResult, SystemResult} from './definition.ts';

export const systemsFolder: string = join(packageRoot, 'benches', 'collections', 'systems');
type Say = (line: string) => void;

/** A system that has not replied after this time is killed, and its measurement fails. */
const MAX_MS = 10 * 60 * 1000;

/**
Incremental loads of more documents than this are skipped for systems that write the whole collection in each commit: they would take
more than ten minutes.
*/
const MAX_REWRITTEN_DOCUMENTS = 50_000;

/** A system's reply to the request `describe`. */
interface Abilities {
	readonly version: string;
	/** The values of the system's effort (see `Definition.recall`) to try, from the fastest to the most accurate; empty if it has none. */
	readonly efforts: readonly unknown[];
	/** The kinds of search that the system supports. */
	readonly kinds: readonly Kind[];
	/** Whether each commit writes the whole collection to disk, instead of only the changes. */
	readonly savesWhole: boolean;
}

/** A system's reply to `load`, to which `#load` adds `fileBytes` and `peakBytes`. */
interface LoadReply {
	readonly durableNanos: number;
	readonly completeNanos: number;
	readonly cpuNanos: number;
	readonly fileBytes: number;
	readonly peakBytes: number;
}

/** A system's reply to `search`. */
interface SearchReply {
	/** The latency of each query. */
	readonly queryNanos: readonly number[];
	readonly residentBytes: number;
}

/** A system's reply to `mixed`. */
interface MixedReply {
	/** The latency of each query. */
	readonly queryNanos: readonly number[];
	/** Number of documents that were added. */
	readonly added: number;
	/** Duration of the measurement. */
	readonly seconds: number;
}

/**
Measures a definition and returns a result per system. If a measurement of a system fails, the system's result lists the failure, and the
other measurements continue. After each kind of measurement, `save` is called with the results so far, so that a run that is interrupted
does not lose them.
*/
export async function measure(definition: Definition, say: Say, save: (results: readonly SystemResult[]) => void): Promise<SystemResult[]> {
	const benchmark = new Measurements(definition, say);
	await benchmark.describe();
	for (const measurement of [() => benchmark.loads(), () => benchmark.searches(), () => benchmark.mixed(), () => benchmark.commits()]) {
		await measurement();
		save(benchmark.results());
	}
	return benchmark.results();
}

/** The measurements of a definition, and their results so far. */
class Measurements {
	readonly #definition: Definition;
	readonly #say: Say;
	/** The folder of the data set. */
	readonly #data: string;
	/** The systems that are still measured, with their abilities: systems that could be started and, after `loads`, that have a collection. */
	readonly #abilities = new Map<string, Abilities>();
	readonly #results = new Map<string, {-readonly [name in keyof SystemResult]: SystemResult[name]}>();
	readonly #failures = new Map<string, string[]>();
	/** Number of documents of each system's collection. */
	readonly #documentCounts = new Map<string, number>();

	constructor(definition: Definition, say: Say) {
		this.#definition = definition;
		this.#say = say;
		const {documents, commitSizes, commits, mixed, queries} = definition;
		const committed = commits.reduce((sum, {count, times}) => sum + count * times, 0);
		// Twice the planned number of additions during searches leaves a margin, because the last batch may go beyond the planned number.
		const total = Math.max(documents + 2 * mixed.rate * mixed.seconds, ...commitSizes.map(size => size + committed));
		this.#data = prepareData(total, queries, say);
	}

	/** Starts each system once, and keeps its abilities and its version. */
	async describe(): Promise<void> {
		for (const system of this.#definition.systems) {
			this.#results.set(system, {system, commits: [], searches: [], failures: []});
			this.#failures.set(system, []);
			await this.#attempt(system, 'start', async () => {
				const abilities = await this.#ask<Abilities>(system, {verb: 'describe'});
				this.#abilities.set(system, abilities);
				this.#results.get(system)!.version = abilities.version;
			});
		}
	}

	/** Loads all documents in small commits, and then in bulk. The collection of the last bulk load is kept for the other measurements. */
	async loads(): Promise<void> {
		const {documents, bulkBatch, incrementalBatch, loadRounds} = this.#definition;
		for (const [name, batch, commitEach] of [
			['incremental', incrementalBatch, true],
			['load', bulkBatch, false],
		] as const) {
			await this.#rounds(
				loadRounds,
				name,
				async (system, {savesWhole}) => {
					const takesTooLong = commitEach && savesWhole && documents > MAX_REWRITTEN_DOCUMENTS;
					return takesTooLong ? undefined : this.#load(system, documents, batch, commitEach);
				},
				(system, replies) => {
					this.#results.get(system)![name] = loadResult(replies);
				},
			);
		}
		// A system without a collection has nothing to search or to change.
		for (const [system, {load}] of this.#results) {
			if (load === undefined) {
				this.#abilities.delete(system);
			}
		}
	}

	/** For each filter, finds the effort with which each system searches (see `Definition.recall`), and measures searches with this effort. */
	async searches(): Promise<void> {
		const {documents, priceLimits, k, recall, rounds, seconds} = this.#definition;
		const queries: readonly BenchQuery[] = JSON.parse(readFileSync(join(this.#data, 'queries.json'), 'utf8'));
		for (const priceLimit of priceLimits) {
			const truth = nearest(this.#data, documents, priceLimit, k, queries);
			const below = priceLimit === PRICES ? undefined : priceLimit;
			const efforts = new Map<string, {readonly effort?: unknown; readonly recall: number}>();
			await this.#rounds(1, `recall, price < ${priceLimit}`, async (system, {efforts: choices, kinds}) => {
				for (const effort of kinds.includes('vector') ? (choices.length === 0 ? [undefined] : choices) : []) {
					const request = {verb: 'search', data: this.#data, folder: folderOf(system), kind: 'vector', below, k, effort, wantsIds: true};
					const {ids} = await this.#ask<{ids: string[][]}>(system, request);
					const found = recallOf(ids, truth);
					efforts.set(system, {effort, recall: found});
					if (found >= recall) {
						break;
					}
				}
			});
			for (const kind of ['text', 'vector', 'hybrid'] as const) {
				await this.#rounds(
					rounds,
					`${kind} search, price < ${priceLimit}`,
					async (system, {kinds}) => {
						const {effort} = efforts.get(system) ?? {};
						const request = {verb: 'search', data: this.#data, folder: folderOf(system), kind, below, k, effort, seconds, minimum: 20};
						return kinds.includes(kind) ? this.#ask<SearchReply>(system, request) : undefined;
					},
					(system, replies) => {
						const result = this.#results.get(system)!;
						const reached = kind === 'text' ? {} : (efforts.get(system) ?? {});
						result.searches = [...result.searches, {kind, priceLimit, ...reached, ...searchResult(replies)}];
					},
				);
			}
		}
	}

	/** Measures searches of a copy of the collection while documents are added to that copy. */
	async mixed(): Promise<void> {
		const {documents, mixed, rounds, k, priceLimits} = this.#definition;
		const kindOf = (system: string): Kind => (this.#abilities.get(system)!.kinds.includes('hybrid') ? 'hybrid' : 'text');
		await this.#rounds(
			rounds,
			'searches during additions',
			async system => {
				// The first price limit stands for no filter.
				const unfiltered = this.#results
					.get(system)!
					.searches.find(({kind, priceLimit}) => kind === 'hybrid' && priceLimit === priceLimits[0]);
				const folder = copied(folderOf(system));
				const request = {
					verb: 'mixed',
					data: this.#data,
					folder,
					kind: kindOf(system),
					from: documents,
					...mixed,
					k,
					effort: unfiltered?.effort,
				};
				return this.#ask<MixedReply>(system, request);
			},
			(system, replies) => {
				this.#results.get(system)!.mixed = {kind: kindOf(system), ...mixedResult(replies)};
			},
		);
	}

	/** Measures commits to copies of collections of several sizes. */
	async commits(): Promise<void> {
		const {commitSizes, commits, bulkBatch} = this.#definition;
		for (const size of commitSizes) {
			for (const system of this.#abilities.keys()) {
				await this.#attempt(system, `commits to ${size} documents`, async () => {
					this.#say(`commits to ${size} documents: ${system} …`);
					if (this.#documentCounts.get(system) !== size) {
						await this.#load(system, size, bulkBatch, false);
					}
					let from = size;
					for (const {count, times} of commits) {
						const folder = copied(folderOf(system));
						const request = {verb: 'commits', data: this.#data, folder, from, count, times, seconds: 20};
						const {commitNanos} = await this.#ask<{commitNanos: number[]}>(system, request);
						from += count * times;
						const result = this.#results.get(system)!;
						const added: CommitResult = {size, count, ms: figure(commitNanos.map(nanos => nanos / 1e6))};
						result.commits = [...result.commits, added];
					}
				});
			}
		}
	}

	/** Returns the results so far. */
	results(): SystemResult[] {
		return [...this.#results.values()].map(result => ({...result, failures: this.#failures.get(result.system)!}));
	}

	/**
	Replaces a system's collection with a new one of the first `count` documents of the data set, which are added `batch` at a time.
	`commitEach` commits after each batch, not only after the last one.
	*/
	async #load(system: string, count: number, batch: number, commitEach: boolean): Promise<LoadReply> {
		const folder = folderOf(system);
		rmSync(folder, {recursive: true, force: true});
		mkdirSync(folder, {recursive: true});
		let peakBytes = 0;
		const request = {verb: 'load', data: this.#data, folder, count, batch, commitEach};
		const reply = await this.#ask<LoadReply>(system, request, process => {
			peakBytes = process.peakBytes() ?? 0;
		});
		this.#documentCounts.set(system, count);
		return {...reply, peakBytes, fileBytes: bytesOf(folder)};
	}

	/**
	Runs a measurement in rounds. In each round, `once` is called for each system in turn; a system that fails is skipped in the remaining
	rounds. After the last round, `finish` is called with the replies of each system that has any. A round in which `once` returns
	undefined has no reply.
	*/
	async #rounds<T>(
		rounds: number,
		what: string,
		once: (system: string, abilities: Abilities) => Promise<T | undefined>,
		finish: (system: string, replies: readonly T[]) => void = () => {},
	): Promise<void> {
		const replies = new Map<string, T[]>();
		const failed = new Set<string>();
		for (let round = 0; round < rounds; round++) {
			this.#say(`${what}, round ${round + 1} of ${rounds} …`);
			for (const [system, abilities] of this.#abilities) {
				if (failed.has(system)) {
					continue;
				}
				// `#attempt` catches errors, so the system stays in `failed` unless the work succeeds.
				failed.add(system);
				await this.#attempt(system, what, async () => {
					const reply = await once(system, abilities);
					if (reply !== undefined) {
						replies.set(system, [...(replies.get(system) ?? []), reply]);
					}
					failed.delete(system);
				});
			}
		}
		for (const [system, list] of replies) {
			finish(system, list);
		}
	}

	/** Sends one request to a new process of a system. `after` is called between the reply and the end of the process. */
	async #ask<T>(system: string, request: Readonly<Record<string, unknown>>, after: (process: System) => void = () => {}): Promise<T> {
		const process = new System(join(systemsFolder, system));
		try {
			const reply = await process.ask<T>(request, MAX_MS);
			after(process);
			return reply;
		} finally {
			await process.close();
		}
	}

	/** Does work for a system. If the work fails, adds the error to the system's failures instead of throwing it. */
	async #attempt(system: string, what: string, work: () => Promise<void>): Promise<void> {
		try {
			await work();
		} catch (error) {
			const message = `${what}: ${error instanceof Error ? error.message : String(error)}`;
			this.#say(`${system}: ${message}`);
			this.#failures.get(system)!.push(message);
		}
	}
}

/** The folder of a system's collection. */
const folderOf = (system: string): string => join(cache, 'work', system);

/** Copies a collection, so that changes do not affect later measurements. Returns the folder of the copy. */
function copied(folder: string): string {
	const copy = `${folder}-copy`;
	rmSync(copy, {recursive: true, force: true});
	cpSync(folder, copy, {recursive: true});
	return copy;
}

/**
Returns the share of the nearest documents that were found, over all queries; 1 if no query has a nearest document, because none matches
the filter. The document with ord 7 has the id `d7`.
*/
export function recallOf(found: ReadonlyArray<readonly string[]>, nearestOrds: ReadonlyArray<readonly number[]>): number {
	let [hits, all] = [0, 0];
	for (const [i, ords] of nearestOrds.entries()) {
		const ids = new Set(found[i]);
		hits += ords.filter(ord => ids.has(`d${ord}`)).length;
		all += ords.length;
	}
	return all === 0 ? 1 : hits / all;
}

function loadResult(replies: readonly LoadReply[]): LoadResult {
	const of = (value: (reply: LoadReply) => number) => figure(replies.map(value));
	return {
		durableSeconds: of(({durableNanos}) => durableNanos / 1e9),
		completeSeconds: of(({completeNanos}) => completeNanos / 1e9),
		cpuSeconds: of(({cpuNanos}) => cpuNanos / 1e9),
		fileBytes: of(({fileBytes}) => fileBytes),
		peakBytes: of(({peakBytes}) => peakBytes),
	};
}

function latencies(replies: ReadonlyArray<{readonly queryNanos: readonly number[]}>) {
	return {
		p50: figure(replies.map(({queryNanos}) => percentile(queryNanos, 0.5) / 1e6)),
		p99: figure(replies.map(({queryNanos}) => percentile(queryNanos, 0.99) / 1e6)),
	};
}

function searchResult(replies: readonly SearchReply[]): Pick<SearchResult, 'queriesPerSecond' | 'p50' | 'p99' | 'residentBytes'> {
	const total = (nanos: readonly number[]): number => nanos.reduce((sum, value) => sum + value, 0);
	return {
		queriesPerSecond: figure(replies.map(({queryNanos}) => (queryNanos.length * 1e9) / total(queryNanos))),
		...latencies(replies),
		residentBytes: figure(replies.map(({residentBytes}) => residentBytes)),
	};
}

function mixedResult(replies: readonly MixedReply[]): Omit<MixedResult, 'kind'> {
	return {
		documentsPerSecond: figure(replies.map(({added, seconds}) => added / seconds)),
		queriesPerSecond: figure(replies.map(({queryNanos, seconds}) => queryNanos.length / seconds)),
		...latencies(replies),
	};
}
