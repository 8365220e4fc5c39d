/** The names of the findings of the replication study: which claim of Ma et al. (2021) a finding is about. */
import type {Finding as StudyFinding} from '../../statistics/finding.ts';

export type FindingName =
	/** Which of dense retrieval and BM25 is better. */
	| 'dense or sparse'
	/** Hybrid retrieval is better than either of them. */
	| 'hybrids'
	/** The two hybrids that the paper proposes do not differ. */
	| 'hybrids alike'
	/** Dense and BM25 lists overlap little. */
	| 'overlap'
	/** How good answers from hybrid passages are, compared with answers from dense passages. */
	| 'hybrid read'
	/** Span scorings: `repl` is DPR's, `GAR` is normalized, and `*` adds the retriever's scores. */
	| 'repl* over repl'
	| 'GAR over repl'
	| 'GAR* over GAR'
	| 'GAR* over repl'
	/** The best `GAR*` is better than the best `repl`. */
	| 'best over best'
	/** How exact match changes with the number of passages read. */
	| 'passages read';

export type Finding = StudyFinding<FindingName>;
