import {checkInstance, checkQueries, checkString} from '../check.ts';
import {checkEncoder, encodeQuestions} from '../dense/questions.ts';
import {type OptionNames, callNames, checkGiven, checkOptions, optionNames} from '../options.ts';
import {RetrievedRun} from '../run.ts';
import type {Encoder, Query, Run, Searcher} from '../types.ts';
import type {PhraseHit} from './phrase-id.ts';
import {PhraseIndex, type PhraseSearchManyOptions, type PhraseSearchOptions} from './phrase-index.ts';

export interface PhraseSearcherOptions {
	/** Of questions. */
	readonly encoder: Encoder;
	/** Of phrases, made by the same encoder or by its counterpart for passages. */
	readonly index: PhraseIndex;
}

const searcherOptions: OptionNames = optionNames<PhraseSearcherOptions>({encoder: true, index: true});
const searchNames = {...callNames, k: true, filter: true, efSearch: true} as const;
const searchOptions: OptionNames = optionNames<PhraseSearchOptions>(searchNames);
const searchManyOptions: OptionNames = optionNames<PhraseSearchManyOptions>({...searchNames, threads: true});

/**
Ranks passages by their best phrases: a model M of Yang et al. (2023), which takes part in hybrids, in
`ConfidenceSearcher` and in evaluation as any searcher does.

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

	constructor(options: PhraseSearcherOptions) {
		checkGiven('PhraseSearcher', options, searcherOptions);
		const {encoder, index} = options;
		checkInstance('PhraseSearcher: index', index, PhraseIndex);
		checkEncoder('PhraseSearcher', encoder, index);
		this.#encoder = encoder;
		this.#index = index;
	}

	/** The best passages, best first, each with its best phrase. */
	async search(query: string, options: PhraseSearchOptions = {}): Promise<PhraseHit[]> {
		checkString('search: query', query);
		checkOptions('search', options, searchOptions);
		const {data} = await this.#encoder.encode([query], {signal: options.signal});
		return this.#index.search(data, options);
	}

	/** Questions are encoded one at a time, so that each gets the vector that `search` gives it. Phrases are not told. */
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
}
