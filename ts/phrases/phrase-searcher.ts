import {checkCount, checkInstance, checkQueries, checkString} from '../core/checks.ts';
import {checkEncoder, encodeQuestions} from '../dense/questions.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import {RetrievedRun} from '../core/native/runs.ts';
import type {Encoder, Hit, Query, Run, Searcher} from '../core/types.ts';
import type {PhraseHit} from './phrase-id.ts';
import {PhraseIndex, type PhraseSearchManyOptions, type PhraseSearchOptions} from './phrase-index.ts';

export interface PhraseSearcherOptions {
	/** The encoder of questions. */
	readonly encoder: Encoder;
	/** An index of phrases, made by the same encoder or by its counterpart for passages. */
	readonly index: PhraseIndex;
	/**
	The same phrases with `normalize: false`, for the scores of phrases: A_k of Yang et al. (2023, §3.2) holds inner products
	that are not divided by the length of the phrase's vector. It is needed if the encoder's vectors do not have length 1, as DPR's.
	@default `index`
	*/
	readonly undivided?: PhraseIndex | undefined;
}

const searcherOptions: OptionNames = optionNames<PhraseSearcherOptions>({encoder: true, index: true, undivided: true});
const searchNames = {...callNames, k: true, filter: true, efSearch: true} as const;
const searchOptions: OptionNames = optionNames<PhraseSearchOptions>(searchNames);
const searchManyOptions: OptionNames = optionNames<PhraseSearchManyOptions>({...searchNames, threads: true});

/** The number of phrases that are returned in addition to passages. */
export interface PhraseCountOption {
	/** Maximum number of phrases per query: the k of A_k. @default 30 */
	readonly maxPhrases?: number | undefined;
}

const bothOptions: OptionNames = optionNames<PhraseSearchOptions & PhraseCountOption>({...searchNames, maxPhrases: true});
const bothManyOptions: OptionNames = optionNames<PhraseSearchManyOptions & PhraseCountOption>({
	...searchNames,
	threads: true,
	maxPhrases: true,
});

/**
Ranks passages by their best phrases: a model M of Yang et al. (2023). Like any searcher, it can be used in hybrids, in
`ConfidenceSearcher` and in evaluations.

@example
```
const sentences = new PhraseSearcher({encoder, index});
const [hit] = await sentences.search('who discovered radium?');
passage.text.slice(hit.start, hit.end);
```
*/
export class PhraseSearcher implements Searcher {
	readonly #encoder: Encoder;
	readonly #index: PhraseIndex;
	readonly #undivided: PhraseIndex;

	constructor(options: PhraseSearcherOptions) {
		checkRequiredOptions('PhraseSearcher', options, searcherOptions);
		const {encoder, index, undivided = index} = options;
		checkInstance('PhraseSearcher: index', index, PhraseIndex);
		checkInstance('PhraseSearcher: undivided', undivided, PhraseIndex);
		checkEncoder('PhraseSearcher', encoder, index);
		checkEncoder('PhraseSearcher: undivided', encoder, undivided);
		this.#encoder = encoder;
		this.#index = index;
		this.#undivided = undivided;
	}

	/** Returns the best passages, best first, each with its best phrase. */
	async search(query: string, options: PhraseSearchOptions = {}): Promise<PhraseHit[]> {
		checkString('search: query', query);
		checkOptions('search', options, searchOptions);
		const {data} = await this.#encoder.encode([query], {signal: options.signal});
		return this.#index.search(data, options);
	}

	/** Returns the hits of many queries, without phrases. Each question is encoded alone, so its vector is the same as in `search`. */
	async searchMany(queries: readonly Query[], options: PhraseSearchManyOptions = {}): Promise<Run> {
		checkQueries('queries', queries);
		checkOptions('searchMany', options, searchManyOptions);
		const {onProgress} = options;
		const total = queries.length;
		const vectors = await encodeQuestions(this.#encoder, queries, options);
		const run = await this.#index.searchRun(
			queries.map(query => query.id),
			vectors,
			{...options, onProgress: undefined},
		);
		await onProgress?.({done: total, total});
		return new RetrievedRun(run);
	}

	/**
	Returns the best passages as `search` does, and the best phrases, of which several may belong to one passage. The confidence of a
	model of phrases is computed from the latter. The question is encoded once. `k` is the number of passages.

	@example
	```
	const {hits, phrases} = await sentences.searchWithPhrases('who discovered radium?', {k: 10, maxPhrases: 30});
	confidence(Float32Array.from(phrases, ({score}) => score), 0.05);
	```
	*/
	async searchWithPhrases(
		query: string,
		options: PhraseSearchOptions & PhraseCountOption = {},
	): Promise<{readonly hits: PhraseHit[]; readonly phrases: PhraseHit[]}> {
		checkString('searchWithPhrases: query', query);
		checkOptions('searchWithPhrases', options, bothOptions);
		const {maxPhrases = 30, ...search} = options;
		checkCount('maxPhrases', maxPhrases, 0);
		const {data} = await this.#encoder.encode([query], {signal: options.signal});
		return {
			hits: await this.#index.search(data, search),
			phrases: await this.#undivided.searchPhrases(data, {...search, k: maxPhrases}),
		};
	}

	/**
	Returns the best passages and the best phrases of many queries. The hits of `phrases` are phrases, with ids of the form
	`passage:start-end`. Progress counts queries.
	*/
	async searchManyWithPhrases(
		queries: readonly Query[],
		options: PhraseSearchManyOptions & PhraseCountOption = {},
	): Promise<{readonly run: Run; readonly phrases: Run}> {
		checkQueries('queries', queries);
		checkOptions('searchManyWithPhrases', options, bothManyOptions);
		const {maxPhrases = 30, onProgress, ...search} = options;
		checkCount('maxPhrases', maxPhrases, 0);
		const total = queries.length;
		const vectors = await encodeQuestions(this.#encoder, queries, options);
		const names = queries.map(({id}) => id);
		const run = new RetrievedRun(await this.#index.searchRun(names, vectors, search));
		const lists = await this.#undivided.searchPhrasesMany(vectors, {...search, k: maxPhrases});
		await onProgress?.({done: total, total});
		return {run, phrases: new Map(lists.map((hits, i) => [names[i]!, hits.map(phraseNamed)]))};
	}
}

/** @internal A phrase as a hit of a run. */
export const phraseNamed = ({id, start, end, score}: PhraseHit): Hit => ({id: `${id}:${start}-${end}`, score});
