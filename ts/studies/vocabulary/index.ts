/**
The vocabulary study (Ram et al., 2023): `studyVocabulary` runs it, `vocabularyFindings` judges its results, and
`vocabularyStudyHtml` and `vocabularyStudyMarkdown` report them. `publishedVocabulary` has the paper's own numbers.
*/
export type {ProjectedExample, VocabularyExamples} from './examples/projected-example.ts';
export type {VocabularyFinding, VocabularyFindingName} from './findings/finding-names.ts';
export {vocabularyFindings} from './findings/findings.ts';
export type {VocabularyStudyOptions} from './options.ts';
export {publishedVocabulary} from './published.ts';
export {vocabularyStudyHtml, vocabularyStudyMarkdown} from './report/report.ts';
export {studyVocabulary} from './study-vocabulary.ts';
export type {
	AnalyzedEncoder,
	Baseline,
	EncoderAnalysis,
	EnrichmentOutcome,
	VocabularyCondition,
	VocabularyQuestions,
	VocabularyRetrieval,
	VocabularyRetrievalRow,
	VocabularySettings,
	VocabularyStudy,
	VocabularyTests,
} from './study.ts';
