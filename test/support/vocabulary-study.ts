// Made-up results of the vocabulary study (Ram et al., 2023; `ts/studies/vocabulary/`), for tests of its reports.
import type {Comparison} from '../../ts/studies/statistics/comparison.ts';
import type {EncoderAnalysis, VocabularyCondition, VocabularyRetrieval, VocabularyStudy} from '../../ts/studies/vocabulary/study.ts';
import {claimMeasures} from '../../ts/studies/vocabulary/findings/claim-tests.ts';
import type {ProjectedExample} from '../../ts/studies/vocabulary/examples/projected-example.ts';
import {conditions} from '../../ts/studies/vocabulary/study.ts';
import type {ProjectedToken, RankQuantiles, TokenCoverage, TokenMrr, TokenOrigin, TopComposition} from '../../ts/vocabulary/index.ts';

/** Numbers of first tokens of a projection: the values of k in Figures 3 and 4 of the report. */
const ks = [1, 5, 20, 100, 1000];

/**
Returns a made-up study: the encoder is better than its baseline, gives low ranks to shared tokens of passages that dense
retrieval misses (token amnesia), and becomes better with lexical enrichment.
*/
export function vocabularyStudy(changes: Partial<VocabularyStudy> = {}): VocabularyStudy {
	return {
		format: 'passagekit vocabulary study 2',
		dataset: 'SQuAD',
		passagekit: '0.1.0',
		corpus: {count: 2067, name: 'dev-v2.0.json', sha256: 'c0'.repeat(32), words: 121.7},
		questions: {
			development: 1311,
			test: 2603,
			without: 7,
			files: [{count: 3914, name: 'dev-v2.0.json', sha256: 'd0'.repeat(32)}],
			split: 'documents',
			relevance: 'contexts',
		},
		encoder: {name: 'small-encoder', sha256: 'a1'.repeat(32)},
		head: {name: 'small-head', sha256: 'b2'.repeat(32), vocabulary: 30_522},
		baseline: {kind: 'encoder', name: 'initialization', sha256: 'f3'.repeat(32)},
		settings: {
			seed: 42,
			depth: 100,
			sparseDepth: 5,
			bounds: [5, 20, 100],
			minGroup: 10,
			learningRate: 0.01,
			maxSteps: 100,
			lambdas: [0.2, 0.5, 1],
			significance: 0.01,
		},
		enrichment: {steps: 87, tokens: 30_522, reached: 30_418, proved: 91, renormalized: true},
		tests: {claims: claims(), amnesia: amnesiaTests()},
		examples: {
			drawn: [example('q17', 3, 'shared'), example('q<b>4', 1, 'passage')],
			found: example('q5', 2, 'question'),
			missed: example('q9', null, 'other'),
		},
		analyses: [analysis('encoder', 1), analysis('baseline', 0.31), analysis('enriched', 1.13)],
		retrieval: retrieval(),
		command: 'npx passagekit vocabulary --dataset dev-v2.0.json --name SQuAD',
		...changes,
	};
}

/** Returns the analysis of an encoder. The larger `scale` is, the better its results are. */
function analysis(of: EncoderAnalysis['of'], scale: number): EncoderAnalysis {
	const coverage = (level: number): TokenCoverage => ({
		shared: 11_021,
		question: ks.map((k, i) => Math.min(1, scale * level * (0.21 + 0.183 * i)) - k / 1e5),
		passage: ks.map((k, i) => Math.min(1, scale * level * (0.11 + 0.177 * i)) - k / 1e5),
	});
	const mrr = (value: number): TokenMrr => ({tokens: 5003, mrr: scale * value, perPair: 1.07 * scale * value});
	const sets = {shared: mrr(0.2613), passage: mrr(0.0721), passageOnly: mrr(0.0304), question: mrr(0.1417), questionOnly: mrr(0.0113)};
	const composition = (shared: number): TopComposition[] =>
		[1, 5, 20].map((k, i) => {
			const shares = {shared: scale * shared * (0.8 - 0.2 * i), questionOnly: 0.053, passageOnly: 0.1117};
			return {k, ...shares, other: 1 - shares.shared - shares.questionOnly - shares.passageOnly, expansion: 0.0931};
		});
	const quantiles = (median: number): RankQuantiles => ({
		low: median / 8,
		firstQuartile: median / 2,
		median,
		thirdQuartile: 3 * median,
		high: Math.min(30_522, 9 * median),
	});
	/**
	Returns the token amnesia of a group of questions: those whose passage dense retrieval ranks from `from` to `to`, or
	at any later rank if `to` is `null`.
	*/
	const group = (from: number, to: number | null, questions: number, worstRank: number): EncoderAnalysis['amnesia']['groups'][number] => ({
		from,
		to,
		questions,
		max: {passage: quantiles(worstRank / scale), question: quantiles(worstRank / scale / 3)},
		median: {passage: quantiles(worstRank / scale / 5), question: quantiles(worstRank / scale / 7)},
	});
	return {
		of,
		analysis: {
			pairs: 2603,
			ks,
			coverage: {all: coverage(0.71), content: coverage(0.87)},
			mrr: {all: sets, content: {...sets, shared: mrr(0.3011)}},
			expansion: ks.map((_, i) => Math.min(1, scale * (0.17 + 0.151 * i))),
			composition: {question: composition(0.81), passage: composition(0.43)},
		},
		amnesia: {groups: [group(1, 5, 1713, 211), group(6, 20, 319, 607), group(21, null, 97, 2411)], without: 3},
	};
}

