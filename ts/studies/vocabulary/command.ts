import type {StudyCommand} from '../engine/command.ts';
import {
	encoderFlags,
	judgedDataset,
	judgedFileFlags,
	maxQuestionsFlag,
	nameFlag,
	seedFlag,
	significanceFlag,
} from '../engine/common-flags.ts';
import type {VocabularyStudyOptions} from './options.ts';

/** `passagekit vocabulary`. */
export const vocabularyCommand: StudyCommand<VocabularyStudyOptions> = {
	name: 'vocabulary',
	description: 'rerun Ram et al. (2023), "What Are You Token About?", on a data set, and write its report',
	dataset: judgedDataset,
	output: {help: 'folder of the run: report, TREC runs, vectors; a stopped run is resumed', default: 'passagekit-vocabulary'},
	flags: [
		nameFlag('name of the data set (default: that of its folder or file)'),
		...judgedFileFlags,
		...encoderFlags,
		{
			option: 'head',
			placeholder: '<model>',
			type: 'model',
			help: "masked-language-model head of the encoder's initialization (default: minilm-mlm-head, or the encoder's)",
		},
		{
			option: 'baseline',
			placeholder: '<model>',
			type: 'model',
			help: "the encoder's initialization as an encoder (default: the head's static embeddings)",
		},
		maxQuestionsFlag,
		{
			option: 'learningRate',
			placeholder: '<α>',
			type: 'number',
			help: 'learning rate of single-token enrichments (default: 0.001 for heads of MPNet, else 0.01)',
		},
		{option: 'maxSteps', placeholder: '<n>', type: {min: 1}, help: 'maximum number of steps of single-token enrichments', default: 100},
		seedFlag('seed of development questions and of examples'),
		significanceFlag,
		{option: 'enrichment', type: 'boolean', help: 'lexical enrichment', negated: 'leave lexical enrichment out'},
	],
};
