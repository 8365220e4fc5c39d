import {createHash} from 'node:crypto';
import {checkArray, checkCount, checkFunction, checkId, checkMap, checkQueries, hasMethods, isWellFormed, kindOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import {checkJudged, checkQrels} from '../core/native/qrels.ts';
import {hitsFor} from '../core/native/runs.ts';
import {waitForTime} from '../core/event-loop.ts';
import type {CallOptions, Qrels, Query, Run, SearchManyOptions} from '../core/types.ts';

/** The passages that one query's are told apart among. */
export interface Candidates {
	/** The relevant one. */
	readonly gold: string;
	/** All of them: gold, hard negatives best first, random ones as they were drawn. */
	readonly ids: readonly string[];
}

export interface CandidateLists {
	/** Query id → its candidates, in the order of the queries. */
	readonly lists: ReadonlyMap<string, Candidates>;
	/** How many candidates a query was to have: 1 + negatives + random. */
	readonly size: number;
	/** Queries that have fewer, because there are no more passages or hard negatives. */
	readonly short: number;
	/** Queries left out, since no relevant passage of theirs is in the corpus. */
	readonly without: number;
}

/** What finds hard negatives: BM25 as a rule. */
export interface NegativeSearcher {
	searchMany(queries: readonly Query[], options: SearchManyOptions): Promise<Run>;
}

export interface CandidateOptions extends CallOptions {
	/** Hard negatives of a query. Yang et al. (2023) have 10 in §4.1, and 9 in their Table 3. @default 10 */
	readonly negatives?: number | undefined;
	/** Passages drawn at random. @default 20 */
	readonly random?: number | undefined;
	/** What random ones are drawn by. @default 42 */
	readonly seed?: number | undefined;
	/** Passages that are relevant and not judged so, because they have the answer, say: they are never candidates. @default none */
	readonly isRelevant?: ((queryId: string, passageId: string) => boolean | Promise<boolean>) | undefined;
}

const candidateOptions: OptionNames = optionNames<CandidateOptions>({
	...callNames,
	negatives: true,
	random: true,
	seed: true,
	isRelevant: true,
});

/** The largest list of a searcher that is asked for hard negatives where relevance is not all judged. */
const DEPTH = 100;

/**
The protocol of Yang et al. (2023, §4.1): for each query its gold passage, the hits of `hard` that are not relevant, best
first, and passages that are drawn at random from what is left. Gold is the passage of the highest grade, of equal grades
the first judged; other relevant passages are never candidates. Where `hard` is a run it should be as deep as there are
relevant passages and negatives together: what it lacks makes lists shorter, and is not replaced.

The same seed gives a query the same random passages whatever other queries there are, and in whatever order, from the same
`passages` in the same order. Progress counts queries.

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
	const turn = async (): Promise<void> => {
		await waitForTime();
		signal?.throwIfAborted();
	};
	await turn();
	const corpus = new Set<string>();
	for (const [i, id] of passages.entries()) {
		if (typeof id !== 'string' || !isWellFormed(id)) {
			checkId(`passages[${i}]`, id);
		}
		corpus.add(id);
		if (i % 1000 === 0) {
			await turn();
		}
	}
	if (corpus.size !== passages.length) {
		throw new RetrievalError('ERR_DUPLICATE_ID', `passages: expected distinct ids, got ${passages.length - corpus.size} twice`);
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
		await turn();
	}
	const run = await hardRun(
		hard,
		judged.map(({query}) => query),
		isRelevant === undefined ? negatives + judged.reduce((most, {relevant}) => Math.max(most, relevant.length), 0) : DEPTH + negatives,
		options,
	);
	const size = 1 + negatives + random;
	const lists = new Map<string, Candidates>();
	let short = 0;
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
		for (const i of drawn(passages.length, `${seed}\0${query.id}`)) {
			if (ids.length === wanted) {
				break;
			}
			await take(passages[i]!);
		}
		short += Number(ids.length < size);
		lists.set(query.id, {gold: ids[0]!, ids});
		await onProgress?.({done: lists.size, total: judged.length});
		await turn();
	}
	return {lists, size, short, without: queries.length - judged.length};
}

/** Relevant passages of the corpus, those of the highest grade first. */
function relevantOf(grades: ReadonlyMap<string, number> | undefined, corpus: ReadonlySet<string>): string[] {
	return [...(grades ?? [])]
		.filter(([id, grade]) => grade > 0 && corpus.has(id))
		.sort(([, a], [, b]) => b - a)
		.map(([id]) => id);
}

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

/** All of 0 to `count` − 1 in a random order of the key's: the shuffle of Fisher and Yates (1938), done as far as it is read. */
function* drawn(count: number, key: string): Generator<number, void, undefined> {
	const moved = new Map<number, number>();
	const numbers = randomNumbers(key);
	for (let left = count; left > 0; left--) {
		const at = numbers.next().value! % left;
		yield moved.get(at) ?? at;
		moved.set(at, moved.get(left - 1) ?? left - 1);
	}
}

/** Whole numbers below 2^48, from SHA-256 of the key and a counter: the same on every platform. */
function* randomNumbers(key: string): Generator<number, never, undefined> {
	for (let block = 0; ; block++) {
		const bytes = createHash('sha256').update(`${key}\0${block}`).digest();
		for (let from = 0; from + 6 <= bytes.length; from += 6) {
			yield bytes.readUIntBE(from, 6);
		}
	}
}
