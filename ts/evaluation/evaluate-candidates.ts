/** Ranks candidate passages with a searcher, and evaluates the rankings. */
import {checkCount, checkMap, checkObject, checkQueries, hasMethods, kindOf, shown} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type OptionNames, callNames, checkOptions, optionNames, signalOption} from '../core/options.ts';
import {checkRun, hitsFor} from '../core/native/runs.ts';
import {yieldIfOverBudget} from '../core/event-loop.ts';
import type {CallOptions, Hit, Query, Run} from '../core/types.ts';
import type {CandidateLists} from './candidates.ts';

/** A searcher that accepts a filter by passage ids, as all searchers of this package do. */
export interface FilteredSearcher {
	/** Returns the best passages for a query among those with the ids in `filter`. */
	search(
		query: string,
		options: {readonly k: number; readonly filter: {readonly ids: readonly string[]}; readonly signal?: AbortSignal | undefined},
	): Promise<Hit[]>;
}

/** The options of `rankCandidates`. */
export interface RankCandidatesOptions extends CallOptions {
	/** Number of concurrent searches. @default 8 */
	readonly concurrency?: number | undefined;
}

const rankOptions: OptionNames = optionNames<RankCandidatesOptions>({...callNames, concurrency: true});

/** How well the gold passages are ranked among their candidates. */
export interface CandidateEvaluation {
	/**
	Share of queries for which the gold passage is ranked first, 0 to 1. Yang et al. (2023, Tables 2 and 3) call it F-1: one passage is
	predicted and one is correct for each query, so precision, recall and F1 are all equal to this share.
	*/
	readonly accuracy: number;
	/** Mean reciprocal rank of the gold passage, 0 to 1. */
	readonly mrr: number;
	/** Query id → whether the gold passage is ranked first, and its reciprocal rank. */
	readonly perQuery: ReadonlyMap<string, {readonly correct: boolean; readonly reciprocalRank: number}>;
	/** Number of queries that have candidates but are not in the run; their reciprocal rank counts as 0. */
	readonly missing: number;
}

/**
Ranks the candidates of each query with a searcher, by searches that are restricted to the candidates. Candidates that the searcher does not
return, for example because they have no term of the query, are not in the run. Queries without candidates are ignored. Progress counts the
queries with candidates.

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
	const judged = queries.filter(({id}) => lists.has(id));
	const found: Array<readonly Hit[]> = Array.from({length: judged.length});
	let [next, done] = [0, 0];
	let failure: {readonly error: unknown} | undefined;
	const rank = async (i: number): Promise<void> => {
		signal?.throwIfAborted();
		const {id, text} = judged[i]!;
		const {ids} = lists.get(id)!;
		const hits = await searcher.search(text, {k: ids.length, filter: {ids}, signal});
		const candidates = new Set(ids);
		const other = hits.find(hit => !candidates.has(hit.id));
		if (other !== undefined) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				`searcher: expected hits among the candidates of query ${shown(id)}, got ${shown(other.id)}: the searcher ignores the filter by ids`,
			);
		}
		found[i] = hits;
		done += 1;
		if (failure === undefined) {
			await onProgress?.({done, total: judged.length});
		}
	};
	// If a search fails, the other workers finish their current search and stop, so that nothing is left running.
	const work = async (): Promise<void> => {
		while (failure === undefined && next < judged.length) {
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
	return new Map(judged.map(({id}, i) => [id, found[i]!]));
}

function checkedLists(candidates: CandidateLists): CandidateLists['lists'] {
	checkObject('candidates', candidates, 'the result of candidateLists()');
	checkMap('candidates: lists', candidates.lists, 'query id to {gold, ids}');
	return candidates.lists;
}

/**
Evaluates how high the gold passages are ranked among their candidates. Only scores decide the rank: if other candidates have the same
score as the gold passage, the gold passage is ranked after all of them, so that the order of equal scores never helps. A gold passage that
is not among the hits has a reciprocal rank of 0. Fails with `ERR_ARGUMENT` if no query has candidates.

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
		throw new RetrievalError('ERR_ARGUMENT', 'candidates: expected candidates for at least one query, got none');
	}
	const perQuery = new Map<string, {correct: boolean; reciprocalRank: number}>();
	let [correctCount, sum, missing] = [0, 0, 0];
	for (const [id, {gold}] of lists) {
		await yieldIfOverBudget();
		signal?.throwIfAborted();
		missing += Number(!run.has(id));
		const reciprocalRank = reciprocalRankOf(gold, hitsFor(run, id));
		const correct = reciprocalRank === 1;
		perQuery.set(id, {correct, reciprocalRank});
		correctCount += Number(correct);
		sum += reciprocalRank;
	}
	return {accuracy: correctCount / lists.size, mrr: sum / lists.size, perQuery, missing};
}

function reciprocalRankOf(gold: string, hits: readonly Hit[]): number {
	const goldHit = hits.find(({id}) => id === gold);
	return goldHit === undefined ? 0 : 1 / hits.filter(({score}) => score >= goldHit.score).length;
}
