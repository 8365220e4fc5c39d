export {fuse, type FusionMethod, type Normalisation} from './fuse.ts';
export {HybridSearcher, type HybridSearcherOptions} from './hybrid-searcher.ts';
