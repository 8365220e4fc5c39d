export type {Comparison as StudyComparison} from '../statistics/comparison.ts';
export type {Counted as StudyInput, Model as StudyModel} from '../storage/inputs.ts';
export {type Finding, findings, type FindingName} from './findings/findings.ts';
export {type Accuracies, published, type Published, publishedFor, type PublishedRetrieval} from './published.ts';
export {reportHtml} from './report/html.ts';
export {reportMarkdown} from './report/markdown.ts';
export {replicate} from './replicate.ts';
export type {ReplicateOptions, ReplicateProgress} from './options.ts';
export type {
	CurveTest,
	ReadingCell,
	ReadingRow,
	ReadingStudy,
	RetrievalCondition,
	RetrievalRow,
	RetrievalStudy,
	Retrieved,
	Scoring,
	Settings as StudySettings,
	Study,
} from './study.ts';
