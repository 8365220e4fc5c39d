/**
The training study (Karpukhin et al., 2020): `studyTraining` runs it, `trainingFindings` judges its results, and
`trainingStudyHtml` and `trainingStudyMarkdown` report them. `publishedTraining` has the paper's own numbers.
*/
export type {ExampleSet, NegativeSource, TrainingCondition} from './conditions.ts';
export type {TrainingFinding, TrainingFindingName} from './findings/finding-names.ts';
export {trainingFindings} from './findings/findings.ts';
export type {TrainingStudyOptions} from './options.ts';
export {publishedTraining} from './published.ts';
export {trainingStudyHtml, trainingStudyMarkdown} from './report/report.ts';
export {studyTraining} from './study-training.ts';
export type {
	ExampleCounts,
	JointRow,
	JointSettings,
	JointStudy,
	TrainingSummary,
	QuestionCounts,
	TrainingRow,
	TrainingSettings,
	TrainingStudy,
	TrainingTables,
	TrainingTests,
	OtherDatasetResults,
} from './study.ts';
