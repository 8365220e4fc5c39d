/**
The numbers printed in the text of Ram et al. (2023), which reports show next to those of a study. Numbers about
projections are for DPR (dense passage retrieval, `encoder`) and for BERT (`baseline`), from which DPR was initialized,
on Natural Questions. Q is the projection of a question and P that of a passage. All numbers are in percent unless
stated otherwise.
*/
export const publishedVocabulary = {
	/**
	§5.1, Figure 3: share of the tokens common to question and passage that are among the first k tokens of Q
	(`question`) and of P (`passage`).
	*/
	coverage: {
		encoder: [
			{k: 20, question: 63, passage: 53},
			{k: 100, question: 78, passage: 69},
		],
		baseline: [{k: 20, question: 16, passage: 8}],
	},
	/** §5.2, Table 2: mean reciprocal rank of tokens in P, × 100. */
	mrr: {encoder: {shared: 26.1, passageOnly: 3}, baseline: {shared: 1.4}},
	/**
	§5.1 and §5.3, Figure 6: share of questions whose first token of Q is shared; share of query expansion tokens, which
	are in the passage but not in the question, among the first 5 tokens of Q.
	*/
	composition: {firstShared: 71, expansionOfFive: 14},
	/** §6.4, Table 4: top-20 accuracy on EntityQuestions, with enrichment and two of its ablations. */
	ablations: {enriched: 65.2, noIdf: 57.7, static: 61.8},
	/** §1 and §6.3: nDCG@10 of the encoder S-MPNet on BEIR. */
	beir: {dense: 43.1, enriched: 44.1},
} as const;
