/** Fusion of runs, hybrid searchers, and tuning of fusion weights. */
export {fuse, type FusedLists, type FuseOptions} from './fuse.ts';
export {HybridSearcher, type HybridSearcherOptions, type HybridSearcherSettings} from './hybrid-searcher.ts';
export type {HybridGrid, HybridTuning, TunedPoint} from './grid.ts';
export {JudgedLists, type JudgeOptions, type TuneJudgedOptions} from './judged-lists.ts';
export type {FusionMethod, Normalization} from './method.ts';
export {
	tuneHybrid,
	type HybridObjective,
	type TuneHybridOptions,
} from './tune-hybrid.ts';
