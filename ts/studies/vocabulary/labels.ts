/** The names of conditions, encoders and sets of tokens in reports. */
import type {TokenSet} from '../../vocabulary/index.ts';
import type {AnalyzedEncoder, Baseline, VocabularyCondition} from './study.ts';

const conditionLabels: Readonly<Record<VocabularyCondition, string>> = {
	bm25: 'BM25',
	wordpiece: 'BM25 of word pieces',
	dense: 'Dense',
	enriched: 'Dense + LE',
	noIdf: 'without IDF',
	static: 'static embeddings',
	noWhitening: 'without whitening',
	noNormalisation: 'without normalization',
};

/** The sides of the tests of claims. */
const comparedLabels: Readonly<Record<string, string>> = {
	encoder: 'Encoder',
	baseline: 'Initialization',
	shared: 'Tokens of both',
	passageOnly: 'tokens of the passage alone',
	half: 'one half',
};

/** How tables name a condition or the side of a claim; any other string keeps its name. */
export const labelOf = (condition: string): string =>
	Object.hasOwn(conditionLabels, condition)
		? conditionLabels[condition as VocabularyCondition]
		: Object.hasOwn(comparedLabels, condition)
			? comparedLabels[condition]!
			: condition;

/** How tables and figures name an analyzed encoder. */
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

export const tokenSetLabels: Readonly<Record<TokenSet, string>> = {
	shared: 'of both',
	passage: 'of the passage',
	passageOnly: 'of the passage alone',
	question: 'of the question',
	questionOnly: 'of the question alone',
};
