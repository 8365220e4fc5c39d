/** Training of readers. */
export {trainReader} from './train-reader.ts';
export type {TrainReaderOptions} from './options.ts';
export type {ReaderValidation, TrainedReader} from './result.ts';
