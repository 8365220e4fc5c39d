/** Returns the default model for the head that projects an encoder's vectors: 'minilm-mlm-head' for 'minilm-encoder', else the encoder's own model. */
export function defaultHead(encoder: string): string {
	return encoder === 'minilm-encoder' ? 'minilm-mlm-head' : encoder;
}
