/**
The numbers printed in Ma et al. (2021) and Karpukhin et al. (2020), which reports show next to those of a study on the
same data set.
*/
import {dprDatasets, knownDataset} from '../dataset/known-dataset.ts';
import type {RetrievalCondition, Retrieved, Scoring} from './study.ts';

/**
The numbers of Ma et al. (2021) and Karpukhin et al. (2020) for a data set, in percent. Tables are those of Ma et al.
unless stated otherwise.
*/
export interface Published {
	readonly dataset: string;
	/** Table 1: top-k accuracy. */
	readonly retrieval: Readonly<Record<RetrievalCondition, PublishedRetrieval>>;
	/** Table 2: Jaccard overlap of dense and sparse lists, by the length of the lists. */
	readonly overlap: Readonly<Record<20 | 100 | 500 | 1000, number>>;
	/**
	Table 3: exact match; `orig` is from Karpukhin et al. Missing if the paper has no reading results for this data set.
	*/
	readonly reading?: Readonly<Record<Retrieved, Readonly<Record<'orig' | Scoring, number>>>>;
	/**
	Table 4 of Karpukhin et al.: exact match with encoders trained on this data set (`single`) or on all data sets
	except SQuAD (`multi`).
	*/
	readonly dprReading: Readonly<Record<Retrieved, {readonly single: number; readonly multi?: number}>>;
}

/** A row of Table 1. */
export interface PublishedRetrieval {
	/** The weight of a hybrid: λ, of dense scores, for `dprHybrid`; α, of BM25 scores, for the other hybrids. */
	readonly weight?: number;
	/** The numbers of Karpukhin et al. */
	readonly orig?: Accuracies;
	/** The numbers of Ma et al. */
	readonly repl?: Accuracies;
}

/** Top-20 and top-100 accuracy. */
export type Accuracies = Readonly<Record<20 | 100, number>>;

/** The data sets, in the order of Ma et al. (2021). */
export const published: readonly Published[] = [
	{
		dataset: 'NQ',
		retrieval: {
			dense: {orig: at(79.4, 86.0), repl: at(79.5, 86.1)},
			bm25: {orig: at(59.1, 73.7), repl: at(62.9, 78.3)},
			dprHybrid: {weight: 1.1, orig: at(78.0, 83.9)},
			hybridNorm: {weight: 1.3, repl: at(82.6, 88.6)},
			hybrid: {weight: 0.55, repl: at(82.7, 88.1)},
		},
		overlap: {20: 6.1, 100: 5.2, 500: 4.4, 1000: 4.2},
		reading: {
			dense: {orig: 41.5, repl: 41.2, 'repl*': 42.5, GAR: 41.5, 'GAR*': 43.5},
			bm25: {orig: 32.6, repl: 36.3, 'repl*': 37.0, GAR: 37.3, 'GAR*': 38.4},
			hybrid: {orig: 39.0, repl: 41.2, 'repl*': 43.2, GAR: 41.9, 'GAR*': 44.0},
		},
		dprReading: {dense: {single: 41.5, multi: 41.5}, bm25: {single: 32.6}, hybrid: {single: 39.0, multi: 38.8}},
	},
	{
		dataset: 'TriviaQA',
		retrieval: {
			dense: {orig: at(78.8, 84.7), repl: at(78.9, 84.8)},
			bm25: {orig: at(66.9, 76.7), repl: at(76.4, 83.2)},
			dprHybrid: {weight: 1.1, orig: at(79.9, 84.4)},
			hybridNorm: {weight: 0.95, repl: at(82.6, 86.5)},
			hybrid: {weight: 0.55, repl: at(82.3, 86.1)},
		},
		overlap: {20: 9.2, 100: 6.6, 500: 5.0, 1000: 4.6},
		reading: {
			dense: {orig: 56.8, repl: 57.5, 'repl*': 58.3, GAR: 58.9, 'GAR*': 59.5},
			bm25: {orig: 52.4, repl: 58.8, 'repl*': 59.2, GAR: 61.1, 'GAR*': 61.6},
			hybrid: {orig: 57.9, repl: 59.1, 'repl*': 60.0, GAR: 61.0, 'GAR*': 61.7},
		},
		dprReading: {dense: {single: 56.8, multi: 56.8}, bm25: {single: 52.4}, hybrid: {single: 57.0, multi: 57.9}},
	},
	{
		dataset: 'WQ',
		retrieval: {
			dense: {orig: at(75.0, 82.9), repl: at(75.0, 83.0)},
			bm25: {orig: at(55.0, 71.1), repl: at(62.4, 75.5)},
			dprHybrid: {weight: 1.1, orig: at(74.7, 82.3)},
			hybridNorm: {weight: 0.95, repl: at(77.1, 84.4)},
			hybrid: {weight: 0.3, repl: at(77.5, 84.0)},
		},
		overlap: {20: 5.9, 100: 5.9, 500: 5.8, 1000: 5.7},
		dprReading: {dense: {single: 34.6, multi: 42.4}, bm25: {single: 29.9}, hybrid: {single: 35.2, multi: 41.1}},
	},
	{
		dataset: 'CuratedTREC',
		retrieval: {
			dense: {orig: at(89.1, 93.9), repl: at(88.8, 93.4)},
			bm25: {orig: at(70.9, 84.1), repl: at(80.7, 89.9)},
			dprHybrid: {weight: 1.1, orig: at(88.5, 94.1)},
			hybridNorm: {weight: 1.05, repl: at(90.1, 95.0)},
			hybrid: {weight: 0.7, repl: at(89.6, 94.6)},
		},
		overlap: {20: 6.9, 100: 7.2, 500: 6.3, 1000: 5.9},
		dprReading: {dense: {single: 25.9, multi: 49.4}, bm25: {single: 24.9}, hybrid: {single: 28.0, multi: 50.6}},
	},
	{
		dataset: 'SQuAD',
		retrieval: {
			dense: {orig: at(51.6, 67.6), repl: at(52.0, 67.7)},
			bm25: {orig: at(68.8, 80.0), repl: at(71.1, 81.8)},
			dprHybrid: {weight: 1.1, orig: at(66.2, 78.6)},
			hybridNorm: {weight: 2, repl: at(75.1, 84.4)},
			hybrid: {weight: 28, repl: at(75.0, 84.0)},
		},
		overlap: {20: 4.5, 100: 4.1, 500: 4.0, 1000: 4.0},
		dprReading: {dense: {single: 29.8, multi: 24.1}, bm25: {single: 38.1}, hybrid: {single: 36.7, multi: 35.8}},
	},
];

function at(top20: number, top100: number): Accuracies {
	return {20: top20, 100: top100};
}

/** Words that may follow a data set's name. The version numbers are those of SQuAD 1.1. */
const additions = /^(?:open|dev|development|train|training|test|qa|qas|unfiltered|v|v1|1|11)$/u;

/**
Returns the papers' numbers for a data set, or `undefined` if the papers do not use it; for example, they do not use
SQuAD 2.0. Different spellings of the name are recognized: `nq-dev`, `Natural Questions`, `SQuAD 1.1`, `trivia`.

@example
```
publishedFor('squad')?.retrieval.bm25.repl;
//=> {20: 71.1, 100: 81.8}
```
*/
export function publishedFor(dataset: string): Published | undefined {
	const known = knownDataset(dataset, dprDatasets, additions);
	return published.find(entry => entry.dataset === known);
}
