/**
The replication study (Ma et al., 2021): `replicate` runs it, `findings` judges its results, and `reportHtml` and
`reportMarkdown` report them. `published` and `publishedFor` have the papers' own numbers.
*/
export type {Finding, FindingName} from './findings/finding-names.ts';
export {findings} from './findings/findings.ts';
export {type Accuracies, published, type Published, publishedFor, type PublishedRetrieval} from './published.ts';
export {reportHtml, reportMarkdown} from './report/report.ts';
export {replicate} from './replicate.ts';
export type {ReplicateOptions} from './options.ts';
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
