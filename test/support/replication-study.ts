// Made-up results of the replication study (Ma et al., 2021; `ts/studies/replication/`), for tests of its reports.
import {type Comparison, findComparison} from '../../ts/studies/statistics/comparison.ts';
import {markers} from '../../ts/studies/replication/markers.ts';
import {exactMatchMeasure, overlapAt, overlapConditions, overlapLimit, readingCondition} from '../../ts/studies/replication/labels.ts';
import {topK} from '../../ts/studies/statistics/measures.ts';
import type {
	CurveTest,
	ReadingRow,
	RetrievalCondition,
	RetrievalRow,
	Retrieved,
	Scoring,
	Study,
} from '../../ts/studies/replication/study.ts';

/**
Returns a made-up study of 2,561 passages of Wikipedia: BM25 is better than dense retrieval, and the hybrids are better
than both.
*/
export function study(changes: Partial<Study> = {}): Study {
	return {
		format: 'passagekit replication 2',
		dataset: 'SQuAD 1.1',
		passagekit: '0.1.0',
		corpus: {count: 2561, name: 'psgs_w100.squad-dev.tsv.gz', sha256: 'c0'.repeat(32)},
		questions: {
			development: {count: 1724, name: 'squad-dev.qas.jsonl.gz', sha256: 'd0'.repeat(32)},
			test: {count: 6000, name: 'squad-dev.qas.jsonl.gz', sha256: 'e0'.repeat(32)},
		},
		models: {encoder: {name: 'small-encoder', sha256: 'a1'.repeat(32)}, reader: {name: 'small-reader', sha256: 'b2'.repeat(32)}},
		settings: {
			depth: 1000,
			dprDepth: 2000,
			significance: 0.01,
			tunedFor: 20,
			passagesRead: 500,
			spansPerPassage: 10,
			maxAnswerTokens: 10,
			merge: 'text',
			hybridRead: {method: 'hybridNorm', alpha: 1.3},
			bm25: {k1: 0.9, b: 0.4},
		},
		retrieval: {ks: [20, 100], rows: retrievalRows, ...retrievalComparisons(), curves: accuracyCurves},
		overlap: overlaps,
		overlapComparisons: family(
			overlaps.map(({k, jaccard}) => ({
				a: overlapConditions.limit,
				b: overlapConditions.overlap,
				measure: overlapAt(k),
				difference: overlapLimit - jaccard,
			})),
		),
		reading: {
			rows: readingRows(),
			comparisons: readingComparisons(),
			textComparisons: textComparisons(),
			curveTests: curveTests(),
			ks: curveKs,
			curves: curves(),
		},
		command:
			'npx passagekit replicate --corpus psgs_w100.squad-dev.tsv.gz --questions squad-dev.qas.jsonl.gz --encoder small-encoder --reader small-reader',
		...changes,
	};
}

/** The weights that are tried when a hybrid is tuned: 0, 0.05, …, 2. */
const weights = Array.from({length: 41}, (_, i) => Math.round(i * 5) / 100);
/**
Returns the accuracy at each weight. It is `maximum` at the weight `best`; elsewhere it is lower by `fall` times the
square of the difference between log(1 + 4 · weight) and log(1 + 4 · `best`).
*/
const tuned = (best: number, maximum: number, fall: number): Array<{weight: number; accuracy: number}> =>
	weights.map(weight => ({weight, accuracy: maximum - fall * (Math.log1p(4 * weight) - Math.log1p(4 * best)) ** 2}));

const retrievalRows: readonly RetrievalRow[] = [
	{condition: 'dense', accuracy: [0.7283, 0.8817]},
	{condition: 'bm25', accuracy: [0.8412, 0.9231]},
	{condition: 'dprHybrid', weight: 1.1, accuracy: [0.8467, 0.9295]},
	{condition: 'hybridNorm', weight: 1.3, accuracy: [0.8741, 0.9488], tuning: tuned(1.3, 0.8759, 0.052)},
	{condition: 'hybrid', weight: 0.55, accuracy: [0.8729, 0.9474], tuning: tuned(0.55, 0.8741, 0.047)},
];

type TestedPair = Pick<Comparison, 'a' | 'b' | 'difference' | 'significant'>;

/**
Returns the marker of Table 1 for a test. BM25 is marked if it differs from dense retrieval. A hybrid is marked if it is
better than the better of dense retrieval and BM25, which is BM25 in this study.
*/
function retrievalMarker({a, b, difference, significant}: TestedPair): string {
	if (!significant) {
		return '';
	}
	if (a === 'bm25') {
		return b === 'dense' ? markers.differs : '';
	}
	return b === 'bm25' && difference > 0 ? markers.better : '';
}

