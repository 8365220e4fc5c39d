/** Training examples: their files, and how they are mined from a corpus and questions. */
export type {TrainingExample, TrainingPassage} from './training-example.ts';
export {readTrainingExamples, type ReadTrainingOptions} from './read-training.ts';
export {writeTrainingExamples, type WriteTrainingOptions} from './write-training.ts';
export {mineNegatives, mineTrainingExamples, type MinedNegatives} from './mine-negatives.ts';
export type {
	MiningOptions,
	MiningPassages,
	MiningProgress,
	MiningStage,
	NegativeSampling,
	PositiveSource,
	StreamMiningOptions,
	TrainingQuestion,
} from './mining-options.ts';
export type {DropReason, MiningStatistics, RejectionReason} from './mining-statistics.ts';
