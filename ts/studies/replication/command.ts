/** The command line of the replication study (Ma et al., 2021). */
import {answerMerges} from '../../reader/extractive-reader.ts';
import type {StudyCommand} from '../engine/command.ts';
import {corpusFlag, encoderFlags, nameFlag, significanceFlag, splitFlags} from '../engine/common-flags.ts';
import {DEFAULT_READER, type ReplicateOptions} from './options.ts';

/** Name, flags and help of `passagekit replicate`. */
export const replicateCommand: StudyCommand<ReplicateOptions> = {
	name: 'replicate',
	description: 'rerun Ma et al. (2021), "A Replication Study of Dense Passage Retriever", on a data set, and write its report',
	dataset: {placeholder: '<folder>', help: 'a folder with a corpus, development and test questions, identified by their names'},
	output: {help: 'folder of the run: report, TREC runs, cached readings; a stopped run is resumed', default: 'passagekit-study'},
	flags: [
		nameFlag("NQ, TriviaQA, WQ, CuratedTREC or SQuAD, to show the paper's numbers next to yours"),
		corpusFlag,
		...splitFlags,
		{
			option: 'collection',
			placeholder: '<folder>',
			type: 'file',
			help: 'an existing collection of this corpus, made by `passagekit index` (default: one is built)',
		},
		...encoderFlags,
		{
			option: 'reader',
			placeholder: '<model>',
			type: 'model',
			help: 'reader',
			default: DEFAULT_READER,
			negated: 'only retrieval: Tables 1 and 2',
		},
		{option: 'depth', placeholder: '<n>', type: {min: 1}, help: "number of hits of each list that hybrids fuse (k')", default: 1000},
		{option: 'dprDepth', placeholder: '<n>', type: {min: 1}, help: "the same for Hybrid-orig, DPR's own hybrid (default: twice --depth)"},
		{option: 'ks', placeholder: '<list>', type: 'counts', help: 'cut-offs k of top-k accuracy', default: [20, 100]},
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
			help: 'answers that count as equal: those with the same text, or the same normalized text as in PyGaggle',
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
