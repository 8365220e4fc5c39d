/** Builds, opens and searches BM25 indexes. */
import {CallsInProgress} from '../core/calls-in-progress.ts';
import {
	checkArray,
	checkCount,
	checkId,
	checkIds,
	checkInstance,
	checkFactoryMade,
	checkNumber,
	checkObject,
	checkQuery,
	checkString,
	isWellFormed,
	shown,
} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import type {Filter} from '../core/filters/filter.ts';
import {searchFiltered} from '../core/filters/normalize.ts';
import {type Binding, callNative, callSync, native} from '../core/native/native.ts';
import {KnownIds, toHits} from '../core/native/hits.ts';
import {type OpenOptions, checkedOpenOptions, openOptionNames} from '../core/open-options.ts';
import {type OptionNames, callNames, checkOptions, optionNames, signalOption} from '../core/options.ts';
import {RetrievedRun} from '../core/native/runs.ts';
import {type PassageSource, fileNames} from '../core/passage-source.ts';
import {runWaitingSearch, yieldToEventLoop} from '../core/event-loop.ts';
import {InlineSearches} from '../core/inline-searches.ts';
import type {
	CallOptions,
	FieldIndex,
	FilterableSearcher,
	Hit,
	Query,
	Run,
	SearchManyOptions,
	SearchOptions,
	StoredFields,
} from '../core/types.ts';
import type {Analyzer, AnalyzerDescription} from './analyzer.ts';
import {type AddOptions, type Bm25CreateOptions, Bm25Writer, checkSkipped} from './bm25-writer.ts';
import {checkedFilter, matchingIds} from './filters.ts';
import {describedAnalyzer, nativeAnalyzer} from './native-analyzer.ts';

/** The parameters of BM25. They are applied when searching, so tuning them does not require a new index. The defaults are Anserini's. */
export interface Bm25Options {
	/** Saturation of the term frequency, at least 0: the larger k1 is, the more repeated occurrences count. @default 0.9 */
	readonly k1?: number | undefined;
	/** Strength of the normalization by passage length, from 0 (none) to 1. @default 0.4 */
	readonly b?: number | undefined;
}

/** The options of `Bm25Index.open`. */
export interface Bm25OpenOptions extends Bm25Options, OpenOptions {
	/** The expected analyzer: `open` and `reload` fail with `ERR_ANALYZER_MISMATCH` if that of the index differs. @default any analyzer */
	readonly analyzer?: Analyzer | undefined;
}

/** The options of `Bm25Index.build`. */
export interface Bm25BuildOptions extends AddOptions, Omit<Bm25CreateOptions, 'mergeInBackground'> {}

/**
Restricts a search to the passages that match `filter`. Scores are the same as without a filter. An open index caches which passages match
its most recently used filters until it is reloaded, so repeating a filter costs almost nothing. The index does not know the documents of
its passages, so a filter with the part `documents` fails with `ERR_ARGUMENT`.
*/
export interface Bm25FilterOptions {
	/** @default every passage */
	readonly filter?: Filter | undefined;
}

/** The options of `Bm25Index.search`. */
export interface Bm25SearchOptions extends SearchOptions, Bm25Options, Bm25FilterOptions {}
/** The options of `Bm25Index.searchMany`. */
export interface Bm25SearchManyOptions extends SearchManyOptions, Bm25Options, Bm25FilterOptions {}

/** The result of `Bm25Index.repair`. */
export interface Bm25Repair {
	/** Number of missing or damaged `.impacts` files that were rebuilt from stored passages; 0 if the index was intact. */
	readonly rebuiltFiles: number;
}

/** A term, as the analyzer returns it, with its weight in a query. The weight replaces the number of occurrences in the query. */
export interface WeightedTerm {
	readonly term: string;
	readonly weight: number;
}

/** The parts of a passage's BM25 score. */
export interface Explanation {
	/** The sum of the contributions of the terms, rounded to a 32-bit float. */
	readonly score: number;
	/** Number of terms in the passage, rounded as in the index, which stores it in one byte like Lucene's field norms. */
	readonly length: number;
	/** Mean number of terms per passage. Passages without any terms are left out. */
	readonly averageLength: number;
	/** The terms of the query. */
	readonly terms: readonly TermExplanation[];
}

/** What a term of the query contributes to the score of a passage. */
export interface TermExplanation {
	readonly term: string;
	/** Number of occurrences in the query. */
	readonly queryFrequency: number;
	/** Number of occurrences in the passage. */
	readonly frequency: number;
	/** Number of passages that contain the term. */
	readonly passages: number;
	/** Inverse document frequency: ln(1 + (N − n + 0.5) / (n + 0.5)), where N is the number of all passages and n = `passages`. */
	readonly idf: number;
	/** queryFrequency · idf · frequency / (frequency + k1 · (1 − b + b · length / averageLength)). */
	readonly contribution: number;
}

