import type {Comparison} from '../../ts/report/comparisons.ts';
import type {Calibration, PhraseStudy, ProtocolStudy} from '../../ts/phrase-study/study.ts';

/** A made-up study whose accuracies among candidates are those of the paper on SQuAD, and lower among all passages. */
export function phraseStudy(changes: Partial<PhraseStudy> = {}): PhraseStudy {
	return {
		format: 'passagekit phrase study 1',
		dataset: 'SQuAD',
		passagekit: '0.1.0',
		corpus: {count: 2067, name: 'paragraphs.tsv.gz', sha256: 'c0'.repeat(32), words: 117.3},
		questions: {
			development: 2574,
			test: 5150,
			without: 3,
			words: 10.2,
			files: [{count: 7724, name: 'questions.jsonl', sha256: 'd0'.repeat(32)}],
			split: 'documents',
		},
		relevance: {from: 'qrels', file: {count: 7724, name: 'qrels.txt', sha256: 'e0'.repeat(32)}, perQuestion: 1, graded: false},
		encoder: {name: 'small-encoder', sha256: 'a1'.repeat(32)},
		settings: {
			seed: 42,
			negatives: 10,
			random: 20,
			confidenceDepth: 30,
			fused: 3,
			start: 0.1,
			stepSize: 100,
			bins: 10,
			depth: 100,
			significance: 0.01,
		},
		models: [
			{name: 'M1', length: {sentences: 1}, phrases: 10_423, words: 23.2},
			{name: 'M3', length: {sentences: 3}, phrases: 4231, words: 57.1},
			{name: 'M5', length: {sentences: 5}, phrases: 2821, words: 85.9},
			{name: 'M0', length: 'passage', phrases: 2067, words: 117.3},
		],
		candidates: {size: 31, short: 0, ...protocol(1, 'accuracy', ['MRR'])},
		retrieval: protocol(0.8, 'top-1', ['top-5', 'top-20', 'top-100', 'MRR']),
		command: 'npx passagekit phrases --dataset squad',
		...changes,
	};
}

const accuracies = {
	bm25: 0.754,
	M1: 0.534,
	M3: 0.447,
	M5: 0.47,
	M0: 0.483,
	muf: 0.545,
	mufDescent: 0.541,
	mufPlain: 0.512,
	mufAll: 0.539,
	mean: 0.537,
	rrf: 0.522,
} as const;

function protocol(scale: number, decisive: string, others: readonly string[]): ProtocolStudy {
	const measures = [decisive, ...others];
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
			descended: 0.09 + 0.01 * i,
			before: error(0.31 - 0.02 * i),
			after: error(name === 'M5' ? 0.33 : 0.05 + 0.01 * i),
			afterDescent: error(0.11 + 0.01 * i),
		})),
		selected: ['M1', 'M0', 'M5'],
		rows: Object.entries(accuracies).map(([condition, accuracy]) => ({
			condition: condition as keyof typeof accuracies,
			values: measures.map((_, i) => Math.min(1, scale * (accuracy + 0.09 * i))),
		})),
		chosen: {M1: 2550, M0: 1600, M5: 1000},
		curve: Array.from({length: 25}, (_, i) => ({
			start: 10 ** (i / 6 - 3),
			accuracy: scale * (0.541 - 0.06 * Math.max(0, (12 - i) / 12)),
		})),
		comparisons: comparisons(scale, decisive),
	};
}

/** Significant from a difference of one and a half points on, which M1 and M3 are made not to have. */
function comparisons(scale: number, measure: string): readonly Comparison[] {
	const pairs: ReadonlyArray<readonly [a: keyof typeof accuracies, b: keyof typeof accuracies]> = [
		...(['M1', 'M3', 'M5', 'M0', 'bm25', 'mufDescent', 'mufPlain', 'mufAll', 'mean', 'rrf'] as const).map(b => ['muf', b] as const),
		...(['M1', 'M3', 'M5'] as const).map(a => [a, 'M0'] as const),
		['M1', 'M3'],
		['M1', 'M5'],
	];
	return pairs.map(([a, b]) => {
		const difference = scale * (accuracies[a] - accuracies[b]);
		const insignificant = ['mean', 'rrf'].includes(b) || (a === 'M1' && b === 'M3') || (scale < 1 && b === 'M1');
		const p = insignificant ? 0.02 : 0.0001;
		const corrected = Math.min(1, p * pairs.length);
		return {a, b, measure, difference, p, corrected, significant: corrected < 0.01, mark: ''};
	});
}
