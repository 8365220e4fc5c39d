export {DenseSearcher, type DenseSearcherOptions} from './dense-searcher.ts';
export {FlatIndex, type FlatIndexOptions, type FlatStorage} from './flat-index.ts';
export {HnswIndex, type HnswIndexOptions, type HnswSearchManyOptions, type HnswSearchOptions} from './hnsw-index.ts';
export type {IndexMetadata, Similarity, VectorIndex} from './vector-index.ts';
