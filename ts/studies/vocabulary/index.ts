export {type VocabularyFinding, type VocabularyFindingName, vocabularyFindings} from './findings/findings.ts';
export {publishedVocabulary} from './published.ts';
export {vocabularyStudyHtml} from './report/html.ts';
export {vocabularyStudyMarkdown} from './report/markdown.ts';
export type {
	AnalyzedEncoder,
	Baseline,
	EncoderAnalysis,
	EnrichmentFacts,
	VocabularyRetrievalRow,
	VocabularyRetrieval,
	VocabularyCondition,
	VocabularyQuestions,
	VocabularySettings,
	VocabularyStudy,
	VocabularyTests,
} from './study.ts';
export type {ProjectedExample, VocabularyExamples} from './examples/examples.ts';
export type {VocabularyStudyOptions, VocabularyStudyProgress} from './inputs.ts';
export {studyVocabulary} from './study-vocabulary.ts';
