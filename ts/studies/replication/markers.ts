/**
The significance markers beside values. Table 1 has the paper's symbols, † and ‡. Table 3 has the same ones here, because `*` is part
of a scoring's name there.
*/
export const markers = {
	/** Table 1, on BM25: significantly different from dense retrieval. */
	differs: '†',
	/** Table 1, on a hybrid: significantly better than the better one of dense retrieval and BM25. */
	better: '‡',
	/** Table 3: repl* significantly better than repl, GAR than repl, GAR* than GAR. */
	step: '†',
	/** Table 3: GAR* significantly better than repl. */
	both: '‡',
} as const;
