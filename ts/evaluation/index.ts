/** Measures of retrieval and of answers, overlap of runs, candidate lists, and significance tests. */
export {type AnswerKind, exactMatch, f1, hasAnswer, normalizeAnswer} from './answers.ts';
export {
	candidateLists,
	type CandidateLists,
	type CandidateOptions,
	type Candidates,
	type NegativeSearcher,
} from './candidates.ts';
export {documentRun} from './document-run.ts';
export {evaluate, type Evaluation, type Measure} from './evaluate.ts';
export {
	type CandidateEvaluation,
	evaluateCandidates,
	type FilteredSearcher,
	rankCandidates,
	type RankCandidatesOptions,
} from './evaluate-candidates.ts';
export {overlap, type Overlap} from './overlap.ts';
export {rankSumTest, type RankSumTest, smallestSignificantShift} from './rank-sum.ts';
export {
	bonferroni,
	holm,
	type PairedTest,
	pairedTest,
	significance,
	smallestSignificantDifference,
	type SignificanceOptions,
	type SignificanceTest,
} from './significance.ts';
export {topKAccuracy, type TopKAccuracy, type TopKAccuracyOptions} from './top-k-accuracy.ts';
export type {PassageTexts} from '../core/passage-texts.ts';