/**
Returns the marker of Table 3 for a test, which compares two ways of scoring the answers in the same passages. `repl` is
DPR's scoring, `GAR` the normalized scoring of Mao et al. (2020), and `*` adds the retriever's scores.
*/
function readingMarker({a, b, difference, significant}: TestedPair): string {
	if (!significant || difference <= 0) {
		return '';
	}
	if (a === 'GAR*') {
		return b === 'GAR' ? markers.step : b === 'repl' ? markers.both : '';
	}
	return b === 'repl' ? markers.step : '';
}

/**
Returns a family of made-up tests, whose p-values are corrected together. In a family of twelve, differences of more
than 0.71 percentage points are significant.
*/
export function family(
	tests: ReadonlyArray<Pick<Comparison, 'a' | 'b' | 'measure' | 'difference'>>,
	markerOf: (test: TestedPair) => string = () => '',
): readonly Comparison[] {
	return tests.map(test => {
		const p = Math.exp(-1000 * Math.abs(test.difference));
		const corrected = Math.min(1, tests.length * p);
		const significant = corrected < 0.01;
		return {...test, p, corrected, significant, smallest: Math.log(100 * tests.length) / 1000, mark: markerOf({...test, significant})};
	});
}

const overlaps: Study['overlap'] = [
	{k: 20, jaccard: 0.0713, questions: 6000},
	{k: 100, jaccard: 0.0642, questions: 6000},
	{k: 500, jaccard: 0.1489, questions: 6000},
	{k: 1000, jaccard: 0.2876, questions: 6000},
];

function retrievalComparisons(): Pick<Study['retrieval'], 'comparisons' | 'addedComparisons'> {
	const row = (condition: RetrievalCondition): RetrievalRow => retrievalRows.find(each => each.condition === condition)!;
	const tests = (pairs: ReadonlyArray<readonly [RetrievalCondition, RetrievalCondition]>): readonly Comparison[] =>
		family(
			[20, 100].flatMap((k, i) => pairs.map(([a, b]) => ({a, b, measure: topK(k), difference: row(a).accuracy[i]! - row(b).accuracy[i]!}))),
			retrievalMarker,
		);
	return {
		comparisons: tests([
			['bm25', 'dense'],
			['hybridNorm', 'dense'],
			['hybridNorm', 'bm25'],
			['hybrid', 'dense'],
			['hybrid', 'bm25'],
			['hybridNorm', 'hybrid'],
		]),
		addedComparisons: tests([
			['dprHybrid', 'dense'],
			['dprHybrid', 'bm25'],
		]),
	};
}

const accuracyKs = Array.from({length: 100}, (_, i) => i + 1);
const accuracyCurves: Study['retrieval']['curves'] = {
	ks: accuracyKs,
	lines: retrievalRows.map(({condition, accuracy: [top20, top100]}) => {
		// A line over the logarithm of k, through the table's values at 20 and 100, but never below 0.2.
		const slope = (top100! - top20!) / Math.log(5);
		return {condition, accuracy: accuracyKs.map(k => Math.max(0.2, top20! + slope * Math.log(k / 20)))};
	}),
};

const retrievers: readonly Retrieved[] = ['dense', 'bm25', 'hybrid'];
const scorings: readonly Scoring[] = ['repl', 'repl*', 'GAR', 'GAR*'];
/** Exact match for each retriever, in the order of `scorings`. */
const exactMatches: Readonly<Record<Retrieved, readonly number[]>> = {
	dense: [0.5143, 0.5289, 0.5217, 0.5413],
	bm25: [0.5602, 0.5631, 0.5708, 0.5817],
	hybrid: [0.5719, 0.5871, 0.5798, 0.6012],
};

function readingRows(): readonly ReadingRow[] {
	return retrievers.map((retriever, row) => ({
		retriever,
		cells: scorings.map((scoring, column) => {
			const exactMatch = exactMatches[retriever][column]!;
			return {
				scoring,
				exactMatch,
				f1: exactMatch + 0.0854 + 0.0011 * row,
				passages: 20 * (1 + row + 2 * column),
				beta: column < 2 ? 1 : 0.38 + 0.07 * row,
				gamma: column % 2 === 0 ? 0 : 0.06 + 0.04 * row,
				developmentExactMatch: exactMatch + 0.0037,
			};
		}),
	}));
}

