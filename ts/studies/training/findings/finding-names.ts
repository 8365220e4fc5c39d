/** The names of the findings of the training study: which claim of Karpukhin et al. (2020) a finding is about. */
import type {Finding} from '../../statistics/finding.ts';

export type TrainingFindingName =
	/** A trained encoder finds more than the model before training. This claim is passagekit's, not the paper's. */
	| 'training'
	/** Gold negatives of the same batch are better than as many from the whole training set. */
	| 'in-batch negatives'
	/** Accuracy grows consistently with the batch size. */
	| 'batch size'
	/** One BM25 negative per question helps. */
	| 'one BM25 negative'
	/** A second BM25 negative does not help further. */
	| 'two BM25 negatives'
	/** Without in-batch negatives, the kind of negatives hardly matters if k is at least 20. */
	| 'kind of negatives'
	/** More training examples help. */
	| 'more examples'
	/** 1,000 examples are enough to beat BM25. */
	| 'few examples'
	/** Distant supervision is hardly worse than gold positives. */
	| 'distant supervision'
	/** L2 is comparable to the dot product, and both are better than cosine. */
	| 'similarity'
	/** Triplet loss and negative log likelihood differ little. */
	| 'loss'
	/** On other data sets, an encoder trained on one data set is better than BM25. */
	| 'transfer'
	/** Joint training of the question encoder and the reader does not help. */
	| 'joint training';

export type TrainingFinding = Finding<TrainingFindingName>;
