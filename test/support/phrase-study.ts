// Made-up results of the phrase study (Yang et al., 2023; `ts/studies/phrases/`), for tests of its reports.
import type {Comparison} from '../../ts/studies/statistics/comparison.ts';
import type {Calibration, PhraseStudy, ProtocolStudy} from '../../ts/studies/phrases/study.ts';

/**
Returns a made-up study. For BM25, the models and MUF (model uncertainty fusion), the accuracies of ranking candidates are
those of the paper (Yang et al., 2023) on SQuAD; for the other fusions they are made up. The accuracies of ranking all
passages are 0.8 times as high.
*/
export function phraseStudy(changes: Partial<PhraseStudy> = {}): PhraseStudy {
	return {
		format: 'passagekit phrase study 2',
		dataset: 'SQuAD',
		passagekit: '0.1.0',
		corpus: {count: 2067, name: 'paragraphs.tsv.gz', sha256: 'c0'.repeat(32), words: 117.3, tokens: 151.4},
		questions: {
			development: 2574,
			test: 5150,
			without: 3,
			words: 10.2,
			tokens: 12.9,
			files: [{count: 7724, name: 'questions.jsonl', sha256: 'd0'.repeat(32)}],
			split: 'documents',
		},
		relevance: {from: 'qrels', file: {count: 7724, name: 'qrels.txt', sha256: 'e0'.repeat(32)}, perQuestion: 1, graded: false},
		encoder: {name: 'small-encoder', sha256: 'a1'.repeat(32)},
		settings: {
			seed: 42,
			negatives: 10,
			random: 20,
			confidenceOf: 'phrases',
			confidenceDepth: 30,
			fused: 3,
			start: 0.1,
			stepSize: 100,
			bins: 10,
			depth: 100,
			significance: 0.01,
		},
		models: [
			{name: 'M1', length: {sentences: 1}, phrases: 10_423, words: 23.2, unitLength: true},
			{name: 'M3', length: {sentences: 3}, phrases: 4231, words: 57.1, unitLength: true},
			{name: 'M5', length: {sentences: 5}, phrases: 2821, words: 85.9, unitLength: true},
			{name: 'M0', length: 'passage', phrases: 2067, words: 117.3, unitLength: true},
		],
		candidates: {size: 31, short: 0, ...protocol(1, 'accuracy', ['MRR'])},
		retrieval: protocol(0.8, 'top-1', ['top-5', 'top-20', 'top-100', 'MRR']),
		command: 'npx passagekit phrases --dataset squad',
		...changes,
	};
}

/**
Accuracy of each condition. `M1`, `M3`, `M5` and `M0` are indexes of phrases of one, three and five sentences and of
whole passages. After `muf` (model uncertainty fusion) come its variants and other fusions.
*/
const accuracies = {
	bm25: 0.754,
	M1: 0.534,
	M3: 0.447,
	M5: 0.47,
	M0: 0.483,
	muf: 0.545,
	mufSearch: 0.541,
	mufOwn: 0.542,
	mufPlain: 0.512,
	mufAll: 0.539,
	mean: 0.537,
	rrf: 0.522,
} as const;

