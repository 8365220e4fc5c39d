/** The command line of the phrase study (Yang et al., 2023). */
import type {StudyCommand} from '../engine/command.ts';
import {
	answerKindFlag,
	encoderFlags,
	judgedDataset,
	judgedFileFlags,
	maxQuestionsFlag,
	nameFlag,
	seedFlag,
	significanceFlag,
} from '../engine/common-flags.ts';
import type {PhraseStudyOptions} from './options.ts';

/** Name, flags and help of `passagekit phrases`. */
export const phrasesCommand: StudyCommand<PhraseStudyOptions> = {
	name: 'phrases',
	description:
		'repeat the experiments of Yang et al. (2023), "Confidence-Calibrated Ensemble Dense Phrase Retrieval", on a data set, and write a report',
	dataset: judgedDataset,
	output: {help: 'folder of the study: report, TREC runs, phrase indexes; a stopped study is resumed', default: 'passagekit-phrases'},
	flags: [
		nameFlag("SQuAD, PubMedQA, SCOTUS, NFCorpus or NQ, to show the paper's numbers next to yours"),
		...judgedFileFlags,
		{
			option: 'sentences',
			placeholder: '<list>',
			type: 'counts',
			help: 'phrase lengths in sentences; each length has its own index, called a model (default: 1,3,5)',
		},
		{
			option: 'tokens',
			placeholder: '<list>',
			type: 'counts',
			help: 'phrase lengths in tokens, such as 75,125,250; each length has its own index, called a model',
		},
		...encoderFlags,
		maxQuestionsFlag,
		answerKindFlag,
		seedFlag('seed of random candidates and of development questions'),
		{
			option: 'negatives',
			placeholder: '<n>',
			type: {min: 0},
			help: "number of hard negatives, found by BM25, among a question's candidates",
			default: 10,
		},
		{option: 'random', placeholder: '<n>', type: {min: 0}, help: "number of random passages among a question's candidates", default: 20},
		significanceFlag,
		{
			option: 'confidenceOf',
			placeholder: '<what>',
			type: {choices: ['phrases', 'passages']},
			help: 'scores from which confidences are computed; the paper uses those of phrases',
			default: 'phrases',
		},
	],
};
