/** Command-line flags that several studies have. */
import type {AnswerKind} from '../../core/types.ts';
import type {StudyFlag} from './command.ts';
import type {JudgedStudyOptions} from './judged-study.ts';
import {DEFAULT_ENCODER, type StudyOptions} from './options.ts';

export const nameFlag = (help: string): StudyFlag<StudyOptions> => ({option: 'name', placeholder: '<name>', type: 'text', help});

export const corpusFlag: StudyFlag<StudyOptions> = {
	option: 'corpus',
	placeholder: '<path>',
	type: 'file',
	help: 'the corpus, if its name does not identify it',
};

export const splitFlags: ReadonlyArray<StudyFlag<StudyOptions>> = [
	{option: 'development', placeholder: '<file>', type: 'file', help: 'development questions, if their name does not identify them'},
	{option: 'test', placeholder: '<file>', type: 'file', help: 'test questions, if their name does not identify them'},
];

export const encoderFlags: ReadonlyArray<StudyFlag<StudyOptions>> = [
	{option: 'encoder', placeholder: '<model>', type: 'model', help: 'passage encoder', default: DEFAULT_ENCODER},
	{
		option: 'questionEncoder',
		placeholder: '<model>',
		type: 'model',
		help: 'question encoder, if it is a different model, as with DPR',
	},
];

export const answerKindFlag: StudyFlag<{readonly answerKind?: AnswerKind | undefined}> = {
	option: 'answerKind',
	placeholder: '<kind>',
	type: {choices: ['text', 'pattern']},
	help: 'accepted answers: texts, or regular expressions as in CuratedTREC',
	default: 'text',
};

export const significanceFlag: StudyFlag<StudyOptions> = {
	option: 'significance',
	placeholder: '<p>',
	type: 'number',
	help: 'a difference is significant if its corrected p-value is below this',
	default: 0.01,
};

/** Placeholder and help of `--dataset` in studies with relevance judgments. */
export const judgedDataset = {
	placeholder: '<path>',
	help: 'a folder with a corpus, questions and qrels, identified by their names; or one SQuAD or PubMedQA file',
} as const;

/** The files of a data set with relevance judgments. */
export const judgedFileFlags: ReadonlyArray<StudyFlag<JudgedStudyOptions>> = [
	corpusFlag,
	{
		option: 'queries',
		placeholder: '<file>',
		type: 'file',
		help: 'all questions in one file, about a third of which become development questions',
	},
	...splitFlags,
	{
		option: 'qrels',
		placeholder: '<file>',
		type: 'file',
		help: 'relevance judgments (default: the passages that questions were written for, or passages with an answer)',
	},
];

export const maxQuestionsFlag: StudyFlag<JudgedStudyOptions> = {
	option: 'maxQuestions',
	placeholder: '<n>',
	type: {min: 2},
	help: 'maximum number of questions from each file, taken at equal intervals (default: all)',
};

export const seedFlag = (help: string): StudyFlag<JudgedStudyOptions> => ({
	option: 'seed',
	placeholder: '<n>',
	type: {min: 0},
	help,
	default: 42,
});
