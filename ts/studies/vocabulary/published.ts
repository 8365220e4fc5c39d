/**
The numbers in the text of Ram et al. (2023), as printed: for DPR and for BERT, from which DPR was initialized, on Natural Questions;
accuracies on EntityQuestions and nDCG@10 on BEIR, in per cent.
*/
export const publishedVocabulary = {
	/** §5.1, Figure 3: shared tokens among the first k of Q and P, in per cent. */
	coverage: {
		encoder: [
			{k: 20, question: 63, passage: 53},
			{k: 100, question: 78, passage: 69},
		],
		baseline: [{k: 20, question: 16, passage: 8}],
	},
	/** §5.2, Table 2: token-level MRR in P, × 100. */
	mrr: {encoder: {shared: 26.1, passageOnly: 3}, baseline: {shared: 1.4}},
	/** §5.1 and §5.3, Figure 6: how often the first token of Q is shared; the share of query expansion among the first 5. */
	composition: {firstShared: 71, expansionOfFive: 14},
	/** §6.4, Table 4: top-20 accuracy on EntityQuestions; the margin over static embeddings is 3.4 points. */
	ablations: {enriched: 65.2, noIdf: 57.7, static: 61.8},
	/** §1 and §6.3: nDCG@10 of S-MPNet on BEIR. */
	beir: {dense: 43.1, enriched: 44.1},
} as const;
