/** Lexical enrichment: an encoder that adds the vectors of a text's tokens to the text's vector (Ram et al., 2023, §6.2). */
import {createHash} from 'node:crypto';
import {checkBoolean, checkInstance, checkObject, checkOneOf, hasMethods, kindOf, shown} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type Binding, callNative, native} from '../../core/native/native.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../../core/options.ts';
import type {CallOptions, EncodeOptions, Encoder, EncoderInput, Vectors} from '../../core/types.ts';
import {type TokenWeights, tokenWeights} from './token-weights.ts';
import {type TokenSearch, type TokenVectorOptions, checkedSearch, findTokenVectors} from './token-vectors.ts';
import {VocabularyProjection} from '../projection/vocabulary-projection.ts';

/** The encoder to enrich, and the sources of its lexical vectors. */
export interface LexicalEnrichmentParts {
	readonly encoder: Encoder;
	/** The projection onto the vocabulary of the model that the encoder was initialized from. */
	readonly projection: VocabularyProjection;
	/** Weights of the tokens, or their source. `false` gives all tokens the weight 1, as in an ablation of Ram et al. (2023). */
	readonly idf: TokenWeights;
}

/** Options of `LexicalEnrichment.fit`. */
export interface LexicalEnrichmentOptions extends CallOptions, TokenVectorOptions {
	/** Weight of the lexical vector, at least 0; see `tuneLambda`. @default 0.5 */
	readonly lambda?: number | undefined;
	/**
	The vectors of tokens: `enriched` for vectors that are found by optimization (see `TokenVectorOptions`); `static` for the rows of the
	head's decoder, as in an ablation of Ram et al. (2023). @default 'enriched'
	*/
	readonly tokens?: 'enriched' | 'static' | undefined;
	/**
	How the vectors of tokens are whitened. μ is their mean, and U Λ Uᵀ the eigendecomposition of their covariance. `principal` gives
	coordinates along the principal directions: x ↦ (x − μ) U Λ^(−1/2). `aligned` rotates these coordinates back to the original axes:
	x ↦ (x − μ) U Λ^(−1/2) Uᵀ. With `false`, the vectors are not whitened. @default 'aligned'
	*/
	readonly whitening?: 'principal' | 'aligned' | false | undefined;
	/** Whether lexical vectors are scaled to unit length. @default true */
	readonly normalize?: boolean | undefined;
	/**
	Whether an enriched vector, the sum e′ = e + λ · lex of the encoder's vector e and the weighted lexical vector lex, is scaled to unit
	length. Inner products of enriched vectors are then cosine similarities, which Ram et al. (2023) use as relevance scores for S-MPNet.
	@default true for encoders whose vectors have unit length, else false
	*/
	readonly renormalize?: boolean | undefined;
}

const partsOptions: OptionNames = optionNames<LexicalEnrichmentParts>({encoder: true, projection: true, idf: true});
const fitOptions: OptionNames = optionNames<LexicalEnrichmentOptions>({
	...callNames,
	start: true,
	learningRate: true,
	beta1: true,
	beta2: true,
	epsilon: true,
	loss: true,
	stopping: true,
	minSteps: true,
	maxSteps: true,
	threads: true,
	cache: true,
	cacheFolder: true,
	lambda: true,
	tokens: true,
	whitening: true,
	normalize: true,
	renormalize: true,
});
const encodeOptions: OptionNames = optionNames<EncodeOptions>({...callNames, batchTokens: true});

/** Number of inputs passed to native code in one call. Copying them blocks the event loop for less than a millisecond. */
const INPUTS_PER_CALL = 256;

/** Everything that `fit` determines. */
interface State {
	readonly encoder: Encoder;
	/** The vectors of all tokens, after whitening if they are whitened, and their weights. */
	readonly lexicon: Binding.NativeLexicon;
	/** The vectors of all tokens before whitening, and how their optimization ended. */
	readonly tokens: Binding.NativeTokenVectors;
	readonly lambda: number;
	/** Whether enriched vectors are scaled to unit length. */
	readonly renormalize: boolean;
	/** Whether the encoder's own vectors have unit length. */
	readonly hasUnitVectors: boolean;
	/** A hash of everything that determines the vectors, except for λ. */
	readonly fingerprint: string;
}

