/**
The names of the findings of the vocabulary study: which claim of Ram et al. (2023) a finding is about. Q is the
projection of a question onto the vocabulary, P that of a passage.
*/
import type {Finding} from '../../statistics/finding.ts';

export type VocabularyFindingName =
	/** Q and P give high ranks to tokens that question and passage share. */
	| 'shared tokens'
	/** The first token of Q is in both texts. */
	| 'first token'
	/** P gives high ranks to the tokens of questions about the passage. */
	| 'query prediction'
	/** Q gives high ranks to tokens that are in the passage but not in the question. */
	| 'query expansion'
	/** If dense retrieval misses a passage, P gives a low rank to a shared token. */
	| 'token amnesia'
	/** The same for Q. */
	| 'amnesia of questions'
	/** Lexical enrichment makes dense retrieval better. */
	| 'enrichment'
	/** Enrichment reduces token amnesia; a claim of passagekit, not of the paper. */
	| 'enrichment remembers'
	/** The enriched encoder is better than BM25 on word pieces. */
	| 'word pieces'
	/** Each part of enrichment helps. */
	| 'ablations';

export type VocabularyFinding = Finding<VocabularyFindingName>;