const parameterNames = {k1: true, b: true} as const;
const parameterOptions: OptionNames = optionNames<Bm25Options>(parameterNames);
const openOptions: OptionNames = optionNames<Bm25OpenOptions>({...openOptionNames, ...parameterNames, analyzer: true});
const buildOptions: OptionNames = optionNames<Bm25BuildOptions & Bm25Options>({
	...callNames,
	...fileNames,
	...parameterNames,
	onSkipped: true,
	analyzer: true,
	overwrite: true,
	memoryBytes: true,
	threads: true,
});
const searchNames = {...callNames, ...parameterNames, k: true, filter: true} as const;
const searchOptions: OptionNames = optionNames<Bm25SearchOptions>(searchNames);
const searchManyOptions: OptionNames = optionNames<Bm25SearchManyOptions>({...searchNames, threads: true});

/** Number of queries that are copied per iteration of the event loop. Copying them takes well under a millisecond. */
const QUERIES_PER_SLICE = 500;

/**
Ranks passages with BM25 (Robertson and Zaragoza, 2009) as Lucene computes it, without the factor k1 + 1. The title and the text of a
passage are indexed as one field.

@example
```
const index = await Bm25Index.build('./bm25', './psgs_w100.tsv');
await index.search('who built the bridge?', {k: 10});
```
*/
export class Bm25Index implements FilterableSearcher, FieldIndex, AsyncDisposable {
	readonly #native: Binding.NativeBm25Index;
	readonly #options: Bm25Options;
	readonly #inline = new InlineSearches();
	readonly #knownIds = new KnownIds();
	/** The calls that consist of several steps. The addon itself finishes single steps before it closes the index. */
	readonly #calls = new CallsInProgress('index');
	#generation = 0;

	private constructor(index: Binding.NativeBm25Index, options: Bm25Options) {
		checkFactoryMade('Bm25Index', index, native.NativeBm25Index, 'Bm25Index.open() or Bm25Index.build()');
		this.#native = index;
		this.#options = options;
	}

	/**
	Creates the folder `path`, builds an index of one segment in it, and opens the index. Passages from a file or a passage store do not pass
	through JavaScript. Progress counts bytes of a file, or passages of any other source. Fails with `ERR_ARGUMENT` if the folder has an
	index already and `overwrite` is not set. If a build fails or is aborted, the previous index remains; if there was none, an empty index
	remains, which the next build replaces even without `overwrite`.
	*/
	static async build(path: string, source: PassageSource, options: Bm25BuildOptions & Bm25Options = {}): Promise<Bm25Index> {
		checkOptions('build', options, buildOptions);
		checkParameters(options);
		checkSkipped(options);
		const {k1, b, analyzer, overwrite, memoryBytes, threads, ...add} = options;
		options.signal?.throwIfAborted();
		const writer = await Bm25Writer.create(path, {analyzer, overwrite, memoryBytes, threads, mergeInBackground: false});
		try {
			await writer.add(source, add);
			await writer.commit();
			await writer.merge();
		} finally {
			await writer.close();
		}
		return Bm25Index.open(path, {k1, b});
	}

	/**
	Opens the index in the folder `path`, memory-mapped unless `inMemory` is set. `k1` and `b` become the defaults of its searches. Fails
	with `ERR_INDEX_CORRUPT` if the index is damaged (see `repair`), with `ERR_INDEX_VERSION` if this version of passagekit does not support
	the index format or the version of the analyzer, with `ERR_ANALYZER_MISMATCH` if the analyzer differs from `options.analyzer`, and with
	`ERR_IO` on an error of the operating system.
	*/
	static async open(path: string, options: Bm25OpenOptions = {}): Promise<Bm25Index> {
		checkString('path', path);
		checkOptions('open', options, openOptions);
		const {analyzer, k1, b} = options;
		checkParameters(options);
		const expected = analyzer === undefined ? undefined : nativeAnalyzer(analyzer);
		const opening = checkedOpenOptions(options);
		return new Bm25Index(await callNative({}, () => native.openBm25Index(path, expected, opening)), {k1, b});
	}

	/**
	Checks all files of the index in the folder `path`. In the BM25 index of an updatable collection, which stores its passages, it also
	rebuilds missing or damaged `.impacts` files, which hold the terms and their postings. An intact index is not changed. Fails with
	`ERR_INDEX_LOCKED` while a writer has the index open, and with `ERR_INDEX_CORRUPT` for other damage; in this case, no files other than
	`.impacts` files have changed.
	*/
	static async repair(path: string): Promise<Bm25Repair> {
		checkString('path', path);
		return callNative({}, () => native.repairBm25Index(path));
	}

