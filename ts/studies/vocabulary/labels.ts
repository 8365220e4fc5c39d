/** The names that reports show for conditions, encoders and sets of tokens. */
import type {TokenSet} from '../../vocabulary/index.ts';
import type {AnalyzedEncoder, Baseline, VocabularyCondition} from './study.ts';

/** Labels of the conditions. LE is lexical enrichment, and IDF inverse document frequency. */
const conditionLabels: Readonly<Record<VocabularyCondition, string>> = {
	bm25: 'BM25',
	wordpiece: 'BM25 on word pieces',
	dense: 'Dense',
	enriched: 'Dense + LE',
	noIdf: 'without IDF',
	static: 'static embeddings',
	noWhitening: 'without whitening',
	// This spelling is stored in results.
	noNormalisation: 'without normalization',
};

/** Labels of what is compared by tests of the claims about projections. */
const comparedLabels: Readonly<Record<string, string>> = {
	encoder: 'Encoder',
	baseline: 'Initialization',
	shared: 'Shared tokens',
	passageOnly: 'tokens of the passage only',
	half: 'one half',
};

/**
Returns the name that reports show for a condition, or for what is compared by a test of a claim. Other strings are
returned unchanged.
*/
export const labelOf = (condition: string): string =>
	Object.hasOwn(conditionLabels, condition)
		? conditionLabels[condition as VocabularyCondition]
		: Object.hasOwn(comparedLabels, condition)
			? comparedLabels[condition]!
			: condition;

/** Returns the name that reports show for an analyzed encoder. LE is lexical enrichment. */
export function encoderLabel(of: AnalyzedEncoder, baseline: Baseline): string {
	switch (of) {
		case 'encoder': {
			return 'Encoder';
		}
		case 'enriched': {
			return 'Encoder + LE';
		}
		case 'baseline': {
			return baseline.kind === 'static' ? 'Static embeddings' : baseline.name;
		}
	}
}

/** Labels of the sets of tokens in Table 2 of Ram et al. (2023), by the texts that contain a token. */
export const tokenSetLabels: Readonly<Record<TokenSet, string>> = {
	shared: 'in both texts',
	passage: 'in the passage',
	passageOnly: 'in the passage only',
	question: 'in the question',
	questionOnly: 'in the question only',
};
