import {type PassageTexts, overlap, pairedTest} from '../../../evaluation/index.ts';
import {type FusionMethod, type HybridTuning, JudgedLists} from '../../../fusion/index.ts';
import type {CallOptions, Question, Run} from '../../../core/types.ts';
import {type Tested, corrected, mean} from '../../statistics/correction.ts';
import {overlapAt, overlapConditions, overlapLimit, topK} from '../labels.ts';
import type {RetrievalCondition, RetrievalRow, RetrievalStudy, Settings, Study} from '../study.ts';

/** λ of DPR's own hybrid with the vectors of DPR, which have no unit length (Karpukhin et al., 2020, §5). */
const DPR_LAMBDA = 1.1;
/** Cut-offs of the curves of accuracy: 1 to 100, as in Figure 1 of Karpukhin et al. (2020). */
const MAX_CURVE_K = 100;

/** The paper's order. */
const conditions: readonly RetrievalCondition[] = ['dense', 'bm25', 'dprHybrid', 'hybridNorm', 'hybrid'];

/** Questions, and what both searchers found for them. */
export interface Searched {
	readonly questions: readonly Question[];
	readonly dense: Run;
	readonly sparse: Run;
}

export interface RetrievalOptions extends CallOptions {
	readonly settings: Settings;
	/** Cut-offs of accuracy. */
	readonly ks: readonly number[];
	/** Values of α that are tried for Hybrid-norm and Hybrid. */
	readonly grid: readonly number[];
	/** Values of λ that are tried for Hybrid-orig. Without any, λ is 1.1. */
	readonly lambdas?: readonly number[] | undefined;
}

/** Table 1, and the better of Hybrid-norm and Hybrid by development questions, which is then read. */
export interface Retrieved {
	readonly study: RetrievalStudy;
	readonly hybrid: FusionMethod;
}

/**
Values of λ that are tried for encoders of unit vectors: 1 / α for each positive α, so that λ · dense + sparse and
dense + α · sparse weigh the two lists the same. In the order of ascending α: of weights with the same accuracy the first is
chosen, which is the one nearest to dense retrieval in both cases.
*/
export function lambdasOf(grid: readonly number[]): number[] {
	const lambdas = grid.filter(alpha => alpha > 0).map(alpha => Number((1 / alpha).toPrecision(12)));
	return [...new Set(lambdas)].toSorted((a, b) => b - a);
}

