/** The names that reports show for conditions, encoders and sets of tokens. */
import type {TokenSet} from '../../vocabulary/index.ts';
import type {AnalyzedEncoder, Baseline, VocabularyCondition} from './study.ts';

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

/** Labels of what the tests of claims about projections compare. */
const comparedLabels: Readonly<Record<string, string>> = {
	encoder: 'Encoder',
	baseline: 'Initialization',
	shared: 'Shared tokens',
	passageOnly: 'tokens of the passage only',
	half: 'one half',
};

/**
Returns the name that readers see for a condition, or for what a test of a claim compares. Other strings stay as they
are.
*/
export const labelOf = (condition: string): string =>
	Object.hasOwn(conditionLabels, condition)
		? conditionLabels[condition as VocabularyCondition]
		: Object.hasOwn(comparedLabels, condition)
			? comparedLabels[condition]!
			: condition;

/** Returns the name that readers see for an analyzed encoder. LE is lexical enrichment. */
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
