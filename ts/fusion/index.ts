export {fuse, type FusedLists} from './fuse.ts';
export {HybridSearcher, type HybridSearcherOptions} from './hybrid-searcher.ts';
export type {HybridGrid, HybridTuning, TunedPoint} from './grid.ts';
export {JudgedLists, type JudgeOptions} from './judged-lists.ts';
export type {FusionMethod, Normalization} from './method.ts';
export {
	tuneHybrid,
	type HybridObjective,
	type TuneHybridOptions,
} from './tune-hybrid.ts';
