/**
Finds the best sentence of each hit of a dense or hybrid search: the sentence whose vector is most similar to the query's vector.

A sentence is encoded as if it were a passage of its own: by the passage encoder, with the title of its passage, which often names what
a sentence calls "it". For 422 questions of the bundled encyclopedia, the best sentence of the gold passage has the answer 381 times with
titles, and 371 times without titles (minilm-encoder). Sentences are encoded one at a time, because with ONNX Runtime, an int8 model chooses
the quantization scale of its activations per batch, and the best sentence of a hit must not depend on the other hits.
*/
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import type {Encoder} from '../../core/types.ts';
import {PhraseSegmenter} from '../../phrases/index.ts';
import {type TitledText, encodePassages} from './encoders.ts';
import type {Settings} from './settings.ts';
import type {Highlight} from './types.ts';

/** The similarity of vectors. Higher is better. */
type Similarity = NonNullable<Settings['similarity']>;

interface SentenceOptions {
	/** The passage encoder. */
	readonly encoder: Encoder;
	readonly similarity: Similarity;
	/** The vector of the query. */
	readonly query: Float32Array;
	readonly signal: AbortSignal | undefined;
}

/**
Returns the range of the best sentence of each passage, in the order of the passages; an empty range for a blank text. If two sentences are
equally similar, the first one is returned. The only sentence of a text is not encoded; all other sentences are encoded in one call. Fails
with `ERR_DIMENSION` or `ERR_ENCODER` if the encoder returns invalid vectors.
*/
export async function bestSentences(passages: readonly TitledText[], options: SentenceOptions): Promise<Highlight[]> {
	const {encoder, similarity, query, signal} = options;
	const segmenter = await PhraseSegmenter.open({sentences: 1});
	const sentences = await segmenter.segmentMany(
		passages.map(({text}) => text),
		{signal},
	);
	const inputs: TitledText[] = [];
	for (const [i, {title}] of passages.entries()) {
		for (const {text} of sentences[i]!.length > 1 ? sentences[i]! : []) {
			inputs.push({title, text});
			await yieldIfOverBudget();
		}
	}
	const vectors = inputs.length === 0 ? new Float32Array(0) : await encodePassages(encoder, inputs, {signal, batchTokens: 1});
	const found: Highlight[] = [];
	let row = 0;
	for (const candidates of sentences) {
		let [best, bestSimilarity] = [candidates[0], Number.NEGATIVE_INFINITY];
		for (const candidate of candidates.length > 1 ? candidates : []) {
			const value = similarityOf(similarity, query, vectors.subarray(row * query.length, ++row * query.length));
			if (value > bestSimilarity) {
				[best, bestSimilarity] = [candidate, value];
			}
			await yieldIfOverBudget();
		}
		found.push({start: best?.start ?? 0, end: best?.end ?? 0});
	}
	signal?.throwIfAborted();
	return found;
}

/** Returns a value that orders vectors as their similarity to the query does. */
function similarityOf(similarity: Similarity, query: Float32Array, vector: Float32Array): number {
	let [product, squaredLength, squaredDistance] = [0, 0, 0];
	for (let i = 0; i < vector.length; i++) {
		const [q, v] = [query[i]!, vector[i]!];
		product += q * v;
		squaredLength += v * v;
		squaredDistance += (q - v) ** 2;
	}
	switch (similarity) {
		case 'dot':
			return product;
		case 'cosine':
			// The length of the query does not change the order. A vector of length 0 has no direction.
			return squaredLength === 0 ? 0 : product / Math.sqrt(squaredLength);
		case 'l2':
			return -squaredDistance;
	}
}