/**
Returns the results of ranking either the candidates or all passages. The values of the first measure are `accuracies`
times `scale`; those of the other measures are higher.
*/
function protocol(scale: number, accuracyMeasure: string, others: readonly string[]): ProtocolStudy {
	const measures = [accuracyMeasure, ...others];
	/** Returns calibration errors that grow with `size`. */
	const error = (size: number): Calibration => ({
		squared: size ** 2 * 0.9,
		absolute: size * 0.9,
		maximum: size * 2,
		brier: 0.2 + size / 10,
		bins: [
			{count: 3500, confidence: 0.35, accuracy: Math.max(0, 0.35 - size)},
			{count: 1650, confidence: 0.82, accuracy: Math.min(1, 0.82 + size / 2)},
		],
	});
	return {
		measures,
		models: (['M1', 'M3', 'M5', 'M0'] as const).map((name, i) => ({
			name,
			development: scale * (accuracies[name] + 0.01),
			temperature: 0.05 + 0.01 * i,
			before: error(0.31 - 0.02 * i),
			after: error(name === 'M5' ? 0.33 : 0.05 + 0.01 * i),
			own: error(0.11 + 0.01 * i),
		})),
		selected: ['M1', 'M0', 'M5'],
		temperatures: {descent: 0.0731, search: 0.0682, all: 0.0724},
		fused: {before: error(0.29), after: error(0.06), own: error(0.07), searched: error(0.04)},
		rows: Object.entries(accuracies).map(([condition, accuracy]) => ({
			condition: condition as keyof typeof accuracies,
			values: measures.map((_, i) => Math.min(1, scale * (accuracy + 0.09 * i))),
		})),
		chosen: {M1: 2550, M0: 1600, M5: 1000},
		curve: Array.from({length: 25}, (_, i) => ({
			start: 10 ** (i / 6 - 3),
			temperature: 10 ** (i / 12 - 2),
			accuracy: scale * (0.541 - 0.06 * Math.max(0, (12 - i) / 12)),
		})),
		...comparisons(scale, accuracyMeasure),
	};
}

/**
Returns made-up significance tests of all compared pairs. Three kinds of differences are not significant: between MUF
and its variants or other fusions, between M1 and M3, and, when all passages are ranked, between MUF and M1.
*/
function comparisons(
	scale: number,
	measure: string,
): Pick<ProtocolStudy, 'comparisons' | 'extensions' | 'startTests' | 'calibrationTests'> {
	type Pair = readonly [a: keyof typeof accuracies, b: keyof typeof accuracies];
	const pairs: readonly Pair[] = [
		...(['M1', 'M3', 'M5', 'M0', 'bm25'] as const).map(b => ['muf', b] as const),
		...(['M1', 'M3', 'M5'] as const).map(a => [a, 'M0'] as const),
		['M1', 'M3'],
		['M1', 'M5'],
	];
	const otherFusions = ['mufSearch', 'mufOwn', 'mufPlain', 'mufAll', 'mean', 'rrf'] as const;
	const compared = (family: readonly Pair[]): Comparison[] =>
		family.map(([a, b]) => {
			const isInsignificant =
				otherFusions.includes(b as (typeof otherFusions)[number]) || (a === 'M1' && b === 'M3') || (scale < 1 && b === 'M1');
			return comparison(a, b, measure, scale * (accuracies[a] - accuracies[b]), isInsignificant ? 0.02 : 0.0001, family.length);
		});
	return {
		comparisons: compared(pairs),
		extensions: compared(otherFusions.map(b => ['muf', b] as const)),
		// T0 is the initial temperature. Values much smaller than 0.1 are significantly worse; larger values are not.
		startTests: [
			comparison('T0 = 0.1', 'T0 = 0.001', measure, 0.06, 0.0001, 4),
			comparison('T0 = 0.1', 'T0 = 0.01', measure, 0.03, 0.0002, 4),
			comparison('T0 = 0.1', 'T0 = 1', measure, 0, 1, 4),
			comparison('T0 = 0.1', 'T0 = 10', measure, 0.001, 0.6, 4),
		],
		// Fitting the temperature T lowers all Brier scores except that of M5, whose rise is not significant.
		calibrationTests: ['M1', 'M3', 'M5', 'M0', 'MUF'].map(name =>
			comparison(
				`${name} at T = 1`,
				`${name} at the fitted T`,
				'Brier score',
				name === 'M5' ? -0.002 : 0.026,
				name === 'M5' ? 0.4 : 0.0001,
				5,
			),
		),
	};
}

/** Returns a test with the uncorrected p-value `p`, in a family of `familySize` tests that are corrected together. */
function comparison(a: string, b: string, measure: string, difference: number, p: number, familySize: number): Comparison {
	const corrected = Math.min(1, p * familySize);
	return {a, b, measure, difference, p, corrected, significant: corrected < 0.01, smallest: 0.014, mark: ''};
}
