/**
The vocabulary study (Ram et al., 2023): `studyVocabulary` runs it; the other functions judge and report its results.
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