/**
An encoder that adds the vectors of a text's tokens to the text's vector e (Ram et al., 2023, §6.2, equations 4 and 5):
e′ = e + λ · lex, where lex = (1/n) Σ w(xᵢ) s(xᵢ) over the n word pieces xᵢ of the text, scaled to unit length. s(t) is the vector
that the head projects to token t with the highest probability: it minimizes the cross-entropy. The vectors of the whole vocabulary
are computed once and then whitened. w(t) is the inverse document frequency of t. By default, e′ is scaled to unit length if the
encoder's vectors have unit length (`renormalize`).

All word pieces of the title and the text count, including those that the encoder truncates. Special tokens do not count. A repeated
word piece counts each time.

A `LexicalEnrichment` is an `Encoder`, so indexes, searchers and collections accept it. Enrich the vectors of both questions and
passages, with the same λ. `identity` differs for every encoder, fit and λ.

@example
```
const encoder = await OnnxEncoder.load('minilm-encoder');
const bm25 = await Bm25Index.build('./pieces', './passages.tsv', {analyzer: {type: 'wordpiece', tokenizer: './models/minilm-encoder'}});
const projection = await VocabularyProjection.load('minilm-mlm-head');
const enriched = await LexicalEnrichment.fit({encoder, projection, idf: bm25}, {lambda: 0.4});
const index = new FlatIndex({dim: enriched.dim, metadata: {encoder: enriched.identity}});
const searcher = new DenseSearcher({encoder: enriched, index});
```
*/
export class LexicalEnrichment implements Encoder {
	readonly dim: number;
	readonly identity?: string;
	/** Weight of the lexical vector. */
	readonly lambda: number;
	/** Whether enriched vectors are scaled to unit length. */
	readonly renormalize: boolean;
	readonly #state: State;

	private constructor(state: State) {
		checkObject('new LexicalEnrichment', state, 'LexicalEnrichment.fit() in place of the constructor');
		const {encoder, lambda, renormalize, fingerprint} = state;
		checkObject('new LexicalEnrichment', encoder, 'LexicalEnrichment.fit() in place of the constructor');
		this.#state = state;
		this.dim = encoder.dim;
		this.lambda = lambda;
		this.renormalize = renormalize;
		if (encoder.identity !== undefined) {
			this.identity = `${encoder.identity}+lexical:${fingerprint}:${lambda}`;
		}
	}

	/**
	Makes an enrichment: computes the vectors of all tokens, or takes them from the cache. Without the cache, this takes a long time: for
	30,522 tokens and 384 dimensions, one step of Adam for all tokens takes about half a minute of processor time, and 100 steps take
	about 50 minutes. With `stopping: 'each'`, the whole optimization takes a few minutes. Unless `cache` is false, unfinished work is
	saved every half minute and when the call is canceled, and the next call continues from there.

	Progress counts tokens that are done. With `stopping: 'all'`, the first run of the optimization only finds the number of steps. A
	second run follows, in which progress counts the steps of all tokens.

	The call encodes two short texts to find out whether the encoder's vectors have unit length.
	*/
	static async fit(parts: LexicalEnrichmentParts, options: LexicalEnrichmentOptions = {}): Promise<LexicalEnrichment> {
		checkRequiredOptions('fit', parts, partsOptions);
		checkOptions('fit', options, fitOptions);
		const {encoder, projection, idf} = parts;
		const {lambda = 0.5, tokens: kind = 'enriched', whitening = 'aligned', normalize = true, signal} = options;
		if (!hasMethods(encoder, 'encode')) {
			throw new RetrievalError('ERR_ARGUMENT', `encoder: expected an encoder, got ${kindOf(encoder)}`);
		}
		checkInstance('projection', projection, VocabularyProjection);
		if (projection.dim !== encoder.dim) {
			throw new RetrievalError(
				'ERR_DIMENSION',
				`projection: expected one for vectors of the encoder's dimension ${encoder.dim}, got ${projection.dim}`,
			);
		}
		checkLambda(lambda);
		checkOneOf('tokens', kind, ['enriched', 'static']);
		if (whitening !== false) {
			checkOneOf('whitening', whitening, ['principal', 'aligned']);
		}
		checkBoolean('normalize', normalize);
		if (options.renormalize !== undefined) {
			checkBoolean('renormalize', options.renormalize);
		}
		const search = checkedSearch(options, projection);
		const unitVectors = await hasUnitVectors(encoder, signal);
		const {renormalize = unitVectors} = options;
		const head = VocabularyProjection.handle(projection);
		const weights = await tokenWeights(idf, head, signal);
		const tokens =
			kind === 'static'
				? await callNative({signal}, () => native.staticEmbeddings(head))
				: await findTokenVectors(projection, search, options);
		const whitened = whitening === false ? undefined : whitening;
		const lexicon = await callNative({signal}, () => native.openLexicon(tokens, head, weights, whitened, normalize));
		const fingerprint = createHash('sha256')
			.update(
				`${projection.identity}\0${tokens.identity}\0${whitening}\0${normalize}\0${renormalize}\0${weights === undefined ? 'none' : 'weights'}\0`,
			)
			.update(weights === undefined ? '' : new Uint8Array(weights.buffer, weights.byteOffset, weights.byteLength))
			.digest('hex')
			.slice(0, 16);
		return new LexicalEnrichment({encoder, lexicon, tokens, lambda, renormalize, hasUnitVectors: unitVectors, fingerprint});
	}

