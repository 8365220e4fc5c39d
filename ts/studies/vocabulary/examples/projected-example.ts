/**
The examples of a report: questions and passages with their projections, as in Table 1 and Figure 2 of Ram et al.
(2023).
*/
import type {MarkedText, ProjectedToken, RankedToken} from '../../../vocabulary/index.ts';

/** A question with its projection Q, and a passage with its projection P. */
export interface ProjectedExample {
	/** Id of the question. */
	readonly id: string;
	readonly passageId: string;
	/** The rank of the passage in dense retrieval, from 1; `null` if the passage is not among the hits. */
	readonly denseRank: number | null;
	/** The texts with marked words; the text of the passage may be shortened. */
	readonly marked: {readonly question: readonly MarkedText[]; readonly title: readonly MarkedText[]; readonly text: readonly MarkedText[]};
	/** The most probable tokens of Q, best first. */
	readonly question: readonly ProjectedToken[];
	/** The most probable tokens of P, best first. */
	readonly passage: readonly ProjectedToken[];
	/**
	The content token in both texts that has the worst rank in P; `null` if there is none. Content tokens are neither
	stop words nor punctuation marks.
	*/
	readonly worst: Pick<RankedToken, 'token' | 'questionRank' | 'passageRank'> | null;
}

export interface VocabularyExamples {
	/** Table 1: questions with their gold passages, drawn at random. */
	readonly drawn: readonly ProjectedExample[];
	/**
	Figure 2: a question whose passage both BM25 and dense retrieval find. It comes from the first of the groups
	of questions that `VocabularySettings.bounds` describes: those whose passages dense retrieval ranks highest. `null` if there is none.
	*/
	readonly found: ProjectedExample | null;
	/**
	Figure 2: a question whose passage BM25 finds and dense retrieval misses. It comes from the last nonempty group.
	`null` if there is no nonempty group after the first one.
	*/
	readonly missed: ProjectedExample | null;
}
