/** The numbers printed in Yang et al. (2023). The report of a study on the same data set shows them next to its own. */
import {knownDataset} from '../dataset/known-dataset.ts';

/**
The numbers of Yang et al. (2023) for a data set. Effectiveness is F-1 in percent; since one passage is predicted per
question, F-1 is accuracy.
*/
export interface PublishedPhrases {
	readonly dataset: string;
	/** Table 1: number of question-context pairs. */
	readonly pairs: number;
	/** Table 1: mean lengths in tokens. */
	readonly questionTokens: number;
	readonly passageTokens: number;
	/**
	Table 2: accuracy by the model's name in this package, such as `M3` (phrases of three sentences) or `M75t` (75
	tokens). For NQ: the column of the development set.
	*/
	readonly models: Readonly<Record<string, number>>;
	/** Table 2: accuracy of MUF (model uncertainty fusion). */
	readonly muf: number;
	/** Table 2: the column of the training set, which only NQ has. */
	readonly training?: {readonly models: Readonly<Record<string, number>>; readonly muf: number};
	/** Table 3, which the paper calls "general evaluation": accuracy of BM25, of DPR on whole passages, and of MUF. */
	readonly general: {readonly bm25: number; readonly dpr: number; readonly muf: number};
}

/** The paper's numbers for all of its data sets, in the order of its Table 3. */
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

/** Spellings of each data set's name. */
const names: Readonly<Record<string, readonly string[]>> = {
	NQ: ['nq', 'natural questions'],
	SQuAD: ['squad'],
	PubMedQA: ['pubmedqa', 'pubmed qa', 'pqal'],
	SCOTUS: ['scotus', 'sc stance'],
	NFCorpus: ['nfcorpus', 'nf corpus'],
};
/** Words that may follow a data set's name. The version numbers are those of SQuAD. */
const additions = /^(?:open|dev|development|train|training|test|small|qa|qas|preprocessed|paragraphs|v|v1|v2|1|2|0|11|20)$/u;

/**
Returns the paper's numbers for a data set, or `undefined` if the paper does not use it. Different spellings of the
name are recognized: `squad-dev`, `PubMedQA`, `nfcorpus`.

@example
```
publishedPhrasesFor('squad')?.models;
//=> {M1: 53.4, M3: 44.7, M5: 47}
```
*/
export function publishedPhrasesFor(dataset: string): PublishedPhrases | undefined {
	const known = knownDataset(dataset, names, additions);
	return publishedPhrases.find(published => published.dataset === known);
}
