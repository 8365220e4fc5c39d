/** The questions and options of mining, and their checks. */
import {
	checkCount,
	checkFunction,
	checkId,
	checkNumber,
	checkObject,
	checkOneOf,
	checkIds,
	checkQuery,
	checkString,
	checkStrings,
	hasMethods,
	kindOf,
	shown,
} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../../core/options.ts';
import type {AnswerKind, CallOptions, Passage, Progress, Query, Searcher} from '../../core/types.ts';
import type {PassageStore} from '../../corpus/index.ts';
import type {MiningStatistics} from './mining-statistics.ts';

/** The passages of a corpus: the path of a file or folder, a passage store, or an iterable of passages. */
export type MiningPassages = string | PassageStore | Iterable<Passage> | AsyncIterable<Passage>;

/** A question to mine a training example for. A `Question`, as `readQuestions` returns it, is one. */
export interface TrainingQuestion extends Query {
	/** Accepted answers. No passage that contains one becomes a negative. @default none */
	readonly answers?: readonly string[];
	/** Ids of the passages that answer the question, the best one first. @default unknown */
	readonly positives?: readonly string[];
	/** The passage of any corpus that the question was written for. @default unknown */
	readonly context?: {readonly text: string; readonly id?: string};
}

/**
How positives are found.

- `ids`: the question has the ids of its positives.
- `contexts`: the question has a context, which is matched with the passages of the corpus (Karpukhin et al., 2020, §4.2).
- `answers`: the best passage for question and answer that contains an answer is the positive (distant supervision, appendix A).
- `auto`: for each question, the first of these that it has.
*/
export type PositiveSource = 'auto' | 'ids' | 'contexts' | 'answers';

/** Which of the eligible hits become hard negatives: the best ones, or random ones. */
export type NegativeSampling = 'top' | 'random';

/** The stages of mining: passages are read and indexed, unless a store and a BM25 index are given; then positives and negatives are found. */
export type MiningStage = 'read' | 'index' | 'positives' | 'negatives';

/** The progress of mining. It counts bytes or passages in the stages `read` and `index`, and questions in the others. */
export interface MiningProgress extends Progress {
	readonly stage: MiningStage;
}

/**
The options of `mineNegatives`. Ranks, scores, margins and sampling choose hard negatives from the hits of `searcher`, as the options of
`mine_hard_negatives` in Sentence Transformers do.
*/
export interface MiningOptions extends Pick<CallOptions, 'signal'> {
	/** Called while the work runs. If it throws, or returns a promise that rejects, mining ends with that error. */
	readonly onProgress?: ((progress: MiningProgress) => void) | undefined;
	/**
	Searches the passages with BM25, to find positives, and hard negatives unless `searcher` is given.
	@default an index with the analyzer `english`, which is built in a temporary folder
	*/
	readonly bm25?: Searcher | undefined;
	/** How positives are found. @default 'auto' */
	readonly positives?: PositiveSource | undefined;
	/**
	Minimum overlap of a context and its passage, 0 to 1: the share of the shorter text's pairs of adjacent words that the other text has too.
	They must also share at least eight pairs, or 80 % of the pairs if the shorter text has fewer than ten. A passage of 100 words that has only
	the end of a context shares few of its pairs, so the default is low. @default 0.2
	*/
	readonly contextOverlap?: number | undefined;
	/** Number of BM25 hits for a context that are compared with it. @default 20 */
	readonly contextDepth?: number | undefined;
	/** Number of BM25 hits for question and answer in which distant supervision looks for an answer. @default 100 */
	readonly supervisionDepth?: number | undefined;
	/**
	Finds hard negatives. With a dense searcher, the model that will be trained, or its previous version, finds its own negatives (ANCE; Xiong
	et al., 2021). @default the BM25 searcher, as for DPR
	*/
	readonly searcher?: Searcher | undefined;
	/** Number of hard negatives per question. @default 1 */
	readonly hardNegatives?: number | undefined;
	/** Number of negatives per question that are drawn from all passages. @default 0 */
	readonly randomNegatives?: number | undefined;
	/** Number of negatives per question that are drawn from the positives of other questions. @default 0 */
	readonly goldNegatives?: number | undefined;
	/** First rank, from 1, of hits that can become hard negatives. @default 1 */
	readonly minRank?: number | undefined;
	/** Last rank of hits that can become hard negatives; also the number of hits that are searched for. @default 100 */
	readonly maxRank?: number | undefined;
	/** Minimum score of a hard negative. @default none */
	readonly minScore?: number | undefined;
	/** Maximum score of a hard negative. @default none */
	readonly maxScore?: number | undefined;
	/**
	Minimum difference between the scores of the first positive and a hard negative. If the positive is not among the hits, its score is
	searched for with a filter; without a score, the question gets no hard negatives. The scores of fusion methods that use ranks or
	normalize scores per list cannot be compared in this way: use it with BM25 or a dense searcher. @default none
	*/
	readonly margin?: number | undefined;
	/** Like `margin`, but as a fraction of the positive's score: with 0.05, a negative scores at most 95 % of it. @default none */
	readonly relativeMargin?: number | undefined;
	/** Which of the eligible hits become hard negatives. @default 'top' */
	readonly sampling?: NegativeSampling | undefined;
	/**
	Maximum overlap of a negative with a positive, 0 to 1, defined as for `contextOverlap`. A passage above it is a near-duplicate. With 1, only
	passages with exactly the text of a positive are rejected. @default 0.8
	*/
	readonly maxOverlap?: number | undefined;
	/** Whether accepted answers are texts or regular expressions. @default 'text' */
	readonly answerKind?: AnswerKind | undefined;
	/** The `dataset` of the examples. @default none */
	readonly dataset?: string | undefined;
	/**
	Seed of all random choices. Except for gold negatives, the choices for a question depend only on the seed and the id of the question.
	@default 42
	*/
	readonly seed?: number | undefined;
}

