/** Weights of word pieces for lexical enrichment: inverse document frequencies (IDF), or weights that the caller gives. */
import {checkNumber, checkObject, checkString, hasMethods, isInstance, kindOf} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type Binding, callNative, callSync, native} from '../../core/native/native.ts';
import {Bm25Index} from '../../sparse/index.ts';
import type {Passage} from '../../core/types.ts';

/**
The weights of tokens, or the source from which they are computed.

- A `Bm25Index` of the head's word pieces: BM25's inverse document frequency ln(1 + (N − df + 0.5) / (df + 0.5)), where df is the number
  of passages that contain the token and N the number of all passages in the index.
- Passages: the same formula, with df and N counted in these passages.
- A map from word pieces, as the vocabulary writes them (`##ing`), to weights of at least 0. Other pieces have the weight 0.
- `false`: all tokens have the weight 1.
*/
export type TokenWeights = Bm25Index | Iterable<Passage> | AsyncIterable<Passage> | ReadonlyMap<string, number> | false;

/** Number of passages passed to native code in one call. Copying them blocks the event loop for less than a millisecond. */
const PASSAGES_PER_CALL = 256;

/**
Returns the weight of every word piece of a head's tokenizer, indexed by id, or `undefined` if all weights are 1.

@internal
*/
export async function tokenWeights(
	weights: TokenWeights,
	projection: Binding.NativeProjection,
	signal?: AbortSignal,
): Promise<Float32Array | undefined> {
	if (weights === false) {
		return undefined;
	}
	if (isInstance(weights, Bm25Index)) {
		return callNative({signal}, () => native.pieceWeightsIn(Bm25Index.handle(weights), projection));
	}
	if (isInstance(weights, Map)) {
		const pieces = weights as ReadonlyMap<string, number>;
		for (const [piece, weight] of pieces) {
			checkString('idf: piece', piece);
			checkNumber(`idf: weight of "${piece}"`, weight);
			if (weight < 0) {
				throw new RetrievalError('ERR_ARGUMENT', `idf: weight of "${piece}": expected a number of at least 0, got ${weight}`);
			}
		}
		return callNative({signal}, () => native.pieceWeightsOf(projection, [...pieces.keys()], Float32Array.from(pieces.values())));
	}
	if (typeof weights === 'string' || !(hasMethods(weights, Symbol.iterator) || hasMethods(weights, Symbol.asyncIterator))) {
		throw new RetrievalError('ERR_ARGUMENT', `idf: expected a Bm25Index, passages, a map of weights or false, got ${kindOf(weights)}`);
	}
	return countWeights(weights as Iterable<Passage> | AsyncIterable<Passage>, projection, signal);
}

/** Computes the inverse document frequency of every word piece in the given passages. */
async function countWeights(
	passages: Iterable<Passage> | AsyncIterable<Passage>,
	projection: Binding.NativeProjection,
	signal?: AbortSignal,
): Promise<Float32Array> {
	const counts = callSync(() => new native.NativePieceCounts(projection));
	let texts: string[] = [];
	let titles: string[] = [];
	let passageCount = 0;
	const countBatch = async (): Promise<void> => {
		counts.count(await callNative({signal}, () => counts.pieces(texts, titles)));
		[texts, titles] = [[], []];
	};
	for await (const passage of passages) {
		checkObject(`idf: passages[${passageCount}]`, passage, 'a passage');
		const {text, title = ''} = passage;
		checkString(`idf: passages[${passageCount}]: text`, text);
		checkString(`idf: passages[${passageCount}]: title`, title);
		passageCount++;
		texts.push(text);
		titles.push(title);
		if (texts.length === PASSAGES_PER_CALL) {
			await countBatch();
		}
	}
	await countBatch();
	return counts.weights();
}
