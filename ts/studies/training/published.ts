/** The numbers of Karpukhin et al. (2020). */
import {dprDatasets, knownDataset} from '../dataset/known-dataset.ts';

/**
Numbers of Karpukhin et al. (2020), which reports show next to those of a study. All numbers are top-k accuracies in
percent. Tables 3, 5 and 6 are for the development set of Natural Questions (NQ), Table 2 is for test sets. The paper's
corpus is the English Wikipedia: 21 million passages. Its encoders are trained from BERT-base.
*/
export const publishedTraining = {
	/** Table 3: training schemes. */
	schemes: {
		'random-7': {'top-5': 47, 'top-20': 64.3, 'top-100': 77.8},
		'bm25-7': {'top-5': 50, 'top-20': 63.3, 'top-100': 74.8},
		'gold-7': {'top-5': 42.6, 'top-20': 63.1, 'top-100': 78.3},
		'in-batch-8': {'top-5': 51.1, 'top-20': 69.1, 'top-100': 80.8},
		'in-batch-32': {'top-5': 52.1, 'top-20': 70.8, 'top-100': 82.1},
		'in-batch-128': {'top-5': 55.8, 'top-20': 73, 'top-100': 83.1},
		'in-batch-32-bm25-1': {'top-5': 65, 'top-20': 77.3, 'top-100': 84.4},
		'in-batch-32-bm25-2': {'top-5': 64.5, 'top-20': 76.4, 'top-100': 84},
		'in-batch-128-bm25-1': {'top-5': 65.8, 'top-20': 78, 'top-100': 84.9},
	},
	/** Table 5: gold positives and distant supervision. */
	supervision: {
		gold: {'top-1': 44.9, 'top-5': 66.8, 'top-20': 78.1, 'top-100': 85},
		distant: {'top-1': 43.9, 'top-5': 65.3, 'top-20': 77.1, 'top-100': 84.4},
	},
	/** Table 6: similarities and losses. The paper has no numbers for cosine. */
	similarities: {
		'dot-nll': {'top-1': 44.9, 'top-5': 66.8, 'top-20': 78.1, 'top-100': 85},
		'dot-triplet': {'top-1': 41.6, 'top-5': 65, 'top-20': 77.2, 'top-100': 84.5},
		'l2-nll': {'top-1': 43.5, 'top-5': 64.7, 'top-20': 76.1, 'top-100': 83.1},
		'l2-triplet': {'top-1': 42.2, 'top-5': 66, 'top-20': 78.1, 'top-100': 84.9},
	},
	/** Appendix D: exact match on development questions, trained one after the other and jointly. */
	joint: {separate: {'exact match': 39.8}, joint: {'exact match': 39.8}},
	/**
	Table 2 and §5.2: BM25, DPR trained on the data set itself (`own`), on all data sets but SQuAD (`multi`), and on NQ
	only (`main`).
	*/
	transfer: {
		NQ: {
			bm25: {'top-20': 59.1, 'top-100': 73.7},
			own: {'top-20': 78.4, 'top-100': 85.4},
			multi: {'top-20': 79.4, 'top-100': 86},
		},
		TriviaQA: {
			bm25: {'top-20': 66.9, 'top-100': 76.7},
			own: {'top-20': 79.4, 'top-100': 85},
			multi: {'top-20': 78.8, 'top-100': 84.7},
		},
		WQ: {
			bm25: {'top-20': 55, 'top-100': 71.1},
			main: {'top-20': 69.9},
			own: {'top-20': 73.2, 'top-100': 81.4},
			multi: {'top-20': 75, 'top-100': 82.9},
		},
		CuratedTREC: {
			bm25: {'top-20': 70.9, 'top-100': 84.1},
			main: {'top-20': 86.3},
			own: {'top-20': 79.8, 'top-100': 89.1},
			multi: {'top-20': 89.1, 'top-100': 93.9},
		},
	},
} as const;

/** Returns the name in `publishedTraining.transfer` of a data set; `undefined` if the paper has no numbers for it there. */
export function publishedName(dataset: string): string | undefined {
	const name = knownDataset(dataset, dprDatasets, /^(?:dev|test|train|open)$/u);
	return name !== undefined && Object.hasOwn(publishedTraining.transfer, name) ? name : undefined;
}