/** Returns a significance test of a claim, in a family of eight tests. `corrected` is the corrected p-value. */
export function comparison(a: string, b: string, measure: string, difference: number, corrected: number): Comparison {
	return {a, b, measure, difference, p: corrected / 8, corrected, significant: corrected < 0.01, smallest: 0.0317, mark: ''};
}

function claims(): Comparison[] {
	return [
		comparison('encoder', 'baseline', claimMeasures.sharedInQuestion, 0.4711, 1e-9),
		comparison('encoder', 'baseline', claimMeasures.sharedInPassage, 0.3907, 1e-9),
		comparison('encoder', 'baseline', claimMeasures.expansion, 0.2203, 1e-9),
		comparison('encoder', 'baseline', claimMeasures.reciprocalShared, 0.1801, 1e-9),
		comparison('shared', 'passageOnly', claimMeasures.kinds, 0.2309, 1e-9),
		comparison('encoder', 'half', claimMeasures.firstShared, 0.1411, 1e-9),
		comparison('encoder', 'half', claimMeasures.sides, 0.2719, 1e-9),
		comparison('enriched', 'half', claimMeasures.remembered, 0.3313, 1e-9),
	];
}

function amnesiaTests(): Comparison[] {
	return (['passage', 'question'] as const).flatMap(side =>
		(
			[
				['6–20', 0.1731],
				['beyond 20', 0.2917],
			] as const
		).map(([a, difference]) => comparison(a, '1–5', claimMeasures.worst[side], difference, 1e-7)),
	);
}

/**
Returns an example whose projections have 20 tokens. Every other token has the origin `origin`; the rest occur in
neither text. The passage's text contains the forgotten token.
*/
function example(id: string, denseRank: number | null, origin: TokenOrigin): ProjectedExample {
	const tokens = (side: string): ProjectedToken[] =>
		Array.from({length: 20}, (_, i) => ({
			rank: i + 1,
			token: `${side}${i}${origin}`,
			id: i,
			probability: 0.4 / (i + 1),
			origin: i % 2 === 0 ? origin : 'other',
			content: true,
		}));
	return {
		id,
		passageId: `p-${id}`,
		denseRank,
		marked: {
			question: [{text: 'Who asked '}, {text: id, kind: 'shared'}, {text: '?'}],
			title: [{text: `Title of ${id}`}],
			text: [{text: 'It was '}, {text: 'forgotten', kind: 'forgotten'}, {text: ' & <gone>.'}],
		},
		question: tokens('q'),
		passage: tokens('p'),
		worst: {token: 'forgotten', questionRank: 14, passageRank: 5417},
	};
}

/** For each condition, the values of the five measures in `retrieval`. */
const values: Readonly<Record<VocabularyCondition, readonly number[]>> = {
	bm25: [0.6871, 0.8592, 0.9313, 0.9624, 0.7641],
	wordpiece: [0.6513, 0.8317, 0.9108, 0.9549, 0.7337],
	dense: [0.5237, 0.7814, 0.9082, 0.9671, 0.6421],
	enriched: [0.6719, 0.8723, 0.9417, 0.9781, 0.7618],
	noIdf: [0.6102, 0.8211, 0.9206, 0.9703, 0.7043],
	static: [0.6514, 0.8516, 0.9338, 0.9759, 0.7426],
	noWhitening: [0.6623, 0.8634, 0.9409, 0.9775, 0.7522],
	noNormalisation: [0.6655, 0.8671, 0.9411, 0.9778, 0.7561],
};

/** Returns retrieval results. Differences of more than 0.725 percentage points are significant. */
function retrieval(): VocabularyRetrieval {
	const measures = ['top-1', 'top-5', 'top-20', 'top-100', 'MRR'];
	const tested = ['top-1', 'top-20'];
	const comparisons = tested.flatMap(measure =>
		conditions
			.filter(condition => condition !== 'enriched')
			.map((b): Comparison => {
				const at = measures.indexOf(measure);
				const difference = values.enriched[at]! - values[b][at]!;
				const p = Math.exp(-1000 * Math.abs(difference));
				const corrected = Math.min(1, 14 * p);
				return {a: 'enriched', b, measure, difference, p, corrected, significant: corrected < 0.01, smallest: 0.0123, mark: ''};
			}),
	);
	return {
		measures,
		tunedFor: 'MRR',
		tested,
		rows: conditions.map((condition, i) => ({
			condition,
			values: values[condition],
			...(i < 3 ? {} : {tuning: {lambda: 0.5, values: [0.6113 + i / 1000, 0.7417 + i / 1000, 0.7021 + i / 1000]}}),
		})),
		comparisons,
	};
}
