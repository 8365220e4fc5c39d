// Made-up results of the training study (Karpukhin et al., 2020; `ts/studies/training/`), for tests of its reports.
import type {Comparison} from '../../ts/studies/statistics/comparison.ts';
import {
	type NamePair,
	curvePairs,
	deepMeasures,
	jointMeasures,
	jointPair,
	schemePairs,
	similarityPairs,
	supervisionPair,
	testedMeasures,
	trainingPair,
} from '../../ts/studies/training/claims.ts';
import {
	type TrainingCondition,
	jointNames,
	referenceScheme,
	schemeBlocks,
	schemeName,
	similarityConditions,
	supervisionNames,
} from '../../ts/studies/training/conditions.ts';
import type {TrainingRow, TrainingStudy, TrainingTables} from '../../ts/studies/training/study.ts';

const baseline = 'in-batch-32-bm25-1';
const examples = 3911;

const tables: TrainingTables = {
	schemes: schemeBlocks.flat().map(schemeName),
	schemesLeftOut: [],
	curve: [
		{examples: 1000, condition: 'examples-1000'},
		{examples: 2000, condition: 'examples-2000'},
		{examples, condition: baseline},
	],
	supervision: [baseline, supervisionNames.distant],
	similarities: [baseline, ...similarityConditions.map(({name}) => name)],
};

/** A row whose values are all different from those of the other rows. */
function row(condition: string, at: number, changes?: Partial<TrainingCondition>): TrainingRow {
	const values = [0.3, 0.5, 0.7, 0.85, 0.4].map((value, i) => value + 0.0031 * at + 0.0007 * i);
	if (changes === undefined) {
		return {condition, values};
	}
	const scheme = {...referenceScheme(32), similarity: 'dot', loss: 'nll', exampleSet: 'all', examples} as const;
	return {condition, values, training: {...scheme, ...changes, steps: 600 + at, losses: {first: 1.5 + at / 100, last: 0.5 + at / 100}}};
}

/**
Returns a made-up study in which all claims of the paper hold. Where the claim is that one condition is better, the
difference is 4.2 points and significant; where it is that two conditions hardly differ, it is 0.2 points.
*/
export function trainingStudy(changes: Partial<TrainingStudy> = {}): TrainingStudy {
	let at = 2;
	const {kinds, twoBm25, ...gains} = schemePairs;
	const {l2, cosine, loss} = similarityPairs;
	const curve = curvePairs(tables);
	return {
		format: 'passagekit training study 1',
		dataset: 'NQ',
		passagekit: '0.1.0',
		corpus: {count: 25_610, name: 'psgs.tsv', sha256: 'c0'.repeat(32), words: 98.4},
		questions: {
			training: 4000,
			test: 1203,
			without: 17,
			files: [
				{count: 4000, name: 'train.jsonl', sha256: 'd0'.repeat(32)},
				{count: 1220, name: 'test.jsonl', sha256: 'd1'.repeat(32)},
			],
			split: 'files',
			relevance: 'contexts',
			measuredBy: 'answers',
		},
		examples: {
			count: examples,
			positives: {ids: 0, contexts: 3801, answers: 110},
			dropped: 89,
			missing: {hardNegatives: 12, randomNegatives: 0, goldNegatives: 3},
			supervision: {count: examples, same: 3219},
		},
		encoder: {name: 'base-model', sha256: 'a1'.repeat(32)},
		reader: {name: 'base-reader', sha256: 'a2'.repeat(32)},
		settings: {
			seed: 42,
			epochs: 7,
			batchSize: 32,
			learningRate: 2e-5,
			maxTokens: null,
			threads: 2,
			examples: [1000, 2000, 5000],
			parts: {schemes: true, curve: true, supervision: true, similarities: true},
			maxTrainingQuestions: null,
			maxQuestions: null,
			joint: {passagesPerQuestion: 24},
			goldField: null,
			depth: 100,
			significance: 0.01,
		},
		measures: ['top-1', 'top-5', 'top-20', 'top-100', 'MRR'],
		rows: [
			row('bm25', 0),
			row('untrained', 1),
			...schemeBlocks.flat().map(scheme => row(schemeName(scheme), at++, scheme)),
			row('examples-1000', at++, {examples: 1000}),
			row('examples-2000', at++, {examples: 2000}),
			row(supervisionNames.distant, at++, {exampleSet: 'distant'}),
			...similarityConditions.map(({name, ...change}) => row(name, at++, change)),
			row('multi', at++, {examples: 5000}),
		],
		tables,
		tests: {
			schemes: [
				...tests(Object.values(gains).flat(), testedMeasures, 0.042),
				...tests(twoBm25, testedMeasures, 0.002),
				...tests(kinds, deepMeasures, 0.002),
			],
			curve: tests([...curve.more, ...curve.few, trainingPair(32)], testedMeasures, 0.042),
			supervision: tests([supervisionPair], testedMeasures, -0.002),
			similarities: [...tests(cosine, testedMeasures, 0.042), ...tests([...l2, ...loss], testedMeasures, 0.002)],
			transfer: [
				...tests([['main', 'bm25']], ['top-5 on WQ', 'top-20 on WQ'], 0.042),
				...tests([['main', 'own']], ['top-5 on WQ', 'top-20 on WQ'], -0.002),
			],
			joint: tests([jointPair], jointMeasures, 0.002),
		},
		transfer: [
			{
				dataset: 'WQ',
				corpus: {count: 7001, name: 'corpus.jsonl', sha256: 'e0'.repeat(32)},
				files: [
					{count: 1100, name: 'wq-train.jsonl', sha256: 'e1'.repeat(32)},
					{count: 509, name: 'wq-test.jsonl', sha256: 'e2'.repeat(32)},
				],
				examples: 1089,
				test: 501,
				measuredBy: 'answers',
				rows: [
					row('bm25', 31),
					row('untrained', 32),
					row('main', 33, {}),
					row('own', 34, {examples: 1089}),
					row('multi', 35, {examples: 5000}),
				],
			},
		],
		joint: {
			rows: [jointNames.separate, jointNames.joint].map((condition, i) => ({
				condition,
				values: row(condition, 40 + i).values,
				exactMatch: 0.4123 + i / 100,
				examples: 3801,
				training: {steps: 1660, losses: {first: 4.5 + i, last: 2.5 + i}},
			})),
		},
		command: 'npx passagekit training-study --dataset nq',
		...changes,
	};
}

/** Made-up tests. A difference above two points is significant. */
function tests(pairs: readonly NamePair[], measures: readonly string[], difference: number): readonly Comparison[] {
	const significant = Math.abs(difference) > 0.02;
	return pairs.flatMap(([a, b]) =>
		measures.map(measure => ({
			a,
			b,
			measure,
			difference,
			p: significant ? 0.00021 : 0.41,
			corrected: significant ? 0.0042 : 1,
			significant,
			smallest: 0.006,
			mark: '',
		})),
	);
}