	/** @internal Returns the JSON value that was stored with the last commit. A collection stores the header of its passage file there. */
	static state(index: Bm25Index): unknown {
		return JSON.parse(callSync(() => index.#native.state));
	}

	/** Number of passages that searches can find. */
	get size(): number {
		return callSync(() => this.#native.size);
	}

	/** The analyzer that the index was built with, and its options. */
	get analyzer(): AnalyzerDescription {
		return describedAnalyzer(callSync(() => this.#native.analyzer));
	}

	/** Returns the terms into which the analyzer of this index turns a text, in the order of the text. */
	terms(text: string): string[] {
		checkString('terms: text', text);
		return callSync(() => this.#native.terms(text));
	}

	/**
	Returns the best passages, best first. If two scores are equal, the passage that was added earlier comes first. Passages without any
	term of the query are not returned.

	A search runs on the JavaScript thread if it is estimated to take less than a quarter of a millisecond, the query has at most 4,096 bytes,
	there is no filter and no `onProgress`, and the files that searches read have at most 64 MiB. It runs immediately if this package has
	used less than about a millisecond of the current iteration of the event loop, or else at the start of the next iteration if no other
	search waits for that. All other searches run on the thread pool. A search that turns out to take more than about half a millisecond is
	started again on the thread pool.
	*/
	async search(query: string, options: Bm25SearchOptions = {}): Promise<Hit[]> {
		checkString('search: query', query);
		checkOptions('search', options, searchOptions);
		const {k = 100} = options;
		checkCount('k', k, 0);
		const {k1, b} = this.#parameters(options);
		const filter = checkedFilter(options.filter);
		options.signal?.throwIfAborted();
		this.#calls.checkOpen();
		const onThreadPool = async (): Promise<Hit[]> =>
			this.#calls.run(async () =>
				toHits(await searchFiltered(filter, json => callNative(options, control => this.#native.search(query, k, k1, b, json, control)))),
			);
		if (filter !== undefined || options.onProgress !== undefined) {
			return onThreadPool();
		}
		return this.#inline.search(
			() => this.#knownIds.hits(callSync(() => this.#native.searchIfQuick(query, k, k1, b, this.#knownIds.buffer()))),
			onThreadPool,
			options,
		);
	}

	/**
	Returns the hits of many queries, computed on several threads. If you know all queries in advance, this is much faster than calling
	`search` for each of them. Progress counts queries.
	*/
	async searchMany(queries: readonly Query[], options: Bm25SearchManyOptions = {}): Promise<Run> {
		checkArray('queries', queries, '{id, text}');
		checkOptions('searchMany', options, searchManyOptions);
		const {k = 100, threads = 0} = options;
		checkCount('k', k, 0);
		checkCount('threads', threads, 0);
		const {k1, b} = this.#parameters(options);
		const filter = checkedFilter(options.filter);
		return this.#calls.run(async () => {
			const batch = await queryBatch(queries);
			const run = await searchFiltered(filter, json =>
				callNative(options, control => this.#native.searchMany(batch, k, k1, b, threads, json, control)),
			);
			return new RetrievedRun(run, this.#knownIds);
		});
	}

	/** Returns the best passages for a list of weighted terms, which are not analyzed again. */
	async searchTerms(terms: readonly WeightedTerm[], options: Bm25SearchOptions = {}): Promise<Hit[]> {
		checkArray('searchTerms: terms', terms, '{term, weight}');
		checkOptions('searchTerms', options, searchOptions);
		const {k = 100} = options;
		checkCount('k', k, 0);
		for (const [i, weighted] of terms.entries()) {
			checkObject(`searchTerms: terms[${i}]`, weighted, '{term, weight}');
			checkString(`searchTerms: terms[${i}]: term`, weighted.term);
			checkNumber(`searchTerms: weight of "${weighted.term}"`, weighted.weight);
		}
		const {k1, b} = this.#parameters(options);
		const filter = checkedFilter(options.filter);
		const weights = Float32Array.from(terms, term => term.weight);
		const words = terms.map(term => term.term);
		return this.#calls.run(async () =>
			toHits(
				await searchFiltered(filter, json =>
					callNative(options, control => this.#native.searchTerms(words, weights, k, k1, b, json, control)),
				),
			),
		);
	}

	/**
	Fails with `ERR_ARGUMENT` if the filter is invalid or has the part `documents`. Whether the fields exist is checked only when a search
	uses the filter.
	*/
	checkFilter(filter: Filter): void {
		checkedFilter(filter, true);
	}

	/** A number that changes when the index is reloaded. */
	get generation(): number {
		return this.#generation;
	}

	/**
	Returns the given ids whose passages match a filter, in the order of `ids`. A `DenseSearcher` with the option `fields` calls this method
	to filter by fields. An unknown id counts as that of a passage without fields. Unlike in a search, the filter may have the part
	`documents`, which compares the part of an id before the last `#`. Fails with `ERR_ARGUMENT` for any other filter that a search would
	reject. With `documents`, the fields of each passage are read, which takes about ten microseconds per id, unless the id alone decides.
	*/
	async matching(ids: readonly string[], filter: Filter, options: Pick<CallOptions, 'signal'> = {}): Promise<string[]> {
		checkIds('matching: ids', ids);
		checkOptions('matching', options, signalOption);
		return this.#calls.run(async () => matchingIds(this.#native, [...ids], filter, options.signal));
	}

	/** Explains the score of a passage for a query. Fails with `ERR_ARGUMENT` if there is no such passage. */
	async explain(query: string, passageId: string, options: Bm25Options = {}): Promise<Explanation> {
		checkString('explain: query', query);
		checkId('explain: passageId', passageId);
		checkOptions('explain', options, parameterOptions);
		this.#calls.checkOpen();
		const {k1, b} = this.#parameters(options);
		return callNative({}, () => this.#native.explain(query, passageId, k1, b));
	}

	/**
	Resolves to the fields of a passage, with strings for dates, or to `{}` if it has none. Fails with `ERR_ARGUMENT` if there is no such
	passage.
	*/
	async fields(passageId: string): Promise<StoredFields> {
		checkId('fields: passageId', passageId);
		this.#calls.checkOpen();
		return JSON.parse(await callNative({}, () => this.#native.fields(passageId))) as StoredFields;
	}

	/** Makes the last commit of a writer visible to the searches of this object. */
	async reload(): Promise<void> {
		await this.#reloading(() => this.#native.reload());
	}

	/**
	Reads every file of the index and compares it with its checksum; `open` checks at most 64 MiB of them unless its option `verify` is set.
	Also reloads the index. Fails with `ERR_INDEX_CORRUPT` if a checksum differs.
	*/
	async verify(): Promise<void> {
		await this.#reloading(() => this.#native.verify());
	}

	/**
	Refuses later calls with `ERR_CLOSED`, and closes the files of the index when the calls in progress have finished. `await using` waits for
	these calls; this method does not.
	*/
	close(): void {
		// A search that waits for the next iteration of the event loop counts as a call in progress.
		runWaitingSearch();
		this.#calls.closeThen(() => {
			this.#native.close();
			this.#knownIds.clear();
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.close();
		await this.#calls.close();
	}

	/** @internal */
	static handle(index: Bm25Index): Binding.NativeBm25Index {
		checkInstance('bm25', index, Bm25Index);
		return index.#native;
	}

	/** Runs a call that may switch to another commit at any time before it ends. */
	async #reloading(call: () => Promise<void>): Promise<void> {
		this.#calls.checkOpen();
		this.#generation += 1;
		try {
			await callNative({}, call);
		} finally {
			this.#generation += 1;
		}
	}

	#parameters(options: Bm25Options): {k1: number; b: number} {
		checkParameters(options);
		return {k1: options.k1 ?? this.#options.k1 ?? 0.9, b: options.b ?? this.#options.b ?? 0.4};
	}
}

/** @internal */
export function checkParameters({k1, b}: Bm25Options): void {
	if (k1 !== undefined && !(Number.isFinite(k1) && k1 >= 0)) {
		throw new RetrievalError('ERR_ARGUMENT', `k1: expected a number of at least 0, got ${shown(k1)}`);
	}
	if (b !== undefined && !(typeof b === 'number' && b >= 0 && b <= 1)) {
		throw new RetrievalError('ERR_ARGUMENT', `b: expected a number from 0 to 1, got ${shown(b)}`);
	}
}

/** Copies queries to the addon in slices, the first of them before it returns. */
async function queryBatch(queries: readonly Query[]): Promise<Binding.QueryBatch> {
	const batch = new native.QueryBatch();
	for (let from = 0; from < queries.length; from += QUERIES_PER_SLICE) {
		if (from > 0) {
			await yieldToEventLoop();
		}
		const slice = queries.slice(from, from + QUERIES_PER_SLICE);
		const ids: string[] = [];
		const texts: string[] = [];
		for (const query of slice) {
			if (typeof query?.id !== 'string' || typeof query.text !== 'string') {
				checkQuery(`queries[${from + ids.length}]`, query);
			}
			ids.push(query.id);
			texts.push(query.text);
		}
		const joined = ids.join('\0');
		if (!isWellFormed(joined)) {
			ids.forEach((id, i) => checkId(`queries[${from + i}]: id`, id));
		}
		if (!batch.pushJoined(slice.length, joined, texts.join('\0'))) {
			batch.push(ids, texts);
		}
	}
	return batch;
}
