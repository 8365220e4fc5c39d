/** The data for training dense retrievers: training files, and the mining of positive and negative passages. */
export * from './data/index.ts';
export * from './encoder/index.ts';
