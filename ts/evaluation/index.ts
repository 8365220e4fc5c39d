export {type AnswerKind, exactMatch, f1, hasAnswer, normaliseAnswer} from './answers.ts';
export {evaluate, type Evaluation, type Measure} from './evaluate.ts';
export {overlap, type Overlap} from './overlap.ts';
export {
	bonferroni,
	holm,
	type PairedTest,
	pairedTest,
	significance,
	type SignificanceOptions,
	type SignificanceTest,
} from './significance.ts';
export {topKAccuracy, type TopKAccuracy, type TopKAccuracyOptions} from './top-k-accuracy.ts';
export type {PassageTexts} from '../texts.ts';
