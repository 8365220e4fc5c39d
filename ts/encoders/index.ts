/** Encoders, which compute dense vectors of texts, and tokenizers. */
export {OnnxEncoder, type OnnxEncoderOptions} from './onnx-encoder.ts';
export type {EncodeOptions, Encoder, EncoderInput} from '../core/types.ts';
export {Tokenizer, type TokenLists} from './tokenizer.ts';
