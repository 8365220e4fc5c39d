import {type PassageTexts, overlap, pairedTest} from '../evaluation/index.ts';
import {type FusionMethod, type HybridTuning, JudgedLists} from '../fusion/index.ts';
import type {CallOptions, Question, Run} from '../types.ts';
import {type Tested, corrected, mean} from '../report/tested.ts';
import type {RetrievalCondition, RetrievalRow, RetrievalStudy, Settings, Study} from './study.ts';

/** λ of DPR's own hybrid, which is not tuned (Karpukhin et al., 2020, §5). */
const DPR_LAMBDA = 1.1;

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
	/** Weights that are tried for the tuned hybrids. */
	readonly grid: readonly number[];
}

/** Table 1, and the better of the tuned hybrids by development questions, which is then read. */
export interface Retrieved {
	readonly study: RetrievalStudy;
	readonly hybrid: FusionMethod;
}

/** Tunes hybrids on development questions, and measures all on test questions. */
export async function studyRetrieval(
	development: Searched,
	test: Searched,
	passages: PassageTexts,
	options: RetrievalOptions,
): Promise<Retrieved> {
	const {settings, ks, grid, signal, onProgress} = options;
	const {depth, tunedFor, answers} = settings;
	const tuner = await JudgedLists.judge(development, development.questions, passages, {depth, answers, signal, onProgress});
	const tuned: Record<'hybrid' | 'hybridNorm', HybridTuning> = {
		hybrid: await tuner.tune({method: 'hybrid', grid, k: tunedFor, signal}),
		hybridNorm: await tuner.tune({method: 'hybridNorm', grid, k: tunedFor, signal}),
	};
	const fused = {
		dprHybrid: {method: 'dprHybrid', lambda: DPR_LAMBDA},
		hybridNorm: tuned.hybridNorm.fusion,
		hybrid: tuned.hybrid.fusion,
	} as const;

	const within = Math.max(...ks);
	const judged = await JudgedLists.judge(test, test.questions, passages, {depth, answers, signal, onProgress});
	const [dprHybrid, hybridNorm, hybrid] = await judged.firstRanks(Object.values(fused), within, {signal});
	const alone = async (run: Run): Promise<Uint32Array> => {
		const list = await JudgedLists.judge([run], test.questions, passages, {depth: within, answers, signal});
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

	const rows = conditions.map((condition): RetrievalRow => {
		const row = {condition, accuracy: ks.map(k => mean(found(condition, k).values()))};
		if (condition === 'dprHybrid') {
			return {...row, weight: DPR_LAMBDA};
		}
		if (condition === 'hybrid' || condition === 'hybridNorm') {
			const {weight, curve} = tuned[condition];
			return {...row, weight, tuning: curve.map(point => ({weight: point.weight, accuracy: point.score}))};
		}
		return row;
	});

	const tests: Tested[] = [];
	for (const [i, k] of ks.entries()) {
		const accuracy = (condition: RetrievalCondition): number => rows[conditions.indexOf(condition)]!.accuracy[i]!;
		// The paper compares a hybrid with the better of its parts.
		const [better, other] = accuracy('bm25') > accuracy('dense') ? (['bm25', 'dense'] as const) : (['dense', 'bm25'] as const);
		const pairs: Array<[a: RetrievalCondition, b: RetrievalCondition, mark: string]> = [['bm25', 'dense', '†']];
		for (const condition of ['dprHybrid', 'hybridNorm', 'hybrid'] as const) {
			pairs.push([condition, better, '‡'], [condition, other, '']);
		}
		pairs.push(['hybridNorm', 'hybrid', '']);
		for (const [a, b, mark] of pairs) {
			const tested = await pairedTest(found(a, k), found(b, k), {signal});
			tests.push({a, b, measure: `top-${k}`, mark, better: mark === '‡', tested});
		}
	}
	return {
		study: {ks, rows, comparisons: corrected(tests, settings.significance)},
		hybrid: tuned.hybridNorm.score > tuned.hybrid.score ? fused.hybridNorm : fused.hybrid,
	};
}

/** Table 2: how much of the lists is the same. */
export async function studyOverlap(searched: Searched, ks: readonly number[], signal: AbortSignal | undefined): Promise<Study['overlap']> {
	const {jaccard, queries} = await overlap(searched.dense, searched.sparse, ks, {signal});
	return ks.map(k => ({k, jaccard: jaccard.get(k)!, questions: queries}));
}
