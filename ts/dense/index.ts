/** Vector indexes, exact (`FlatIndex`) and approximate (`HnswIndex`), and a searcher that encodes queries and searches them. */
export {DenseSearcher, type DenseSearchManyOptions, type DenseSearchOptions, type DenseSearcherOptions} from './dense-searcher.ts';
export {FlatIndex, type FlatBuildOptions, type FlatIndexOptions, type FlatStorage} from './flat-index.ts';
export {
	HnswIndex,
	type HnswBuildOptions,
	type HnswIndexOptions,
	type HnswLayout,
	type HnswSearchManyOptions,
	type HnswSearchOptions,
} from './hnsw-index.ts';
export type {HitColumns} from '../core/types.ts';
export {HitLists} from './columns.ts';
export type {FieldsOption, PassageFilterOptions} from './passage-filters.ts';
export type {IndexHandle} from './index-handle.ts';
export type {VectorFileFormat, VectorFileOptions} from './vector-file.ts';
export {type IdFilter, VectorFilter, type VectorFilterOptions} from './vector-filter.ts';
export type {
	ExportVectorsOptions,
	IndexMetadata,
	OpenIndexOptions,
	Similarity,
	UpdateOptions,
	VectorIndex,
	EfSearchOption,
} from './vector-index.ts';
