export {DenseSearcher, type DenseSearcherOptions} from './dense-searcher.ts';
export {FlatIndex, type FlatBuildOptions, type FlatIndexOptions} from './flat-index.ts';
export {HnswIndex, type HnswBuildOptions, type HnswIndexOptions, type HnswSearchManyOptions, type HnswSearchOptions} from './hnsw-index.ts';
export type {VectorFileFormat, VectorFileOptions} from './vector-file.ts';
export type {ExportVectorsOptions, IndexMetadata, Similarity, VectorIndex} from './vector-index.ts';
