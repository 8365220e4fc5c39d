/**
Analyses of dense vectors (Ram et al., 2023): which tokens of a text the text's vector predicts, and which ones it has forgotten.
`rankPairs` computes the ranks of tokens that all analyses start from; `analyzeVocabulary` runs all analyses but `tokenAmnesia`.
*/
export {type AmnesiaGroup, foundBySparse, type RankQuantiles, type TokenAmnesia, tokenAmnesia} from './amnesia.ts';
export {analyzeVocabulary, type AnalyzeVocabularyOptions, type VocabularyAnalysis} from './analyze.ts';
export {type TopComposition, topComposition} from './composition.ts';
export {type TokenCoverage, tokenCoverage} from './coverage.ts';
export {queryExpansion} from './expansion.ts';
export {
	type ProjectedEncoders,
	type QuestionPassage,
	rankPairs,
	type RankedPair,
	type RankedToken,
	type RankPairsOptions,
	type TokenKind,
} from './ranked-pairs.ts';
export {englishStopWords} from './stop-words.ts';
export {type TokenMrr, tokenMrr, type TokenSet} from './token-mrr.ts';