const exactMatchOf = (retriever: Retrieved, scoring: Scoring): number => exactMatches[retriever][scorings.indexOf(scoring)]!;

function readingComparisons(): readonly Comparison[] {
	const pairs: ReadonlyArray<readonly [Scoring, Scoring]> = [
		['repl*', 'repl'],
		['GAR', 'repl'],
		['GAR*', 'GAR'],
		['GAR*', 'repl'],
	];
	const tests = retrievers.flatMap(retriever =>
		pairs.map(([a, b]) => ({
			a: readingCondition(retriever, a),
			b: readingCondition(retriever, b),
			measure: exactMatchMeasure,
			difference: exactMatchOf(retriever, a) - exactMatchOf(retriever, b),
		})),
	);
	const scoringOf = (condition: string): Scoring => condition.split(' ')[1] as Scoring;
	return family(tests, test => readingMarker({...test, a: scoringOf(test.a), b: scoringOf(test.b)}));
}

/** Returns tests of the two claims about exact match that the paper makes in its text, not by markers in Table 3. */
function textComparisons(): readonly Comparison[] {
	const pairs: ReadonlyArray<readonly [Retrieved, Scoring, Retrieved, Scoring]> = [
		['hybrid', 'repl', 'dense', 'repl'],
		['hybrid', 'GAR*', 'hybrid', 'repl'],
	];
	return family(
		pairs.map(([retriever, scoring, other, otherScoring]) => ({
			a: readingCondition(retriever, scoring),
			b: readingCondition(other, otherScoring),
			measure: exactMatchMeasure,
			difference: exactMatchOf(retriever, scoring) - exactMatchOf(other, otherScoring),
		})),
	);
}

/**
Returns made-up tests of curves of exact match by k, the number of passages read. There are two tests per curve: of its
rise up to the chosen k (for BM25, up to the largest k), and of its fall from the chosen k to the largest.
*/
export function curveTestsOf(
	differences: ReadonlyArray<readonly [retriever: Retrieved, scoring: Scoring, rise: number, fall: number]>,
): readonly CurveTest[] {
	const chosen = 60;
	const tests = family(
		differences.flatMap(([retriever, scoring, rise, fall]) => {
			const at = (k: number): string => readingCondition(retriever, scoring, k);
			return [
				{a: at(retriever === 'bm25' ? 500 : chosen), b: at(1), measure: exactMatchMeasure, difference: rise},
				{a: at(chosen), b: at(500), measure: exactMatchMeasure, difference: fall},
			];
		}),
	);
	return differences.map(([retriever, scoring], i) => ({retriever, scoring, chosen, rise: tests[2 * i]!, fall: tests[2 * i + 1]!}));
}

function curveTests(): readonly CurveTest[] {
	return curveTestsOf([
		['dense', 'repl', 0.02, 0.012],
		['dense', 'GAR', 0.02, 0.011],
		['dense', 'GAR*', 0.03, 0.012],
		['bm25', 'repl', 0.04, 0.001],
		['bm25', 'GAR', 0.05, -0.002],
		['bm25', 'GAR*', 0.05, 0],
		['hybrid', 'GAR*', 0.03, 0.013],
	]);
}

/** The numbers of passages read, k, at which exact match is measured. */
const curveKs = [1, 5, 10, ...Array.from({length: 25}, (_, i) => 20 * (i + 1))];

/** Returns curves of exact match by k. Those of BM25 rise up to the largest k; the others rise, then fall slightly. */
function curves(): NonNullable<Study['reading']>['curves'] {
	return retrievers.flatMap(retriever =>
		scorings.map((scoring, column) => {
			const best = exactMatches[retriever][column]! + 0.002;
			const peak = retriever === 'bm25' ? 500 : 60 + 20 * column;
			return {
				retriever,
				scoring,
				exactMatch: curveKs.map(k => {
					const distance = Math.log(k / peak);
					const wave = 0.0012 * Math.sin(k * (1 + column));
					return k === peak
						? best + 0.0013
						: best - (distance < 0 ? 0.011 : 0.008) * distance ** 2 + wave * Math.min(1, Math.abs(distance));
				}),
			};
		}),
	);
}

/** Returns the test that compares two conditions by a measure. */
export function testOf(comparisons: readonly Comparison[], a: string, b: string, measure: string): Comparison {
	return findComparison(comparisons, a, b, measure)!;
}
