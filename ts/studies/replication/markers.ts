/**
The significance markers next to values in tables. Table 1 has the symbols of Ma et al. (2021), † and ‡. Table 3 has the
same symbols instead of the paper's, because `*` is part of the names of span scorings in that table: `repl` is DPR's
scoring, `GAR` the normalized scoring of Mao et al. (2020), and `*` adds the retriever's scores.
*/
export const markers = {
	/** Table 1, on BM25: significantly different from dense retrieval. */
	differs: '†',
	/** Table 1, on a hybrid: significantly better than the better of dense retrieval and BM25. */
	better: '‡',
	/** Table 3: repl* or GAR is significantly better than repl, or GAR* than GAR. */
	step: '†',
	/** Table 3: GAR* is significantly better than repl, that is, with both steps together. */
	both: '‡',
} as const;
