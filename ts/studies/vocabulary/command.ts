/** The command line of the vocabulary study (Ram et al., 2023). */
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
import type {VocabularyStudyOptions} from './options.ts';

/** Name, flags and help of `passagekit vocabulary`. */
export const vocabularyCommand: StudyCommand<VocabularyStudyOptions> = {
	name: 'vocabulary',
	description: 'repeat the experiments of Ram et al. (2023), "What Are You Token About?", on a data set, and write a report',
	dataset: judgedDataset,
	output: {help: 'folder of the study: report, TREC runs, vectors; a stopped study is resumed', default: 'passagekit-vocabulary'},
	flags: [
		nameFlag('name of the data set (default: the name of its folder or file)'),
		...judgedFileFlags,
		...encoderFlags,
		{
			option: 'head',
			placeholder: '<model>',
			type: 'model',
			help: "masked-language-model head of the model that the encoder was initialized from (default: minilm-mlm-head for minilm-encoder, else the encoder's own)",
		},
		{
			option: 'baseline',
			placeholder: '<model>',
			type: 'model',
			help: "the model that the encoder was initialized from, as an encoder (default: the head's word embeddings)",
		},
		maxQuestionsFlag,
		answerKindFlag,
		{
			option: 'learningRate',
			placeholder: '<α>',
			type: 'number',
			help: 'learning rate of Adam in the search for the token vectors of lexical enrichment (default: 0.001 for heads of MPNet, else 0.01)',
		},
		{option: 'maxSteps', placeholder: '<n>', type: {min: 1}, help: 'maximum number of steps of Adam for each token vector', default: 100},
		seedFlag('seed for drawing development questions and examples'),
		significanceFlag,
		{option: 'enrichment', type: 'boolean', help: 'lexical enrichment', negated: 'do not study lexical enrichment'},
	],
};