	/** Returns the same enrichment with a different weight of the lexical vector. Nothing is recomputed. */
	withLambda(lambda: number): LexicalEnrichment {
		checkLambda(lambda);
		return new LexicalEnrichment({...this.#state, lambda});
	}

	/** How the optimization of the tokens' vectors ended: losses, bounds and steps; `undefined` with `tokens: 'static'`. */
	get search(): TokenSearch | undefined {
		const {tokens} = this.#state;
		const losses = tokens.losses();
		return losses.length === 0 ? undefined : {losses, bounds: tokens.bounds(), steps: tokens.steps()};
	}

	/** Returns the enriched vectors of texts or passages, a matrix of shape `[inputs.length, dim]`. */
	async encode(inputs: readonly EncoderInput[], options: EncodeOptions = {}): Promise<Vectors> {
		checkOptions('encode', options, encodeOptions);
		const {encoder, lambda, renormalize} = this.#state;
		const vectors = await encoder.encode(inputs, options);
		return this.#leavesUnchanged(lambda) ? vectors : this.#add(inputs, vectors, lambda, renormalize, options.signal);
	}

	/** Returns the vectors e of the encoder and the lexical vectors lex, two matrices of shape `[inputs.length, dim]`. */
	async parts(
		inputs: readonly EncoderInput[],
		options: EncodeOptions = {},
	): Promise<{readonly vectors: Vectors; readonly lexical: Vectors}> {
		checkOptions('parts', options, encodeOptions);
		const vectors = await this.#state.encoder.encode(inputs, options);
		const zeros = {...vectors, data: new Float32Array(vectors.data.length)};
		return {vectors, lexical: await this.#add(inputs, zeros, 1, false, options.signal)};
	}

	/**
	Combines the result of `parts` into the vectors that `encode` returns for the weight `lambda`, bit for bit.
	@internal
	*/
	static async combined(
		enrichment: LexicalEnrichment,
		{vectors, lexical}: {readonly vectors: Vectors; readonly lexical: Vectors},
		lambda: number,
		signal: AbortSignal | undefined,
	): Promise<Vectors> {
		checkInstance('enrichment', enrichment, LexicalEnrichment);
		if (enrichment.#leavesUnchanged(lambda)) {
			return vectors;
		}
		const {lexicon, renormalize} = enrichment.#state;
		const {rows, dim} = vectors;
		const data = new Float32Array(rows * dim);
		for (let from = 0; from < rows; from += INPUTS_PER_CALL) {
			const [e, lex] = [vectors, lexical].map(({data}) => data.subarray(from * dim, (from + INPUTS_PER_CALL) * dim));
			data.set(await callNative({signal}, () => lexicon.addLexical(e!, lex!, lambda, renormalize)), from * dim);
		}
		return {data, rows, dim};
	}

	/** Whether enriched vectors with weight `lambda` are the encoder's own vectors, bit for bit. */
	#leavesUnchanged(lambda: number): boolean {
		const {renormalize, hasUnitVectors: unitVectors} = this.#state;
		return lambda === 0 && (unitVectors || !renormalize);
	}

	/** Adds λ · lex of each input to the input's row of the given vectors, and returns the sums. */
	async #add(
		inputs: readonly EncoderInput[],
		{data, rows, dim}: Vectors,
		lambda: number,
		renormalize: boolean,
		signal: AbortSignal | undefined,
	): Promise<Vectors> {
		const enriched = new Float32Array(rows * dim);
		for (let from = 0; from < rows; from += INPUTS_PER_CALL) {
			const chunk = inputs.slice(from, from + INPUTS_PER_CALL);
			const texts = chunk.map(input => (typeof input === 'string' ? input : input.text));
			const titles = chunk.map(input => (typeof input === 'string' ? '' : (input.title ?? '')));
			const part = data.subarray(from * dim, (from + chunk.length) * dim);
			const added = await callNative({signal}, () => this.#state.lexicon.add(texts, titles, part, lambda, renormalize));
			enriched.set(added, from * dim);
		}
		return {data: enriched, rows, dim};
	}
}

/** Encodes two texts and returns whether their vectors have unit length. */
async function hasUnitVectors(encoder: Encoder, signal: AbortSignal | undefined): Promise<boolean> {
	const {data, rows, dim} = await encoder.encode(['passage', 'Who wrote it?'], {signal});
	return Array.from({length: rows}, (_, row) => Math.hypot(...data.subarray(row * dim, (row + 1) * dim))).every(
		length => Math.abs(length - 1) < UNIT_TOLERANCE,
	);
}

/** Allowed deviation from length 1. Rounding a unit vector to single precision causes far less. */
const UNIT_TOLERANCE = 1e-5;

function checkLambda(lambda: unknown): asserts lambda is number {
	if (typeof lambda !== 'number' || !(lambda >= 0 && lambda < Number.POSITIVE_INFINITY)) {
		throw new RetrievalError('ERR_ARGUMENT', `lambda: expected a number of at least 0, got ${shown(lambda)}`);
	}
}
