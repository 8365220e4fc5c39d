import {checkCount, checkMap, checkObject, checkQueries, hasMethods, kindOf, shown} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type OptionNames, callNames, checkOptions, optionNames, signalOption} from '../core/options.ts';
import {checkRun, hitsFor} from '../core/native/runs.ts';
import {waitForTime} from '../core/event-loop.ts';
import type {CallOptions, Hit, Query, Run} from '../core/types.ts';
import type {CandidateLists} from './candidates.ts';

/** A searcher that accepts a filter by ids: `Bm25Index`, `DenseSearcher` and `PhraseSearcher` do. */
export interface FilteredSearcher {
	search(
		query: string,
		options: {readonly k: number; readonly filter: {readonly ids: readonly string[]}; readonly signal?: AbortSignal | undefined},
	): Promise<Hit[]>;
}

export interface RankCandidatesOptions extends CallOptions {
	/** Number of concurrent searches. @default 8 */
	readonly concurrency?: number | undefined;
}

const rankOptions: OptionNames = optionNames<RankCandidatesOptions>({...callNames, concurrency: true});

/** How well the gold passages are ranked among their candidates. */
export interface CandidateEvaluation {
	/**
	Share of queries whose gold passage is ranked first, 0 to 1. One passage is predicted and one is correct, so precision, recall and F-1
	are equal to it: it is the F-1 of Yang et al. (2023, Tables 2 and 3).
	*/
	readonly accuracy: number;
	/** Mean reciprocal rank of the gold passage. */
	readonly mrr: number;
	readonly perQuery: ReadonlyMap<string, {readonly correct: boolean; readonly reciprocalRank: number}>;
	/** Number of queries with candidates that are not in the run; they count as misses. */
	readonly missing: number;
}

/**
Ranks the candidates of each query with a searcher. A list has as many hits as the searcher finds among the candidates. Progress counts
queries.

@example
```
const run = await rankCandidates(bm25, questions, await candidateLists(questions, qrels, bm25, passageIds));
```
*/
export async function rankCandidates(
	searcher: FilteredSearcher,
	queries: readonly Query[],
	candidates: CandidateLists,
	options: RankCandidatesOptions = {},
): Promise<Run> {
	if (!hasMethods(searcher, 'search')) {
		throw new RetrievalError('ERR_ARGUMENT', `searcher: expected a searcher, got ${kindOf(searcher)}`);
	}
	checkQueries('queries', queries);
	const lists = checkedLists(candidates);
	checkOptions('rankCandidates', options, rankOptions);
	const {concurrency = 8, signal, onProgress} = options;
	checkCount('concurrency', concurrency, 1);
	const asked = queries.filter(({id}) => lists.has(id));
	const found: Array<readonly Hit[]> = Array.from({length: asked.length});
	let [next, done] = [0, 0];
	let failure: {readonly error: unknown} | undefined;
	const rank = async (i: number): Promise<void> => {
		signal?.throwIfAborted();
		const {id, text} = asked[i]!;
		const {ids} = lists.get(id)!;
		const hits = await searcher.search(text, {k: ids.length, filter: {ids}, signal});
		const candidates = new Set(ids);
		const other = hits.find(hit => !candidates.has(hit.id));
		if (other !== undefined) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				`searcher: expected hits among the candidates of query ${shown(id)}, got ${shown(other.id)}: it takes no filter by ids`,
			);
		}
		found[i] = hits;
		done += 1;
		if (failure === undefined) {
			await onProgress?.({done, total: asked.length});
		}
	};
	// If one fails, the others finish their current search and stop, so that nothing is left running.
	const work = async (): Promise<void> => {
		while (failure === undefined && next < asked.length) {
			try {
				await rank(next++);
			} catch (error) {
				failure ??= {error};
			}
		}
	};
	await Promise.all(Array.from({length: concurrency}, work));
	if (failure !== undefined) {
		throw (failure as {readonly error: unknown}).error;
	}
	return new Map(asked.map(({id}, i) => [id, found[i]!]));
}

function checkedLists(candidates: CandidateLists): CandidateLists['lists'] {
	checkObject('candidates', candidates, 'what candidateLists() resolves to');
	checkMap('candidates: lists', candidates.lists, 'query id to {gold, ids}');
	return candidates.lists;
}

/**
Evaluates rankings of candidates by their scores alone: of equal scores, the gold passage counts as last, so that its position in the list
or the index never helps. A gold passage that was not found has a reciprocal rank of 0.

@example
```
const {accuracy, mrr} = await evaluateCandidates(run, candidates);
//=> {accuracy: 0.754, mrr: 0.832, …}
```
*/
export async function evaluateCandidates(
	run: Run,
	candidates: CandidateLists,
	options: Pick<CallOptions, 'signal'> = {},
): Promise<CandidateEvaluation> {
	checkRun('run', run);
	const lists = checkedLists(candidates);
	checkOptions('evaluateCandidates', options, signalOption);
	const {signal} = options;
	if (lists.size === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'candidates: expected those of at least one query, got none');
	}
	const perQuery = new Map<string, {correct: boolean; reciprocalRank: number}>();
	let [right, sum, missing] = [0, 0, 0];
	for (const [id, {gold}] of lists) {
		await waitForTime();
		signal?.throwIfAborted();
		missing += Number(!run.has(id));
		const reciprocalRank = reciprocalRankOf(gold, hitsFor(run, id));
		const correct = reciprocalRank === 1;
		perQuery.set(id, {correct, reciprocalRank});
		right += Number(correct);
		sum += reciprocalRank;
	}
	return {accuracy: right / lists.size, mrr: sum / lists.size, perQuery, missing};
}

function reciprocalRankOf(gold: string, hits: readonly Hit[]): number {
	const own = hits.find(({id}) => id === gold);
	return own === undefined ? 0 : 1 / hits.filter(({score}) => score >= own.score).length;
}
