/** The metadata of a report: inputs and settings, each as a label with a value, and references to papers. */
import {counted} from '../../drawing/format.ts';
import type {StudyInput, StudyModel} from '../storage/inputs.ts';

/** An input or a setting of a study. To reproduce a study's numbers, all its inputs and settings must be the same. */
export interface MetadataEntry {
	readonly label: string;
	readonly value: string;
	/** Checksum of the content, if the entry is for a file or a model. */
	readonly sha256?: string;
}

export interface Reference {
	readonly text: string;
	readonly url: string;
}

/** Returns the entry for a file. `noun` names what `count` counts, such as "passage". */
export const fileEntry = (label: string, {count, name, sha256}: StudyInput, noun: string): MetadataEntry => ({
	label,
	value: `${name === undefined ? '' : `${name}, `}${counted(count, noun)}`,
	sha256,
});

export const modelEntry = (label: string, {name, sha256}: StudyModel): MetadataEntry => ({label, value: name, sha256});

/** Returns the entries for the passage encoder and, if it is a different model, the question encoder. */
export const encoderEntries = (encoder: StudyModel, questionEncoder: StudyModel | undefined): readonly MetadataEntry[] => [
	modelEntry('Encoder', encoder),
	...(questionEncoder ? [modelEntry('Question encoder', questionEncoder)] : []),
];

/**
Returns the entries for the question files: one file of all questions, or two. Then the second one has test questions,
and `firstLabel` is the label of the first one.
*/
export function questionEntries([first, second]: readonly StudyInput[], firstLabel = 'Development questions'): readonly MetadataEntry[] {
	return second
		? [fileEntry(firstLabel, first!, 'question'), fileEntry('Test questions', second, 'question')]
		: [fileEntry('Questions', first!, 'question')];
}

/** Returns the entry for the significance level, which is the same for all tests. */
export const significanceEntry = (significance: number): MetadataEntry => ({
	label: 'Significance',
	value: `p < ${significance} after Bonferroni’s correction`,
});

/** The paper that introduced DPR (dense passage retrieval). The papers of the other studies build on it. */
export const dprReference: Reference = {
	text: 'Vladimir Karpukhin, Barlas Oğuz, Sewon Min, Patrick Lewis, Ledell Wu, Sergey Edunov, Danqi Chen and Wen-tau Yih (2020). Dense Passage Retrieval for Open-Domain Question Answering. EMNLP 2020. arXiv:2004.04906.',
	url: 'https://arxiv.org/abs/2004.04906',
};
