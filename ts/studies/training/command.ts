/** The command line of the training study (Karpukhin et al., 2020). */
import type {StudyCommand} from '../engine/command.ts';
import {answerKindFlag, corpusFlag, judgedDataset, nameFlag, seedFlag, significanceFlag} from '../engine/common-flags.ts';
import {DEFAULT_ENCODER} from '../engine/options.ts';
import {DEFAULT_PASSAGES, type TrainingStudyOptions, studyDefaults} from './options.ts';

/** Name, flags and help of `passagekit training-study`. */
export const trainingCommand: StudyCommand<TrainingStudyOptions> = {
	name: 'training-study',
	description: 'repeat the training experiments of Karpukhin et al. (2020), "Dense Passage Retrieval", on a data set, and write a report',
	dataset: judgedDataset,
	output: {help: 'folder of the study: report, TREC runs, the trained encoder; a stopped study is resumed', default: 'passagekit-training'},
	flags: [
		nameFlag('name of the data set (default: the name of its folder or file)'),
		corpusFlag,
		{
			option: 'queries',
			placeholder: '<file>',
			type: 'file',
			help: 'all questions in one file, about a third of which become test questions',
		},
		{option: 'train', placeholder: '<file>', type: 'file', help: 'training questions, if their name does not identify them'},
		{option: 'test', placeholder: '<file>', type: 'file', help: 'test questions, if their name does not identify them'},
		{
			option: 'qrels',
			placeholder: '<file>',
			type: 'file',
			help: 'relevance judgments (default: the passages that questions were written for, or passages with an answer)',
		},
		{
			option: 'goldField',
			placeholder: '<name>',
			type: 'text',
			help: 'property of JSON questions with the id of the gold positive, or a list of ids',
		},
		{
			option: 'transfer',
			placeholder: '<list>',
			type: 'files',
			help: 'other data sets on which the trained encoder is measured; with training questions, an encoder is trained on each, and one on all',
		},
		answerKindFlag,
		{
			option: 'transferPatterns',
			placeholder: '<list>',
			type: 'names',
			help: 'names of the other data sets whose accepted answers are regular expressions',
		},
		{option: 'encoder', placeholder: '<model>', type: 'model', help: 'model that every training starts from', default: DEFAULT_ENCODER},
		{
			option: 'reader',
			placeholder: '<model>',
			type: 'model',
			help: 'a reader to train, after the encoder and jointly with the question encoder (appendix D)',
		},
		{
			option: 'passagesPerQuestion',
			placeholder: '<n>',
			type: {min: 2},
			help: `passages per question for the reader (default: ${DEFAULT_PASSAGES})`,
		},
		{
			option: 'maxTrainingQuestions',
			placeholder: '<n>',
			type: {min: 2},
			help: 'maximum number of training questions, taken at equal intervals (default: all)',
		},
		{
			option: 'maxQuestions',
			placeholder: '<n>',
			type: {min: 2},
			help: 'maximum number of test questions, taken at equal intervals (default: all)',
		},
		{
			option: 'epochs',
			placeholder: '<n>',
			type: {min: 1},
			help: 'number of passes over the training examples; the paper has up to 40, or 100 for small data sets',
			default: studyDefaults.epochs,
		},
		{
			option: 'batchSize',
			placeholder: '<n>',
			type: {min: 2},
			help: 'number of questions per step, except in Table 3',
			default: studyDefaults.batchSize,
		},
		{
			option: 'learningRate',
			placeholder: '<x>',
			type: 'number',
			help: 'highest learning rate; the paper has 1e-5',
			default: studyDefaults.learningRate,
		},
		{
			option: 'maxTokens',
			placeholder: '<n>',
			type: {min: 8},
			help: 'maximum number of tokens per input (default: as the model is configured, else 256)',
		},
		{
			option: 'examples',
			placeholder: '<list>',
			type: 'counts',
			help: 'numbers of training examples for Figure 1; all of them are added',
			default: studyDefaults.examples,
		},
		{option: 'threads', placeholder: '<n>', type: {min: 1}, help: 'number of threads (default: one per core)'},
		seedFlag('seed of all random choices'),
		significanceFlag,
		{option: 'schemes', type: 'boolean', help: 'training schemes', negated: 'do not compare training schemes (Table 3)'},
		{option: 'curve', type: 'boolean', help: 'numbers of examples', negated: 'do not vary the number of training examples (Figure 1)'},
		{
			option: 'supervision',
			type: 'boolean',
			help: 'distant supervision',
			negated: 'do not compare gold positives with distant supervision (Table 5)',
		},
		{option: 'similarities', type: 'boolean', help: 'similarities and losses', negated: 'do not compare similarities and losses (Table 6)'},
	],
};
