/** Projections of dense vectors onto a vocabulary, and analyses, lexical enrichment and explanations based on them (Ram et al., 2023). */
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
} from './explanation/explain-match.ts';
export {explanationHtml, type ExplanationPageOptions} from './explanation/explanation-html.ts';
export {
	LexicalEnrichment,
	type LexicalEnrichmentOptions,
	type LexicalEnrichmentParts,
} from './enrichment/lexical-enrichment.ts';
export type {TokenSearch, TokenVectorOptions} from './enrichment/token-vectors.ts';
export type {TokenWeights} from './enrichment/token-weights.ts';
export {
	type LambdaObjective,
	type LambdaTuning,
	type MeasuredLambda,
	tuneLambda,
	type TuneLambdaOptions,
} from './enrichment/tune-lambda.ts';
export {
	type LogitsOptions,
	type ProjectionOptions,
	type ProjectOptions,
	type TokenStandings,
	type VocabularyPieces,
	VocabularyProjection,
	type WeightedToken,
} from './projection/vocabulary-projection.ts';