/** Tunes hybrids on development questions, and measures all on test questions. */
export async function studyRetrieval(
	development: Searched,
	test: Searched,
	passages: PassageTexts,
	options: RetrievalOptions,
): Promise<Retrieved> {
	const {settings, ks, grid, lambdas = [], signal, onProgress} = options;
	const {depth, dprDepth, tunedFor, answers: answerKind} = settings;
	const judge = async (searched: Searched, depth: number): Promise<JudgedLists> =>
		JudgedLists.judge(searched, searched.questions, passages, {depth, answerKind, signal, onProgress});
	const tuner = await judge(development, depth);
	const tuned: Partial<Record<RetrievalCondition, HybridTuning>> & Record<'hybrid' | 'hybridNorm', HybridTuning> = {
		hybrid: await tuner.tune({method: 'hybrid', grid, k: tunedFor, signal}),
		hybridNorm: await tuner.tune({method: 'hybridNorm', grid, k: tunedFor, signal}),
	};
	if (lambdas.length > 0) {
		const deep = dprDepth === depth ? tuner : await judge(development, dprDepth);
		tuned.dprHybrid = await deep.tune({method: 'dprHybrid', grid: lambdas, k: tunedFor, signal});
	}

	const curveKs = Array.from({length: Math.min(MAX_CURVE_K, depth)}, (_, i) => i + 1);
	const within = Math.max(...ks, ...curveKs);
	const judged = await judge(test, depth);
	const [hybridNorm, hybrid] = await judged.firstRanks([tuned.hybridNorm.fusion, tuned.hybrid.fusion], within, {signal});
	const judgedDeep = dprDepth === depth ? judged : await judge(test, dprDepth);
	const dprFusion = tuned.dprHybrid?.fusion ?? {method: 'dprHybrid', lambda: DPR_LAMBDA};
	const [dprHybrid] = await judgedDeep.firstRanks([dprFusion], within, {signal});
	const alone = async (run: Run): Promise<Uint32Array> => {
		const list = await JudgedLists.judge([run], test.questions, passages, {depth: within, answerKind, signal});
		const [ranks] = await list.firstRanks([{method: 'linear'}], within, {signal});
		return ranks!;
	};
	const ranks: Record<RetrievalCondition, Uint32Array> = {
		dense: await alone(test.dense),
		bm25: await alone(test.sparse),
		dprHybrid: dprHybrid!,
		hybridNorm: hybridNorm!,
		hybrid: hybrid!,
	};
	const found = (condition: RetrievalCondition, k: number): Map<string, number> =>
		new Map(judged.questions.map((id, i) => [id, Number(ranks[condition][i]! > 0 && ranks[condition][i]! <= k)]));
	const accuracy = (condition: RetrievalCondition, k: number): number => mean(found(condition, k).values());

	const rows = conditions.map((condition): RetrievalRow => {
		const row = {condition, accuracy: ks.map(k => accuracy(condition, k))};
		const tuning = tuned[condition];
		if (tuning) {
			const {weight, curve} = tuning;
			return {...row, weight, tuning: curve.map(point => ({weight: point.weight, accuracy: point.score}))};
		}
		return condition === 'dprHybrid' ? {...row, weight: DPR_LAMBDA} : row;
	});

	const [tests, added]: [Tested[], Tested[]] = [[], []];
	for (const k of ks) {
		// The paper compares a hybrid with the better of its parts.
		const [better, other] = accuracy('bm25', k) > accuracy('dense', k) ? (['bm25', 'dense'] as const) : (['dense', 'bm25'] as const);
		const pairs: Array<[a: RetrievalCondition, b: RetrievalCondition, mark: string]> = [['bm25', 'dense', '†']];
		for (const condition of ['dprHybrid', 'hybridNorm', 'hybrid'] as const) {
			pairs.push([condition, better, '‡'], [condition, other, '']);
		}
		pairs.push(['hybridNorm', 'hybrid', '']);
		for (const [a, b, mark] of pairs) {
			const tested = await pairedTest(found(a, k), found(b, k), {signal});
			(a === 'dprHybrid' ? added : tests).push({a, b, measure: topK(k), mark, better: mark === '‡', tested});
		}
	}
	return {
		study: {
			ks,
			rows,
			comparisons: corrected(tests, settings.significance),
			addedComparisons: corrected(added, settings.significance),
			curves: {
				ks: curveKs,
				lines: conditions.map(condition => ({condition, accuracy: curveKs.map(k => accuracy(condition, k))})),
			},
		},
		hybrid: tuned.hybridNorm.score > tuned.hybrid.score ? tuned.hybridNorm.fusion : tuned.hybrid.fusion,
	};
}

/** Table 2: how much of the lists is the same, and whether that is less than the limit. */
export async function studyOverlap(
	searched: Searched,
	ks: readonly number[],
	significance: number,
	signal: AbortSignal | undefined,
): Promise<Pick<Study, 'overlap' | 'overlapComparisons'>> {
	const {jaccard, perQuery, queries} = await overlap(searched.dense, searched.sparse, ks, {signal});
	const limits = new Map([...perQuery.keys()].map(query => [query, overlapLimit]));
	const tests: Tested[] = [];
	for (const k of ks) {
		const values = new Map([...perQuery].map(([query, values]) => [query, values.get(k)!]));
		const tested = await pairedTest(limits, values, {signal});
		tests.push({a: overlapConditions.limit, b: overlapConditions.overlap, measure: overlapAt(k), mark: '', better: false, tested});
	}
	return {
		overlap: ks.map(k => ({k, jaccard: jaccard.get(k)!, questions: queries})),
		overlapComparisons: corrected(tests, significance),
	};
}
