/** The numbers of Yang et al. (2023), as printed. */
import {knownDataset} from '../dataset/known-dataset.ts';

/** What Yang et al. (2023) measured on a data set; F-1 in per cent, which with one passage predicted is accuracy. */
export interface PublishedPhrases {
	readonly dataset: string;
	/** Table 1: question-context pairs, and mean lengths in tokens. */
	readonly pairs: number;
	readonly questionTokens: number;
	readonly passageTokens: number;
	/** Table 2, by the names of models here; for NQ its column of the development set. */
	readonly models: Readonly<Record<string, number>>;
	readonly muf: number;
	/** Table 2's column of the training set, which only NQ has. */
	readonly training?: {readonly models: Readonly<Record<string, number>>; readonly muf: number};
	/** Table 3. */
	readonly general: {readonly bm25: number; readonly dpr: number; readonly muf: number};
}

/** In the order of the paper's Table 3. */
export const publishedPhrases: readonly PublishedPhrases[] = [
	{
		dataset: 'NQ',
		pairs: 8200,
		questionTokens: 49.3,
		passageTokens: 36_479.6,
		models: {M75t: 77.4, M125t: 74, M250t: 70.1},
		muf: 86.7,
		training: {models: {M75t: 70.2, M125t: 69, M250t: 65.3}, muf: 83},
		general: {bm25: 30.3, dpr: 86.4, muf: 86.7},
	},
	{
		dataset: 'SQuAD',
		pairs: 11_900,
		questionTokens: 10,
		passageTokens: 128.5,
		models: {M1: 53.4, M3: 44.7, M5: 47},
		muf: 54.5,
		general: {bm25: 75.4, dpr: 48.3, muf: 54.4},
	},
	{
		dataset: 'PubMedQA',
		pairs: 61_200,
		questionTokens: 13.3,
		passageTokens: 196.4,
		models: {M1: 77.8, M3: 76.5, M5: 72.7},
		muf: 84.8,
		general: {bm25: 85.6, dpr: 60.2, muf: 84},
	},
	{
		dataset: 'SCOTUS',
		pairs: 271,
		questionTokens: 201.7,
		passageTokens: 29_409.9,
		models: {M1: 66.2, M3: 65.1, M5: 61.4},
		muf: 70,
		general: {bm25: 86.9, dpr: 41.3, muf: 70},
	},
	{
		dataset: 'NFCorpus',
		pairs: 102,
		questionTokens: 33.7,
		passageTokens: 1598.1,
		models: {M1: 30.8, M3: 24.5, M5: 21.9},
		muf: 27.8,
		general: {bm25: 25.3, dpr: 27.5, muf: 27.8},
	},
];

const names: Readonly<Record<string, readonly string[]>> = {
	NQ: ['nq', 'natural questions'],
	SQuAD: ['squad'],
	PubMedQA: ['pubmedqa', 'pubmed qa', 'pqal'],
	SCOTUS: ['scotus', 'sc stance'],
	NFCorpus: ['nfcorpus', 'nf corpus'],
};
/** Words that may follow a data set's name; the versions are those of SQuAD. */
const additions = /^(?:open|dev|development|train|training|test|small|qa|qas|preprocessed|paragraphs|v|v1|v2|1|2|0|11|20)$/u;

/**
The paper's numbers for a data set, found by any spelling of its name: `squad-dev`, `PubMedQA`, `nfcorpus`. `undefined` if the paper
does not have the data set.

@example
```
publishedPhrasesFor('squad')?.models;
//=> {M1: 53.4, M3: 44.7, M5: 47}
```
*/
export function publishedPhrasesFor(dataset: string): PublishedPhrases | undefined {
	const known = knownDataset(dataset, names, additions);
	return publishedPhrases.find(numbers => numbers.dataset === known);
}
