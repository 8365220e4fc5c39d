export {replicate, type ReplicateOptions, type ReplicateProgress} from './replicate.ts';
export type {
	Comparison,
	Counted,
	Model,
	ReadingCell,
	ReadingRow,
	ReadingStudy,
	RetrievalCondition,
	RetrievalRow,
	RetrievalStudy,
	Retrieved,
	Scoring,
	Settings,
	Study,
} from './study.ts';
