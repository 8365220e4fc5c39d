/** The command line of the replication study (Ma et al., 2021). */
import {answerMerges} from '../../reader/extractive-reader.ts';
import type {StudyCommand} from '../engine/command.ts';
import {answerKindFlag, corpusFlag, encoderFlags, nameFlag, significanceFlag, splitFlags} from '../engine/common-flags.ts';
import {DEFAULT_READER, type ReplicateOptions} from './options.ts';

/** Name, flags and help of `passagekit replicate`. */
export const replicateCommand: StudyCommand<ReplicateOptions> = {
	name: 'replicate',
	description:
		'repeat the experiments of Ma et al. (2021), "A Replication Study of Dense Passage Retriever", on a data set, and write a report',
	dataset: {placeholder: '<folder>', help: 'a folder with a corpus, development questions and test questions, identified by file names'},
	output: {help: 'folder of the study: report, TREC runs, cached readings; a stopped study is resumed', default: 'passagekit-study'},
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
		{
			option: 'url',
			placeholder: '<addresses>',
			type: 'text',
			help: 'search an index of an OpenSearch cluster, which `passagekit push` made: the address of a node, or several with commas',
		},
		{option: 'index', placeholder: '<name>', type: 'text', help: 'with --url: the name of the index, or of an alias'},
		...encoderFlags,
		{
			option: 'reader',
			placeholder: '<model>',
			type: 'model',
			help: 'reader model',
			default: DEFAULT_READER,
			negated: 'no reading, only retrieval: Tables 1 and 2',
		},
		{option: 'depth', placeholder: '<n>', type: {min: 1}, help: "number of hits that hybrids fuse from each list (k')", default: 1000},
		{option: 'dprDepth', placeholder: '<n>', type: {min: 1}, help: "the same for Hybrid-orig, DPR's own hybrid (default: twice --depth)"},
		{option: 'ks', placeholder: '<list>', type: 'counts', help: 'cut-offs k of top-k accuracy', default: [20, 100]},
		{
			option: 'passagesRead',
			placeholder: '<n>',
			type: {min: 1},
			help: 'maximum number of passages read per question; the paper uses 500',
			default: 100,
		},
		{
			option: 'spansPerPassage',
			placeholder: '<n>',
			type: {min: 1},
			help: 'maximum number of spans kept per passage (m); PyGaggle, the software of the paper, keeps 5',
			default: 10,
		},
		{option: 'maxAnswerTokens', placeholder: '<n>', type: {min: 1}, help: 'maximum number of tokens of an answer', default: 10},
		{
			option: 'merge',
			placeholder: '<way>',
			type: {choices: answerMerges},
			help: 'which answers count as equal: those with the same text or, as in PyGaggle, the same normalized text',
			default: 'text',
		},
		significanceFlag,
		answerKindFlag,
		{
			option: 'maxDevelopmentQuestions',
			placeholder: '<n>',
			type: {min: 1},
			help: 'maximum number of development questions, taken from the file at equal intervals (default: all)',
		},
		{
			option: 'maxTestQuestions',
			placeholder: '<n>',
			type: {min: 2},
			help: 'maximum number of test questions, taken from the file at equal intervals (default: all)',
		},
	],
};
