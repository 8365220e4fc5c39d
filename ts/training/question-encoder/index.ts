/** Training of the question encoder for an index whose vectors stay as they are, alone or together with a reader. */
export {trainQuestionEncoder} from './train-question-encoder.ts';
export type {IndexedPassages} from './train-question-encoder.ts';
export type {TrainQuestionEncoderOptions} from './options.ts';
export type {QuestionEncoderValidation, TrainedQuestionEncoder} from './result.ts';
