export {type PhraseFinding, type PhraseFindingName, phraseFindings} from './report/findings.ts';
export {publishedPhrases, type PublishedPhrases, publishedPhrasesFor} from './report/published.ts';
export {phraseStudyHtml} from './report/report-html.ts';
export {phraseStudyMarkdown} from './report/report-markdown.ts';
export {studyPhrases, type PhraseStudyOptions, type PhraseStudyProgress} from './study-phrases.ts';
export type {
	CalibratedModel,
	Calibration,
	PhraseCondition,
	PhraseConditionRow,
	PhraseModelFacts,
	PhraseSettings,
	PhraseStudy,
	ProtocolStudy,
	QuestionFacts,
	Relevance,
} from './study.ts';
