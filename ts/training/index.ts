/**
Training of encoders and readers: `data/` has their examples, training files and the mining of positives and negatives, `run/` what all
training runs share, `encoder/` and `reader/` the two kinds of models, and `question-encoder/` trains the question encoder for an existing index.
*/
export * from './data/index.ts';
export * from './encoder/index.ts';
export * from './question-encoder/index.ts';
export * from './reader/index.ts';
export type {TrainingOptions} from './run/options.ts';
export type {TrainingEpoch, TrainingProgress} from './run/result.ts';
