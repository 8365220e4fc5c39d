/**
The names of the findings of the vocabulary study. A name says which claim a finding is about; all claims but one are
those of Ram et al. (2023). Q is the projection of a question onto the vocabulary, P that of a passage.
*/
import type {Finding} from '../../statistics/finding.ts';

export type VocabularyFindingName =
	/** Q and P give high ranks to tokens that question and passage share. */
	| 'shared tokens'
	/** The first token of Q is in both texts. */
	| 'first token'
	/** P gives high ranks to the tokens that the passage shares with questions about it. */
	| 'query prediction'
	/** Q gives high ranks to tokens that are in the passage but not in the question. */
	| 'query expansion'
	/** If dense retrieval misses a passage, P gives a low rank to a shared token. */
	| 'token amnesia'
	/** If dense retrieval misses a passage, Q gives a low rank to a shared token too, but not as low as P. */
	| 'amnesia of questions'
	/** Lexical enrichment makes dense retrieval better. */
	| 'enrichment'
	/** Enrichment reduces token amnesia. This claim is passagekit's, not the paper's. */
	| 'enrichment remembers'
	/** The enriched encoder is better than BM25 on word pieces. */
	| 'word pieces'
	/** Retrieval becomes worse if a part of enrichment is left out or replaced. */
	| 'ablations';

export type VocabularyFinding = Finding<VocabularyFindingName>;
