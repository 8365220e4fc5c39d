/** The metadata of a report: inputs and settings, each as a label with a value, and references. */
import {counted} from '../../drawing/format.ts';
import type {StudyInput, StudyModel} from '../storage/inputs.ts';

/** An input or a setting that has to be the same to reproduce the numbers. */
export interface MetadataEntry {
	readonly label: string;
	readonly value: string;
	readonly sha256?: string;
}

export interface Reference {
	readonly text: string;
	readonly url: string;
}

/** Returns the entry of a file. `noun` names what `count` counts, such as "passage". */
export const fileEntry = (label: string, {count, name, sha256}: StudyInput, noun: string): MetadataEntry => ({
	label,
	value: `${name === undefined ? '' : `${name}, `}${counted(count, noun)}`,
	sha256,
});

export const modelEntry = (label: string, {name, sha256}: StudyModel): MetadataEntry => ({label, value: name, sha256});

/** Returns the entries of the encoder of passages and, if it is another model, of the encoder of questions. */
export const encoderEntries = (encoder: StudyModel, questionEncoder: StudyModel | undefined): readonly MetadataEntry[] => [
	modelEntry('Encoder', encoder),
	...(questionEncoder ? [modelEntry('Encoder of questions', questionEncoder)] : []),
];

/**
Returns the entries of the question files: one file of all questions, or one of development and one of test questions.
*/
export function questionEntries([first, second]: readonly StudyInput[]): readonly MetadataEntry[] {
	return second
		? [fileEntry('Development questions', first!, 'question'), fileEntry('Test questions', second, 'question')]
		: [fileEntry('Questions', first!, 'question')];
}

/** Returns the entry of the significance level of all tests. */
export const significanceEntry = (significance: number): MetadataEntry => ({
	label: 'Significance',
	value: `p < ${significance} after Bonferroni’s correction`,
});

/** The paper that introduced DPR. The papers of all three studies build on it. */
export const dprReference: Reference = {
	text: 'Vladimir Karpukhin, Barlas Oğuz, Sewon Min, Patrick Lewis, Ledell Wu, Sergey Edunov, Danqi Chen and Wen-tau Yih (2020). Dense Passage Retrieval for Open-Domain Question Answering. EMNLP 2020. arXiv:2004.04906.',
	url: 'https://arxiv.org/abs/2004.04906',
};
