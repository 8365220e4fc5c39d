/**
Returns the model whose head projects the vectors of an encoder by default: the encoder's own model, except for 'minilm-encoder',
whose head is in a separate model.
*/
export function defaultHead(encoder: string): string {
	return encoder === 'minilm-encoder' ? 'minilm-mlm-head' : encoder;
}
