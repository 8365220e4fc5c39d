export {type PhraseFinding, type PhraseFindingName, phraseFindings} from './findings.ts';
export {publishedPhrases, type PublishedPhrases, publishedPhrasesFor} from './published.ts';
export {phraseStudyHtml} from './report/html.ts';
export {phraseStudyMarkdown} from './report/markdown.ts';
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
