/** The model whose head projects an encoder's vectors where none is named: passagekit's own beside its encoder, else the encoder's. */
export function defaultHead(encoder: string): string {
	return encoder === 'minilm-encoder' ? 'minilm-mlm-head' : encoder;
}
