/**
The retrieval experiments of Ma et al. (2021, §4.1). `studyRetrieval` tunes the weights of hybrids on development
questions, and measures dense retrieval, BM25 and the hybrids on test questions (Table 1). `studyOverlap` measures how
much dense and BM25 lists overlap (Table 2). λ is the weight of dense scores in Hybrid-orig, DPR's own hybrid; α is the
weight of BM25 scores in Hybrid-norm and Hybrid, the hybrids that the paper proposes.
*/
import type {CallOptions, Question, Run} from '../../../core/types.ts';
import {type PassageTexts, overlap} from '../../../evaluation/index.ts';
import {type FusionMethod, type HybridTuning, JudgedLists} from '../../../fusion/index.ts';
import {mean} from '../../statistics/mean.ts';
import {topK} from '../../statistics/measures.ts';
import {type ConditionPair, type TestOptions, type ValueByQuestion, comparePairs} from '../../statistics/paired-comparisons.ts';
import {overlapAt, overlapConditions, overlapLimit} from '../labels.ts';
import {markers} from '../markers.ts';
import type {RetrievalCondition, RetrievalRow, RetrievalStudy, Settings, Study} from '../study.ts';

/** λ of DPR's own hybrid for the vectors of DPR, whose norm is not 1 (Karpukhin et al., 2020, §5). */
const DPR_LAMBDA = 1.1;
/** The curves of top-k accuracy end at this k, as in Figure 1 of Karpukhin et al. (2020). */
const MAX_CURVE_K = 100;

/** All conditions, in the order of Table 1 of Ma et al. (2021). */
const conditions: readonly RetrievalCondition[] = ['dense', 'bm25', 'dprHybrid', 'hybridNorm', 'hybrid'];

/** Questions with the hits of both retrievers. */
export interface QuestionLists {
	readonly questions: readonly Question[];
	readonly dense: Run;
	readonly sparse: Run;
}

/** The options of `studyRetrieval`. */
export interface RetrievalOptions extends CallOptions {
	readonly settings: Settings;
	/** The cut-offs k of top-k accuracy. */
	readonly ks: readonly number[];
	/** The values of α to try for Hybrid-norm and Hybrid. */
	readonly grid: readonly number[];
	/** The values of λ to try for Hybrid-orig. If there are none, λ is 1.1, the value of Karpukhin et al. (2020). */
	readonly lambdas?: readonly number[] | undefined;
}

/** The result of `studyRetrieval`. */
export interface RetrievalResults {
	/** Table 1. */
	readonly study: RetrievalStudy;
	/** Hybrid-norm or Hybrid, the one that is better on development questions. Its passages are read. */
	readonly hybrid: FusionMethod;
}

/**
Returns the values of λ to try for encoders of unit vectors: 1 / α for each positive α, so that λ · dense + sparse ranks
as dense + α · sparse does. They are ordered by ascending α. If several weights have the same accuracy, the first one is
chosen. With this order, that is the weight whose ranking is closest to dense retrieval, for λ as well as for an
ascending `grid` of α.
*/
export function lambdasOf(grid: readonly number[]): number[] {
	const lambdas = grid.filter(alpha => alpha > 0).map(alpha => Number((1 / alpha).toPrecision(12)));
	return [...new Set(lambdas)].toSorted((a, b) => b - a);
}

/** The tuned hybrids. `dprHybrid` is missing if λ is not tuned. */
type TunedHybrids = Partial<Record<RetrievalCondition, HybridTuning>> & Record<'hybrid' | 'hybridNorm', HybridTuning>;

/** Tunes the hybrids, measures all conditions and tests their differences. */
export async function studyRetrieval(
	development: QuestionLists,
	test: QuestionLists,
	passages: PassageTexts,
	options: RetrievalOptions,
): Promise<RetrievalResults> {
	const {settings, ks, lambdas = [], signal} = options;
	const tuned = await tuneHybrids(development, passages, {...options, lambdas});
	const curveKs = Array.from({length: Math.min(MAX_CURVE_K, settings.depth)}, (_, i) => i + 1);
	const ranks = await firstAnswerRanks(test, passages, tuned, Math.max(...ks, ...curveKs), options);
	const foundWithin = (condition: RetrievalCondition, k: number): ValueByQuestion =>
		new Map(test.questions.map(({id}, i) => [id, Number(ranks[condition][i]! > 0 && ranks[condition][i]! <= k)]));
	const accuracy = (condition: RetrievalCondition, k: number): number => mean(foundWithin(condition, k).values());

	const rows = conditions.map((condition): RetrievalRow => {
		const row = {condition, accuracy: ks.map(k => accuracy(condition, k))};
		const tuning = tuned[condition];
		if (tuning) {
			const {weight, curve} = tuning;
			return {...row, weight, tuning: curve.map(point => ({weight: point.weight, accuracy: point.score}))};
		}
		return condition === 'dprHybrid' ? {...row, weight: DPR_LAMBDA} : row;
	});

	const pairs: ConditionPair[] = [];
	for (const k of ks) {
		// The paper marks a hybrid if it is better than the better of dense retrieval and BM25. A hybrid is compared
		// with both, but only the comparison with the better one has a marker.
		const [better, other] = accuracy('bm25', k) > accuracy('dense', k) ? (['bm25', 'dense'] as const) : (['dense', 'bm25'] as const);
		const pair = (a: RetrievalCondition, b: RetrievalCondition, marker = ''): ConditionPair => ({
			a,
			b,
			measure: topK(k),
			valuesOfA: foundWithin(a, k),
			valuesOfB: foundWithin(b, k),
			marker,
			markerNeedsGain: marker === markers.better,
		});
		pairs.push(pair('bm25', 'dense', markers.differs));
		for (const hybrid of ['dprHybrid', 'hybridNorm', 'hybrid'] as const) {
			pairs.push(pair(hybrid, better, markers.better), pair(hybrid, other));
		}
		pairs.push(pair('hybridNorm', 'hybrid'));
	}
	const isAdded = ({a}: ConditionPair): boolean => a === 'dprHybrid';
	const tests: TestOptions = {significance: settings.significance, signal};
	return {
		study: {
			ks,
			rows,
			comparisons: await comparePairs(
				pairs.filter(pair => !isAdded(pair)),
				tests,
			),
			addedComparisons: await comparePairs(pairs.filter(isAdded), tests),
			curves: {
				ks: curveKs,
				lines: conditions.map(condition => ({condition, accuracy: curveKs.map(k => accuracy(condition, k))})),
			},
		},
		hybrid: tuned.hybridNorm.score > tuned.hybrid.score ? tuned.hybridNorm.fusion : tuned.hybrid.fusion,
	};
}

