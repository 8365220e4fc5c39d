/** What the report calls things: conditions, encoders, sets of tokens. */
import type {TokenSet} from '../../vocabulary/index.ts';
import type {AnalyzedEncoder, Baseline, VocabularyCondition} from './study.ts';

const conditionNames: Readonly<Record<VocabularyCondition, string>> = {
	bm25: 'BM25',
	wordpiece: 'BM25 of word pieces',
	dense: 'Dense',
	enriched: 'Dense + LE',
	noIdf: 'without IDF',
	static: 'static embeddings',
	noWhitening: 'without whitening',
	noNormalisation: 'without normalisation',
};

/** What tests of claims compare. */
const comparedNames: Readonly<Record<string, string>> = {
	encoder: 'Encoder',
	baseline: 'Initialization',
	shared: 'Tokens of both',
	passageOnly: 'tokens of the passage alone',
	half: 'one half',
};

/** What tests compare, as tables name it: a condition, or a side of a claim; another string is its own name. */
export const conditionName = (condition: string): string =>
	Object.hasOwn(conditionNames, condition)
		? conditionNames[condition as VocabularyCondition]
		: Object.hasOwn(comparedNames, condition)
			? comparedNames[condition]!
			: condition;

/** The encoder that an analysis is of, as tables and figures have it. */
export function encoderName(of: AnalyzedEncoder, baseline: Baseline): string {
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

export const setNames: Readonly<Record<TokenSet, string>> = {
	shared: 'of both',
	passage: 'of the passage',
	passageOnly: 'of the passage alone',
	question: 'of the question',
	questionOnly: 'of the question alone',
};
