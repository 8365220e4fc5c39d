/** Training of encoders. */
export {trainEncoder} from './train-encoder.ts';
export type {TrainEncoderOptions} from './options.ts';
export type {TrainedEncoder, TrainingEpoch, TrainingProgress, Validation} from './result.ts';