async function tuneHybrids(
	development: QuestionLists,
	passages: PassageTexts,
	{settings, grid, lambdas, signal, onProgress}: RetrievalOptions & {readonly lambdas: readonly number[]},
): Promise<TunedHybrids> {
	const {depth, dprDepth, tunedFor: k, answers: answerKind} = settings;
	const judge = async (depth: number): Promise<JudgedLists> =>
		JudgedLists.judge(development, development.questions, passages, {depth, answerKind, signal, onProgress});
	const lists = await judge(depth);
	const tuned: TunedHybrids = {
		hybrid: await lists.tune({method: 'hybrid', grid, k, signal}),
		hybridNorm: await lists.tune({method: 'hybridNorm', grid, k, signal}),
	};
	if (lambdas.length > 0) {
		const dprLists = dprDepth === depth ? lists : await judge(dprDepth);
		tuned.dprHybrid = await dprLists.tune({method: 'dprHybrid', grid: lambdas, k, signal});
	}
	return tuned;
}

/**
Returns, for each condition, the rank of the first passage with an answer for each test question, in the order of the
questions; 0 if there is no such passage among the first `maxRank`.
*/
async function firstAnswerRanks(
	test: QuestionLists,
	passages: PassageTexts,
	tuned: TunedHybrids,
	maxRank: number,
	{settings: {depth, dprDepth, answers: answerKind}, signal, onProgress}: RetrievalOptions,
): Promise<Record<RetrievalCondition, Uint32Array>> {
	const judge = async (depth: number): Promise<JudgedLists> =>
		JudgedLists.judge(test, test.questions, passages, {depth, answerKind, signal, onProgress});
	const lists = await judge(depth);
	const [hybridNorm, hybrid] = await lists.firstRanks([tuned.hybridNorm.fusion, tuned.hybrid.fusion], maxRank, {signal});
	const dprLists = dprDepth === depth ? lists : await judge(dprDepth);
	const dprFusion = tuned.dprHybrid?.fusion ?? {method: 'dprHybrid', lambda: DPR_LAMBDA};
	const [dprHybrid] = await dprLists.firstRanks([dprFusion], maxRank, {signal});
	const ranksOf = async (run: Run): Promise<Uint32Array> => {
		const list = await JudgedLists.judge([run], test.questions, passages, {depth: maxRank, answerKind, signal});
		const [ranks] = await list.firstRanks([{method: 'linear'}], maxRank, {signal});
		return ranks!;
	};
	return {
		dense: await ranksOf(test.dense),
		bm25: await ranksOf(test.sparse),
		dprHybrid: dprHybrid!,
		hybridNorm: hybridNorm!,
		hybrid: hybrid!,
	};
}

/**
Measures how much dense and BM25 lists overlap (Table 2), and tests whether the overlap is significantly less than
`overlapLimit`.
*/
export async function studyOverlap(
	lists: QuestionLists,
	ks: readonly number[],
	options: TestOptions,
): Promise<Pick<Study, 'overlap' | 'overlapComparisons'>> {
	const {jaccard, perQuery, queries} = await overlap(lists.dense, lists.sparse, ks, {signal: options.signal});
	const limits = new Map([...perQuery.keys()].map(query => [query, overlapLimit]));
	const pairs = ks.map(
		(k): ConditionPair => ({
			a: overlapConditions.limit,
			b: overlapConditions.overlap,
			measure: overlapAt(k),
			valuesOfA: limits,
			valuesOfB: new Map([...perQuery].map(([query, values]) => [query, values.get(k)!])),
		}),
	);
	return {
		overlap: ks.map(k => ({k, jaccard: jaccard.get(k)!, questions: queries})),
		overlapComparisons: await comparePairs(pairs, options),
	};
}
