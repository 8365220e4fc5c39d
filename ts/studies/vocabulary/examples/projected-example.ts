/** Questions and passages that a report shows with their projections, as Table 1 and Figure 2 of Ram et al. (2023) do. */
import type {MarkedText, ProjectedToken, RankedToken} from '../../../vocabulary/index.ts';

/** A question and a passage with their projections. */
export interface ProjectedExample {
	/** Id of the question. */
	readonly id: string;
	readonly passageId: string;
	/** The rank that dense retrieval gives the passage, from 1; `null` if it is not among the hits. */
	readonly denseRank: number | null;
	/** The texts with marked words; the text of the passage may be shortened. */
	readonly marked: {readonly question: readonly MarkedText[]; readonly title: readonly MarkedText[]; readonly text: readonly MarkedText[]};
	/** The likeliest tokens of Q and of P, best first. */
	readonly question: readonly ProjectedToken[];
	readonly passage: readonly ProjectedToken[];
	/** The shared content token that P ranks worst; `null` if nothing is shared. */
	readonly worst: Pick<RankedToken, 'token' | 'questionRank' | 'passageRank'> | null;
}

export interface VocabularyExamples {
	/** Table 1: questions with their gold passages, drawn at random. */
	readonly drawn: readonly ProjectedExample[];
	/** Figure 2: a question that BM25 and dense retrieval answer, and one that BM25 answers and dense retrieval misses, if there are any. */
	readonly found: ProjectedExample | null;
	readonly missed: ProjectedExample | null;
}
