/** Runs all analyses of Ram et al. (2023) that need only questions and their passages. */
import {type OptionNames, checkOptions, optionNames} from '../../core/options.ts';
import {checkRanked} from './check.ts';
import {type TokenCoverage, tokenCoverage} from './coverage.ts';
import {type TopComposition, topComposition} from './composition.ts';
import {queryExpansion} from './expansion.ts';
import type {RankedPair} from './ranked-pairs.ts';
import {type TokenMrr, type TokenSet, tokenMrr} from './token-mrr.ts';

/** The analyses of Ram et al. (2023, §5 and appendix B) for one encoder. Figures and tables are those of the paper. */
export interface VocabularyAnalysis {
	/** Number of pairs analyzed. */
	readonly pairs: number;
	/** The values of k in Figures 3 and 4. */
	readonly ks: readonly number[];
	/**
	Figure 3: the share of the tokens in both texts that are among the first k tokens of a projection, for all tokens and for content
	tokens, which are neither stop words nor punctuation marks.
	*/
	readonly coverage: {readonly all: TokenCoverage; readonly content: TokenCoverage};
	/** Table 2: the mean reciprocal rank of tokens in the passage's projection, for all tokens and for content tokens. */
	readonly mrr: {readonly all: Readonly<Record<TokenSet, TokenMrr>>; readonly content: Readonly<Record<TokenSet, TokenMrr>>};
	/** Figure 4: for each k, the share of questions with a query expansion token among the first k tokens of their projection. */
	readonly expansion: readonly number[];
	/** Figure 6: which texts contain the first k tokens of a projection, for the projections of questions and of passages. */
	readonly composition: {readonly question: readonly TopComposition[]; readonly passage: readonly TopComposition[]};
}

/** Options of `analyzeVocabulary`. Figures are those of Ram et al. (2023). */
export interface AnalyzeVocabularyOptions {
	/** Values of k for Figures 3 and 4. @default [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] */
	readonly ks?: readonly number[] | undefined;
	/** Values of k for Figure 6. @default [1, 5, 10, 20, 50, 100] */
	readonly compositionKs?: readonly number[] | undefined;
}

const analyzeOptions: OptionNames = optionNames<AnalyzeVocabularyOptions>({ks: true, compositionKs: true});

/**
Runs all analyses that need only questions and their gold passages. `tokenAmnesia`, which also needs a run, is separate.

@example
```
const pairs = await rankPairs(questionsWithPassages, {encoder, projection});
const {coverage, ks} = await analyzeVocabulary(pairs);
coverage.all.question[ks.indexOf(20)];
//=> 0.63
```
*/
export async function analyzeVocabulary(pairs: readonly RankedPair[], options: AnalyzeVocabularyOptions = {}): Promise<VocabularyAnalysis> {
	checkRanked(pairs);
	checkOptions('analyzeVocabulary', options, analyzeOptions);
	const {ks = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], compositionKs = [1, 5, 10, 20, 50, 100]} = options;
	return {
		pairs: pairs.length,
		ks,
		coverage: {all: await tokenCoverage(pairs, ks), content: await tokenCoverage(pairs, ks, 'content')},
		mrr: {all: await tokenMrr(pairs), content: await tokenMrr(pairs, 'content')},
		expansion: await queryExpansion(pairs, ks),
		composition: await topComposition(pairs, compositionKs),
	};
}
