/** The phrase study (Yang et al., 2023): `studyPhrases` runs it; the other functions judge and report its results. */
export {type PhraseFinding, type PhraseFindingName, phraseFindings} from './findings.ts';
export type {PhraseStudyOptions} from './options.ts';
export {publishedPhrases, type PublishedPhrases, publishedPhrasesFor} from './published.ts';
export {phraseStudyHtml, phraseStudyMarkdown} from './report/report.ts';
export {studyPhrases} from './study-phrases.ts';
export type {
	CalibratedFusion,
	CalibratedModel,
	Calibration,
	FusionTemperatures,
	PhraseCondition,
	PhraseConditionRow,
	PhraseModelStatistics,
	PhraseQuestions,
	PhraseSettings,
	PhraseStudy,
	ProtocolStudy,
	Relevance,
} from './study.ts';
