export {
	type LogitsOptions,
	type ProjectionOptions,
	type ProjectOptions,
	type TokenStandings,
	type VocabularyPieces,
	VocabularyProjection,
	type WeightedToken,
} from './vocabulary-projection.ts';
