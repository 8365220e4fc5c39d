import {
	checkArray,
	checkCount,
	checkId,
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
import {type Binding, callNative, callSync, native} from '../core/native/native.ts';
import {bufferedHits, hitBuffer, toHits} from '../core/native/hits.ts';
import {type OpenOptions, checkedOpenOptions, openOptionNames} from '../core/open-options.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import {RetrievedRun} from '../core/native/runs.ts';
import {type PassageSource, fileNames} from '../core/passage-source.ts';
import {runWaitingSearch, yieldToEventLoop} from '../core/event-loop.ts';
import {InlineSearches} from '../core/inline-searches.ts';
import type {Hit, PassageFields, Query, Run, SearchManyOptions, SearchOptions, Searcher} from '../core/types.ts';
import type {Analyzer, AnalyzerDescription} from './analyzer.ts';
import {type AddOptions, type Bm25CreateOptions, Bm25Writer, checkSkipped} from './bm25-writer.ts';
import {type Filter, filterJson} from './filter.ts';
import {describedAnalyzer, nativeAnalyzer} from './native-analyzer.ts';

/** Parameters of BM25, applied when searching: tuning them needs no new index. */
export interface Bm25Options {
	/** Saturation of term frequency, at least 0. @default 0.9 */
	readonly k1?: number | undefined;
	/** Normalisation by passage length, 0 to 1. @default 0.4 */
	readonly b?: number | undefined;
}

export interface Bm25OpenOptions extends Bm25Options, OpenOptions {
	/** Refuse an index that was made with another analyzer, now or when reloading. @default any */
	readonly analyzer?: Analyzer | undefined;
}

export interface Bm25BuildOptions extends AddOptions, Omit<Bm25CreateOptions, 'mergeInBackground'> {}

/**
Finds only passages that meet `filter`, with the scores that they have without it. An index keeps what its last filters
found, until it is reloaded: one used again costs nothing.
*/
export interface Bm25FilterOptions {
	/** @default every passage */
	readonly filter?: Filter | undefined;
}

export interface Bm25SearchOptions extends SearchOptions, Bm25Options, Bm25FilterOptions {}
export interface Bm25SearchManyOptions extends SearchManyOptions, Bm25Options, Bm25FilterOptions {}

/** What `Bm25Index.repair` did; all zero if the index was intact. */
export interface Bm25Repair {
	/** Missing files that were rebuilt. */
	readonly rebuiltFiles: number;
	/** Passages that were restored. */
	readonly restored: number;
	/** Passages of the last commit that could not be restored. */
	readonly lost: number;
}

/** A term as the analyzer gives it, with its weight in a query. */
export interface WeightedTerm {
	readonly term: string;
	readonly weight: number;
}

/** Why a passage has its score: `score` is the sum of the terms' contributions, rounded to a 32-bit float. */
export interface Explanation {
	readonly score: number;
	/** Terms of the passage, as its length is stored: in one byte, like Lucene's. */
	readonly length: number;
	/** Mean length of all passages, in terms. */
	readonly averageLength: number;
	readonly terms: readonly TermExplanation[];
}

export interface TermExplanation {
	readonly term: string;
	/** Times in the query. */
	readonly queryFrequency: number;
	/** Times in the passage. */
	readonly frequency: number;
	/** Passages that have it. */
	readonly passages: number;
	readonly idf: number;
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

/** Copied in one turn of the event loop: under a millisecond. */
const QUERIES_A_TURN = 500;

/**
BM25 as Lucene computes it (Robertson & Zaragoza, 2009, without the factor k1 + 1), over `title text`.

@example
```
const index = await Bm25Index.build('./bm25', './psgs_w100.tsv');
await index.search('who built the bridge?', {k: 10});
```
*/
export class Bm25Index implements Searcher, AsyncDisposable {
	readonly #native: Binding.NativeBm25Index;
	readonly #options: Bm25Options;
	readonly #quick = new InlineSearches();

	private constructor(index: Binding.NativeBm25Index, options: Bm25Options) {
		checkFactoryMade('Bm25Index', index, native.NativeBm25Index, 'Bm25Index.open() or Bm25Index.build()');
		this.#native = index;
		this.#options = options;
	}

	/**
	Indexes passages in the folder `path`, which is made, in one segment, and opens the result. Of a corpus file or a store
	none passes through JavaScript. Progress counts bytes of a file, passages of other sources. A build that fails or is
	aborted leaves the index that was there, or an empty one, which the next build replaces unasked.
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
	Opens the index in the folder `path`, memory-mapped unless `inMemory` is set. The BM25 parameters are defaults that a search
	may override. Rejects with `ERR_INDEX_CORRUPT` if it is damaged (see `repair`), `ERR_INDEX_VERSION` if it has another format
	version, `ERR_ANALYZER_MISMATCH`, or `ERR_IO`.
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
	Repairs the index in the folder `path` and checks all of its files. No writer may have it open. The repair restores passages
	that an uncommitted deletion removed (a bug of early versions), as far as their files still exist, and rebuilds missing
	`.impacts` files. It does not change an intact index. Rejects with `ERR_INDEX_LOCKED` while a writer has the index open, and
	with `ERR_INDEX_CORRUPT` for other damage, which leaves the index as it was.
	*/
	static async repair(path: string): Promise<Bm25Repair> {
		checkString('path', path);
		return callNative({}, () => native.repairBm25Index(path));
	}

	/** Passages that can be found. */
	get size(): number {
		return callSync(() => this.#native.size);
	}

	/** The analyzer that the index was made with, and its options. */
	get analyzer(): AnalyzerDescription {
		return describedAnalyzer(callSync(() => this.#native.analyzer));
	}

	/** The terms of a text, as this index's analyzer gives them. */
	terms(text: string): string[] {
		checkString('terms: text', text);
		return callSync(() => this.#native.terms(text));
	}

	/**
	The best passages, best first; of equal scores the one added earlier first. A search of an index of up to 64 MiB that
	is estimated at less than a quarter of a millisecond is done here and now, as far as the turn of the event loop has time
	left, or first thing in the next turn if no other waits for that; others are done on another thread.
	*/
	async search(query: string, options: Bm25SearchOptions = {}): Promise<Hit[]> {
		checkString('search: query', query);
		checkOptions('search', options, searchOptions);
		const {k = 100} = options;
		checkCount('k', k, 0);
		const {k1, b} = this.#parameters(options);
		const filter = filterJson(options.filter);
		options.signal?.throwIfAborted();
		const inThread = async (): Promise<Hit[]> =>
			toHits(await callNative(options, control => this.#native.search(query, k, k1, b, filter, control)));
		if (filter !== undefined || options.onProgress !== undefined) {
			return inThread();
		}
		return this.#quick.search(
			() => {
				const ids = callSync(() => this.#native.searchIfQuick(query, k, k1, b, hitBuffer));
				return ids === null ? undefined : bufferedHits(ids);
			},
			inThread,
			options,
		);
	}

	/** The hits of many queries, found in one call on several threads. Fastest by far where queries are known together. */
	async searchMany(queries: readonly Query[], options: Bm25SearchManyOptions = {}): Promise<Run> {
		checkArray('queries', queries, '{id, text}');
		checkOptions('searchMany', options, searchManyOptions);
		const {k = 100, threads = 0} = options;
		checkCount('k', k, 0);
		checkCount('threads', threads, 0);
		const {k1, b} = this.#parameters(options);
		const filter = filterJson(options.filter);
		const batch = new native.QueryBatch();
		for (let from = 0; from < queries.length; from += QUERIES_A_TURN) {
			if (from > 0) {
				await yieldToEventLoop();
			}
			const slice = queries.slice(from, from + QUERIES_A_TURN);
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
		return new RetrievedRun(await callNative(options, control => this.#native.searchMany(batch, k, k1, b, threads, filter, control)));
	}

	/** Searches for terms that are analysed already, each with its weight. */
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
		const filter = filterJson(options.filter);
		const weights = Float32Array.from(terms, term => term.weight);
		return toHits(
			await callNative(options, control =>
				this.#native.searchTerms(
					terms.map(term => term.term),
					weights,
					k,
					k1,
					b,
					filter,
					control,
				),
			),
		);
	}

	/** How a passage's score for a query comes about. */
	async explain(query: string, passageId: string, options: Bm25Options = {}): Promise<Explanation> {
		checkString('explain: query', query);
		checkId('explain: passageId', passageId);
		checkOptions('explain', options, parameterOptions);
		const {k1, b} = this.#parameters(options);
		return callNative({}, () => this.#native.explain(query, passageId, k1, b));
	}

	/** The fields of a passage; `{}` if it has none. */
	async fields(passageId: string): Promise<PassageFields> {
		checkId('fields: passageId', passageId);
		return JSON.parse(await callNative({}, () => this.#native.fields(passageId))) as PassageFields;
	}

	/** Sees what a writer has committed since the index was opened. */
	async reload(): Promise<void> {
		await callNative({}, () => this.#native.reload());
	}

	/**
	Reads every file of the index and compares it with its checksum, which opening does for up to 64 MiB; sees the last
	commit from then on. Rejects with `ERR_INDEX_CORRUPT`.
	*/
	async verify(): Promise<void> {
		await callNative({}, () => this.#native.verify());
	}

	/** Gives its files back; calls in progress finish. */
	close(): void {
		// A search that waits for its turn is in progress.
		runWaitingSearch();
		this.#native.close();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.close();
	}

	/** @internal */
	static handle(index: Bm25Index): Binding.NativeBm25Index {
		checkInstance('bm25', index, Bm25Index);
		return index.#native;
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