/** The options of `mineTrainingExamples`. */
export interface StreamMiningOptions extends MiningOptions {
	/** Called at the end with the statistics. If it throws, the iteration ends with that error. */
	readonly onStatistics?: ((statistics: MiningStatistics) => void) | undefined;
}

export const miningNames = {
	...callNames,
	bm25: true,
	positives: true,
	contextOverlap: true,
	contextDepth: true,
	supervisionDepth: true,
	searcher: true,
	hardNegatives: true,
	randomNegatives: true,
	goldNegatives: true,
	minRank: true,
	maxRank: true,
	minScore: true,
	maxScore: true,
	margin: true,
	relativeMargin: true,
	sampling: true,
	maxOverlap: true,
	answerKind: true,
	dataset: true,
	seed: true,
} as const;
export const miningOptions: OptionNames = optionNames<MiningOptions>(miningNames);
const streamOptions: OptionNames = optionNames<StreamMiningOptions>({...miningNames, onStatistics: true});

/** Checked options, with defaults. */
export type CheckedMiningOptions = ReturnType<typeof checkedMiningOptions>;

/** Checks the options of `mineTrainingExamples`. */
export function checkedMiningOptions(options: StreamMiningOptions) {
	checkOptions('mineTrainingExamples', options, streamOptions);
	const {signal, onProgress, onStatistics, bm25, searcher, minScore, maxScore, margin, relativeMargin, dataset} = options;
	const {positives = 'auto', contextOverlap = 0.2, contextDepth = 20, supervisionDepth = 100} = options;
	const {hardNegatives = 1, randomNegatives = 0, goldNegatives = 0, minRank = 1, maxRank = 100} = options;
	const {sampling = 'top', maxOverlap = 0.8, answerKind = 'text', seed = 42} = options;
	if (onStatistics !== undefined) {
		checkFunction('onStatistics', onStatistics);
	}
	checkSearcher('bm25', bm25);
	checkSearcher('searcher', searcher);
	checkOneOf('positives', positives, ['auto', 'ids', 'contexts', 'answers']);
	checkOneOf('sampling', sampling, ['top', 'random']);
	checkOneOf('answerKind', answerKind, ['text', 'pattern']);
	for (const [name, value] of Object.entries({hardNegatives, randomNegatives, goldNegatives, seed})) {
		checkCount(name, value, 0);
	}
	for (const [name, value] of Object.entries({contextDepth, supervisionDepth, minRank})) {
		checkCount(name, value, 1);
	}
	checkCount('maxRank', maxRank, minRank);
	for (const [name, value] of Object.entries({contextOverlap, maxOverlap})) {
		checkFraction(name, value);
	}
	for (const [name, value] of Object.entries({minScore, maxScore, margin, relativeMargin})) {
		if (value !== undefined) {
			checkNumber(name, value);
		}
	}
	if (dataset !== undefined) {
		checkId('dataset', dataset);
	}
	return {
		signal,
		onProgress,
		onStatistics,
		bm25,
		searcher,
		positives,
		contextOverlap,
		contextDepth,
		supervisionDepth,
		hardNegatives,
		randomNegatives,
		goldNegatives,
		minRank,
		maxRank,
		minScore,
		maxScore,
		margin,
		relativeMargin,
		sampling,
		maxOverlap,
		answerKind,
		dataset,
		seed,
	};
}

/** Accepts a question with id and text; answers, positives and context are optional. */
export function checkTrainingQuestion(what: string, question: unknown): asserts question is TrainingQuestion {
	checkQuery(what, question);
	const {answers, positives, context} = question as TrainingQuestion;
	if (answers !== undefined) {
		checkStrings(`${what}: answers`, answers);
	}
	if (positives !== undefined) {
		checkIds(`${what}: positives`, positives);
	}
	if (context !== undefined) {
		checkObject(`${what}: context`, context, '{text: string, id?: string}');
		checkString(`${what}: context: text`, context.text);
		if (context.id !== undefined) {
			checkId(`${what}: context: id`, context.id);
		}
	}
}

function checkSearcher(what: string, searcher: unknown): void {
	if (searcher !== undefined && !hasMethods(searcher, 'search', 'searchMany')) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a searcher, got ${kindOf(searcher)}`);
	}
}

function checkFraction(what: string, value: number): void {
	checkNumber(what, value);
	if (value < 0 || value > 1) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a number from 0 to 1, got ${shown(value)}`);
	}
}
