/** A question encoder with a cache in memory. */
import type {EncodeOptions, Encoder, EncoderInput, Vectors} from '../../core/types.ts';

/**
Encodes each question only once, and in a batch of its own, because with ONNX Runtime, the vector that an int8 model
computes for a text depends on the other texts in the batch.
*/
export class QuestionEncoder implements Encoder {
	readonly #encoder: Encoder;
	/** The vectors of the questions that have been encoded, by text. */
	readonly #known = new Map<string, Float32Array>();

	constructor(encoder: Encoder) {
		this.#encoder = encoder;
	}

	get dim(): number {
		return this.#encoder.dim;
	}

	get identity(): string {
		return this.#encoder.identity!;
	}

	async encode(inputs: readonly EncoderInput[], {signal, onProgress}: EncodeOptions = {}): Promise<Vectors> {
		const {dim} = this;
		const texts = inputs.map(input => (typeof input === 'string' ? input : input.text));
		const unknown = [...new Set(texts.filter(text => !this.#known.has(text)))];
		if (unknown.length > 0) {
			// With at most 1 token per batch, each batch gets a single text.
			const {data} = await this.#encoder.encode(unknown, {batchTokens: 1, signal, onProgress});
			for (const [i, text] of unknown.entries()) {
				this.#known.set(text, data.slice(i * dim, (i + 1) * dim));
			}
		}
		const data = new Float32Array(texts.length * dim);
		for (const [i, text] of texts.entries()) {
			data.set(this.#known.get(text)!, i * dim);
		}
		return {data, rows: texts.length, dim};
	}
}
