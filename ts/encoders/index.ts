/** Encoders, which compute dense vectors of texts, and tokenizers. */
export {FileVectorCache, type FileVectorCacheOptions} from './cache/file-vector-cache.ts';
export type {VectorCache} from './cache/vector-cache.ts';
export {type CreateEncoderOptions, type CreatedEncoder, createEncoder} from './create-encoder.ts';
export {OnnxEncoder, type OnnxEncoderOptions} from './onnx-encoder.ts';
export type {EmbedFunction} from './requests/embed-function.ts';
export type {EncodeOptions, Encoder, EncoderInput} from '../core/types.ts';
export type {RuntimeChoice} from '../onnx/runtime-choice.ts';
export {Tokenizer, type TokenLists} from './tokenizer.ts';
