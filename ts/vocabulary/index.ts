export * from './analysis/index.ts';
export {
	type Explainers,
	explainMatch,
	type ExplainMatchOptions,
	type MarkedText,
	type MatchExplanation,
	type ProjectedMatch,
	type ProjectedToken,
	type TokenOrigin,
} from './explain.ts';
export {explanationHtml, type ExplanationPageOptions} from './explanation-html.ts';
export {
	LexicalEnrichment,
	type LexicalEnrichmentOptions,
	type LexicalEnrichmentParts,
} from './lexical-enrichment.ts';
export type {TokenSearch, TokenVectorOptions} from './token-vectors.ts';
export type {TokenWeights} from './token-weights.ts';
export {type LambdaObjective, type LambdaTuning, tuneLambda, type TuneLambdaOptions} from './tune-lambda.ts';
export {
	type LogitsOptions,
	type ProjectionOptions,
	type ProjectOptions,
	type TokenStandings,
	type VocabularyPieces,
	VocabularyProjection,
	type WeightedToken,
} from './vocabulary-projection.ts';
