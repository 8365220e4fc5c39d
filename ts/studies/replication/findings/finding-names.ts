/** The names of the findings of the replication study: which claim of Ma et al. (2021) a finding is about. */
import type {Finding as StudyFinding} from '../../statistics/finding.ts';

export type FindingName =
	/** Which of dense retrieval and BM25 is better. */
	| 'dense or sparse'
	/** Hybrid retrieval is better than dense retrieval and than BM25. */
	| 'hybrids'
	/** The two hybrids that the paper proposes do not differ. */
	| 'hybrids alike'
	/** Dense and BM25 lists overlap little. */
	| 'overlap'
	/** Answers from passages that hybrid retrieval finds are no worse than those from passages of dense retrieval. */
	| 'hybrid read'
	/**
	This name and the next three: one span scoring is better than another. `repl` is DPR's scoring, `GAR` the normalized
	scoring of Mao et al. (2020), and `*` adds the retriever's scores.
	*/
	| 'repl* over repl'
	| 'GAR over repl'
	| 'GAR* over GAR'
	| 'GAR* over repl'
	/** `GAR*` with its best retriever is better than `repl` with its best retriever. */
	| 'best over best'
	/** How exact match changes with the number of passages read. */
	| 'passages read';

export type Finding = StudyFinding<FindingName>;
