/** Training of encoders. */
export {trainEncoder} from './train-encoder.ts';
export type {TrainEncoderOptions} from './options.ts';
export type {EncoderValidation, TrainedEncoder} from './result.ts';
