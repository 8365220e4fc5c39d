/** Splits passages into phrases, which are parts of passages with their own vectors, and indexes and searches passages by phrases. */
export type {AddPassagesOptions, AddedPassages} from './add-passages.ts';
export type {PhraseHit, PhrasePlace} from './phrase-id.ts';
export {
	PhraseIndex,
	type PhraseIndexOptions,
	type PhraseSearchManyOptions,
	type PhraseSearchOptions,
	type PhraseNormalization,
} from './phrase-index.ts';
export {
	PhraseSearcher,
	type PhraseSearcherOptions,
	type PhraseCountOption,
	type PhraseSearcherSearchManyOptions,
	type PhraseSearcherSearchOptions,
} from './phrase-searcher.ts';
export {PhraseSegmenter, type Phrase, type PhraseLength} from './segmenter.ts';
