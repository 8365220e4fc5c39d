/** The analyses of Ram et al. (2023) of what dense vectors keep of the words of their texts. */
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
