import {answerMerges} from '../../reader/extractive-reader.ts';
import type {StudyCommand} from '../engine/command.ts';
import {corpusFlag, encoderFlags, nameFlag, significanceFlag, splitFlags} from '../engine/common-flags.ts';
import {DEFAULT_READER, type ReplicateOptions} from './options.ts';

/** `passagekit replicate`. */
export const replicateCommand: StudyCommand<ReplicateOptions> = {
	name: 'replicate',
	description: 'rerun Ma et al. (2021), "A Replication Study of Dense Passage Retriever", on a data set, and write its report',
	dataset: {placeholder: '<folder>', help: 'a folder with a corpus, development and test questions, identified by their names'},
	output: {help: 'folder of the run: report, TREC runs, cached readings; a stopped run is resumed', default: 'passagekit-study'},
	flags: [
		nameFlag("NQ, TriviaQA, WQ, CuratedTREC or SQuAD, to show the paper's numbers beside yours"),
		corpusFlag,
		...splitFlags,
		{
			option: 'collection',
			placeholder: '<folder>',
			type: 'file',
			help: 'a collection of this corpus made by `passagekit index`, instead of building one',
		},
		...encoderFlags,
		{
			option: 'reader',
			placeholder: '<model>',
			type: 'model',
			help: 'reader',
			default: DEFAULT_READER,
			negated: 'retrieval alone: Tables 1 and 2',
		},
		{option: 'depth', placeholder: '<n>', type: {min: 1}, help: "hits of each list that are fused (k')", default: 1000},
		{option: 'dprDepth', placeholder: '<n>', type: {min: 1}, help: "the same for DPR's own hybrid (default: twice --depth)"},
		{option: 'ks', placeholder: '<list>', type: 'counts', help: 'cut-offs of accuracy', default: [20, 100]},
		{
			option: 'passagesRead',
			placeholder: '<n>',
			type: {min: 1},
			help: 'maximum number of passages read per question; the paper has 500',
			default: 100,
		},
		{
			option: 'spansPerPassage',
			placeholder: '<n>',
			type: {min: 1},
			help: 'maximum number of spans per passage (m); PyGaggle has 5',
			default: 10,
		},
		{option: 'maxAnswerTokens', placeholder: '<n>', type: {min: 1}, help: 'maximum number of tokens of an answer', default: 10},
		{
			option: 'merge',
			placeholder: '<way>',
			type: {choices: answerMerges},
			help: 'answers that are equal: as texts, or after normalization as in PyGaggle',
			default: 'text',
		},
		significanceFlag,
		{
			option: 'answerKind',
			placeholder: '<kind>',
			type: {choices: ['text', 'pattern']},
			help: 'accepted answers: texts, or regular expressions as in CuratedTREC',
			default: 'text',
		},
		{
			option: 'maxDevelopmentQuestions',
			placeholder: '<n>',
			type: {min: 1},
			help: 'maximum number of development questions, sampled from the file at equal distances (default: all)',
		},
		{
			option: 'maxTestQuestions',
			placeholder: '<n>',
			type: {min: 2},
			help: 'maximum number of test questions, sampled from the file at equal distances (default: all)',
		},
	],
};
