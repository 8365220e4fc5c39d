/** The quick benchmark, which `passagekit bench` runs. */
export {type QuickBench, type QuickBenchGroup, type QuickBenchOptions, type QuickBenchProgress, quickBench} from './quick.ts';
