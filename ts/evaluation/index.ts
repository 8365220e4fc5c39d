export {type AnswerKind, exactMatch, f1, hasAnswer, normaliseAnswer} from './answers.ts';
export {evaluate, type Evaluation, type Measure} from './evaluate.ts';
export {type PassageTexts} from '../texts.ts';
export {topKAccuracy, type TopKAccuracy, type TopKAccuracyOptions} from './top-k-accuracy.ts';
