export {PhraseSegmenter, type Phrase, type PhraseLength} from './segmenter.ts';
