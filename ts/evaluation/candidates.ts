/** Selects, for each query, the candidate passages among which a searcher must find the gold passage. */
import {createHash} from 'node:crypto';
import {checkArray, checkCount, checkFunction, checkId, checkMap, checkQueries, hasMethods, isWellFormed, kindOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import {checkJudged, checkQrels} from '../core/native/qrels.ts';
import {hitsFor} from '../core/native/runs.ts';
import {yieldIfOverBudget} from '../core/event-loop.ts';
import type {CallOptions, Qrels, Query, Run, SearchManyOptions} from '../core/types.ts';

/** The candidates of one query: its gold passage, and the passages that a searcher should rank below the gold passage. */
export interface Candidates {
	/** Id of the gold passage: the relevant passage that should be ranked first. */
	readonly gold: string;
	/**
	Ids of all candidates: the gold passage, then the hard negatives, best first, then the random passages, in the order in which they were
	drawn.
	*/
	readonly ids: readonly string[];
}

/** The result of `candidateLists`. */
export interface CandidateLists {
	/** Query id → its candidates, in the order of the queries. */
	readonly lists: ReadonlyMap<string, Candidates>;
	/** Requested number of candidates per query: 1 + `negatives` + `random`. */
	readonly size: number;
	/** Number of queries with fewer candidates than `size`, because there are not enough passages or hard negatives. */
	readonly shortListCount: number;
	/** Number of queries without candidates, because none of their relevant passages is in the corpus. */
	readonly withoutRelevantCount: number;
}

/** Finds hard negatives: passages that are not relevant but rank high. Usually a `Bm25Index`. */
export interface NegativeSearcher {
	/** Returns the best passages for each query. */
	searchMany(queries: readonly Query[], options: SearchManyOptions): Promise<Run>;
}

/** The options of `candidateLists`. */
export interface CandidateOptions extends CallOptions {
	/** Number of hard negatives per query. Yang et al. (2023) use 10 in §4.1, and 9 in their Table 3. @default 10 */
	readonly negatives?: number | undefined;
	/** Number of passages drawn at random per query. @default 20 */
	readonly random?: number | undefined;
	/** Seed for drawing the random passages. @default 42 */
	readonly seed?: number | undefined;
	/**
	Returns whether a passage is relevant although it is not judged as relevant, for example because it contains the answer. Such a passage
	is never a candidate. @default only passages that are judged as relevant are relevant
	*/
	readonly isRelevant?: ((queryId: string, passageId: string) => boolean | Promise<boolean>) | undefined;
}

const candidateOptions: OptionNames = optionNames<CandidateOptions>({
	...callNames,
	negatives: true,
	random: true,
	seed: true,
	isRelevant: true,
});

/** Number of additional hits requested if `isRelevant` may exclude some of them. */
const EXTRA_HITS = 100;

/**
Selects the candidates of each query by the protocol of Yang et al. (2023, §4.1): the gold passage, the best hits of `hard` that are not
relevant, and passages drawn at random from the rest. The gold passage is the passage of the corpus with the highest grade in `gold`; if
several have that grade, it is the first of them. Other relevant passages are never candidates.

`hard` is a searcher or a run, and `passages` are the ids of all passages of the corpus. The lists of a run should be long enough to have
`negatives` hits besides the relevant passages; missing hard negatives are not replaced by other passages.

The random passages of a query depend on the seed, the query id and the order of `passages`, but not on the other queries. Fails with
`ERR_DUPLICATE_ID` if `passages` has an id twice. Progress counts the queries with a gold passage.

@example
```
const candidates = await candidateLists(questions, qrels, bm25, passageIds, {negatives: 10, random: 20, seed: 42});
candidates.lists.get('q1');
//=> {gold: 'p7', ids: ['p7', 'p31', 'p2', …]}
```
*/
export async function candidateLists(
	queries: readonly Query[],
	gold: Qrels,
	hard: Run | NegativeSearcher,
	passages: readonly string[],
	options: CandidateOptions = {},
): Promise<CandidateLists> {
	checkQueries('queries', queries);
	checkQrels('gold', gold);
	checkOptions('candidateLists', options, candidateOptions);
	const {negatives = 10, random = 20, seed = 42, isRelevant, signal, onProgress} = options;
	checkCount('negatives', negatives, 0);
	checkCount('random', random, 0);
	checkCount('seed', seed, 0);
	checkArray('passages', passages, 'ids');
	if (isRelevant !== undefined) {
		checkFunction('isRelevant', isRelevant);
	}
	const nextSlice = async (): Promise<void> => {
		await yieldIfOverBudget();
		signal?.throwIfAborted();
	};
	await nextSlice();
	const corpus = new Set<string>();
	for (const [i, id] of passages.entries()) {
		if (typeof id !== 'string' || !isWellFormed(id)) {
			checkId(`passages[${i}]`, id);
		}
		corpus.add(id);
		if (i % 1000 === 0) {
			await nextSlice();
		}
	}
	if (corpus.size !== passages.length) {
		throw new RetrievalError('ERR_DUPLICATE_ID', `passages: expected distinct ids, got ${passages.length - corpus.size} repeated`);
	}
	const judged: Array<{readonly query: Query; readonly relevant: readonly string[]}> = [];
	for (const query of queries) {
		const grades = gold.get(query.id);
		if (grades !== undefined) {
			checkJudged(`gold: judgments of query "${query.id}"`, grades);
		}
		const relevant = relevantOf(grades, corpus);
		if (relevant.length > 0) {
			judged.push({query, relevant});
		}
		await nextSlice();
	}
	const run = await hardRun(
		hard,
		judged.map(({query}) => query),
		isRelevant === undefined ? negatives + judged.reduce((max, {relevant}) => Math.max(max, relevant.length), 0) : EXTRA_HITS + negatives,
		options,
	);
	const size = 1 + negatives + random;
	const lists = new Map<string, Candidates>();
	let shortListCount = 0;
	for (const {query, relevant} of judged) {
		const excluded = new Set(relevant);
		const ids = [relevant[0]!];
		const take = async (id: string): Promise<void> => {
			if (!excluded.has(id) && corpus.has(id)) {
				excluded.add(id);
				if (isRelevant === undefined || !(await isRelevant(query.id, id))) {
					ids.push(id);
				}
			}
		};
		for (const {id} of hitsFor(run, query.id)) {
			if (ids.length > negatives) {
				break;
			}
			await take(id);
		}
		const wanted = ids.length + random;
		for (const i of shuffled(passages.length, `${seed}\0${query.id}`)) {
			if (ids.length === wanted) {
				break;
			}
			await take(passages[i]!);
		}
		shortListCount += Number(ids.length < size);
		lists.set(query.id, {gold: ids[0]!, ids});
		await onProgress?.({done: lists.size, total: judged.length});
		await nextSlice();
	}
	return {lists, size, shortListCount, withoutRelevantCount: queries.length - judged.length};
}

/** Returns the ids of the relevant passages that are in the corpus, those with the highest grades first. */
function relevantOf(grades: ReadonlyMap<string, number> | undefined, corpus: ReadonlySet<string>): string[] {
	return [...(grades ?? [])]
		.filter(([id, grade]) => grade > 0 && corpus.has(id))
		.sort(([, a], [, b]) => b - a)
		.map(([id]) => id);
}

/** Returns `hard` if it is a run; otherwise, searches with it. */
async function hardRun(hard: Run | NegativeSearcher, queries: readonly Query[], k: number, {signal}: CallOptions): Promise<Run> {
	if (hasMethods(hard, 'get')) {
		return hard as Run;
	}
	if (!hasMethods(hard, 'searchMany')) {
		throw new RetrievalError('ERR_ARGUMENT', `hard: expected a run or a searcher, got ${kindOf(hard)}`);
	}
	const run = await (hard as NegativeSearcher).searchMany(queries, {k, signal});
	checkMap('hard: the run of its searchMany', run, 'query id to hits');
	return run;
}

/**
Iterates over the numbers from 0 to `count` − 1 in a random order that the key determines. This is the shuffle of Fisher and Yates (1938),
but without an array of all numbers: `moved` has only the positions whose number has changed.
*/
function* shuffled(count: number, key: string): Generator<number, void, undefined> {
	const moved = new Map<number, number>();
	const generator = randomNumbers(key);
	for (let remaining = count; remaining > 0; remaining--) {
		// `remaining` is far below 2⁴⁸, so all remainders are practically equally likely.
		const at = generator.next().value! % remaining;
		yield moved.get(at) ?? at;
		moved.set(at, moved.get(remaining - 1) ?? remaining - 1);
	}
}

/** Iterates over random whole numbers below 2⁴⁸: six bytes at a time of the SHA-256 hashes of the key and a counter. */
function* randomNumbers(key: string): Generator<number, never, undefined> {
	for (let block = 0; ; block++) {
		const bytes = createHash('sha256').update(`${key}\0${block}`).digest();
		for (let from = 0; from + 6 <= bytes.length; from += 6) {
			yield bytes.readUIntBE(from, 6);
		}
	}
}
