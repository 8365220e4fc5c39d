import {createHash} from 'node:crypto';
import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {checkBoolean, checkCount, checkInstance, checkNumber, checkObject, checkOneOf, hasMethods, kindOf, shown} from '../check.ts';
import {RetrievalError} from '../errors.ts';
import {onPath} from '../files.ts';
import {cacheFolderOf} from '../models/cache.ts';
import {type Binding, callNative, native} from '../native.ts';
import {type OptionNames, callNames, checkGiven, checkOptions, optionNames} from '../options.ts';
import type {CallOptions, EncodeOptions, Encoder, EncoderInput, Vectors} from '../types.ts';
import {type TokenWeights, tokenWeights} from './token-weights.ts';
import {VocabularyProjection} from './vocabulary-projection.ts';

/** What is enriched, and by what. */
export interface LexicalEnrichmentParts {
	readonly encoder: Encoder;
	/** Onto the vocabulary of the model that the encoder was initialised from. */
	readonly projection: VocabularyProjection;
	/** How much a token counts; `false` is the paper's ablation. */
	readonly idf: TokenWeights;
}

/** How the vectors of tokens are looked for. */
export interface TokenVectorOptions {
	/** Where each search begins: at 0, or at the token's static embedding. @default 'zero' */
	readonly start?: 'zero' | 'static' | undefined;
	/** Adam's α; 0.001 for MPNet in the paper. @default 0.01 */
	readonly learningRate?: number | undefined;
	/** Adam's β₁. @default 0.9 */
	readonly beta1?: number | undefined;
	/** Adam's β₂. @default 0.999 */
	readonly beta2?: number | undefined;
	/** Adam's ε. @default 1e-8 */
	readonly epsilon?: number | undefined;
	/** Cross-entropy, in nats, below which a token is done; one that can have no such vector, so near to the least. @default 0.1 */
	readonly loss?: number | undefined;
	/** Steps of each token at least. @default 0 */
	readonly leastSteps?: number | undefined;
	/** Steps of each token at most. @default 300 */
	readonly mostSteps?: number | undefined;
	/** Threads of the search. @default all cores */
	readonly threads?: number | undefined;
	/** Keep what is found, and go on with what was kept: in `enrichments` of the cache folder. @default true */
	readonly cache?: boolean | undefined;
	/** @default PASSAGEKIT_CACHE, else `.cache/passagekit` in the home folder */
	readonly cacheFolder?: string | undefined;
}

export interface LexicalEnrichmentOptions extends CallOptions, TokenVectorOptions {
	/** Weight of the lexical vector, at least 0; see `tuneLambda`. @default 0.5 */
	readonly lambda?: number | undefined;
	/** Single-token enrichments, or the static embeddings of the head's decoder: the paper's ablation. @default 'enriched' */
	readonly tokens?: 'enriched' | 'static' | undefined;
	/**
	How the vectors of tokens are whitened: along their principal directions, x ↦ (x − μ) U Λ^(−1/2); turned back to their own,
	x ↦ (x − μ) U Λ^(−1/2) Uᵀ; or not. @default 'aligned'
	*/
	readonly whitening?: 'principal' | 'aligned' | false | undefined;
	/** Scale lexical vectors to unit length. @default true */
	readonly normalise?: boolean | undefined;
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
	leastSteps: true,
	mostSteps: true,
	threads: true,
	cache: true,
	cacheFolder: true,
	lambda: true,
	tokens: true,
	whitening: true,
	normalise: true,
});
const encodeOptions: OptionNames = optionNames<EncodeOptions>({...callNames, batchTokens: true});

/** How the search for the vectors of tokens ended, by token id. */
export interface TokenSearch {
	/** Cross-entropy of each token's vector, in nats. */
	readonly losses: Float32Array;
	/** What no vector's loss is below, as far as the search found out: where it is above the loss asked for, no vector has that. */
	readonly bounds: Float32Array;
	/** Steps that each token took. */
	readonly steps: Uint32Array;
}

/** Handed over in one call: their copy takes under a millisecond. */
const INPUTS_A_CALL = 256;

interface State {
	readonly encoder: Encoder;
	readonly lexicon: Binding.NativeLexicon;
	readonly tokens: Binding.NativeTokenVectors;
	readonly lambda: number;
	/** Of all but λ. */
	readonly fingerprint: string;
}

/**
An encoder whose vectors also tell the tokens of their texts (Ram et al., 2023, §6.2, equations 4 and 5): e′ = e + λ · lex, with
lex = (1/n) Σ w(xᵢ) s(xᵢ) over the word pieces of a text, scaled to unit length. s(t) is the vector that the head takes for token t
alone: the least cross-entropy, found once for the whole vocabulary, whitened. w(t) is the inverse document frequency. Texts are
read whole, titles before them; special tokens do not count, repeated ones do.

It is an `Encoder`: indexes, searchers and collections take it. Vectors of questions and of passages both have to be enriched,
with one λ; `identity` tells them apart from others.

@example
```
const encoder = await OnnxEncoder.load('minilm-encoder');
const bm25 = await Bm25Index.build('./pieces', './passages.tsv', {analyzer: {type: 'wordpiece', tokenizer: './models/minilm-encoder'}});
const projection = await VocabularyProjection.load('minilm-mlm-head');
const enriched = await LexicalEnrichment.fit({encoder, projection, idf: bm25}, {lambda: 0.4});
await using collection = await Collection.build('./passages.tsv', './collection', {encoder: enriched});
```
*/
export class LexicalEnrichment implements Encoder {
	readonly dim: number;
	readonly identity?: string;
	/** Weight of the lexical vector. */
	readonly lambda: number;
	readonly #state: State;

	/** @internal */
	private constructor(state: State) {
		checkObject('new LexicalEnrichment', state, 'LexicalEnrichment.fit() in place of the constructor');
		const {encoder, lambda, fingerprint} = state;
		checkObject('new LexicalEnrichment', encoder, 'LexicalEnrichment.fit() in place of the constructor');
		this.#state = state;
		this.dim = encoder.dim;
		this.lambda = lambda;
		if (encoder.identity !== undefined) {
			this.identity = `${encoder.identity}+lexical:${fingerprint}:${lambda}`;
		}
	}

	/**
	Finds the vectors of all tokens, or takes them from the cache. It takes minutes; what is found is kept every half minute and
	on cancelling, and the next call goes on from there. Progress counts tokens.
	*/
	static async fit(parts: LexicalEnrichmentParts, options: LexicalEnrichmentOptions = {}): Promise<LexicalEnrichment> {
		checkGiven('fit', parts, partsOptions);
		checkOptions('fit', options, fitOptions);
		const {encoder, projection, idf} = parts;
		const {lambda = 0.5, tokens: kind = 'enriched', whitening = 'aligned', normalise = true, cache = true, signal} = options;
		if (!hasMethods(encoder, 'encode')) {
			throw new RetrievalError('ERR_ARGUMENT', `encoder: expected an encoder, got ${kindOf(encoder)}`);
		}
		checkInstance('projection', projection, VocabularyProjection);
		if (projection.dim !== encoder.dim) {
			throw new RetrievalError(
				'ERR_DIMENSION',
				`projection: expected one of vectors of dimension ${encoder.dim}, as the encoder's, got ${projection.dim}`,
			);
		}
		checkLambda(lambda);
		checkOneOf('tokens', kind, ['enriched', 'static']);
		if (whitening !== false) {
			checkOneOf('whitening', whitening, ['principal', 'aligned']);
		}
		checkBoolean('normalise', normalise);
		checkBoolean('cache', cache);
		const search = searchOptions(options);
		const head = VocabularyProjection.handle(projection);
		const weights = await tokenWeights(idf, head, signal);
		const tokens =
			kind === 'static'
				? await callNative({signal}, () => native.staticEmbeddings(head))
				: await findTokens(head, search, cache ? join(cacheFolderOf(options.cacheFolder), 'enrichments') : undefined, options);
		const whitened = whitening === false ? undefined : whitening;
		const lexicon = await callNative({signal}, () => native.openLexicon(tokens, head, weights, whitened, normalise));
		const fingerprint = createHash('sha256')
			.update(`${projection.identity}\0${tokens.identity}\0${whitening}\0${normalise}\0${weights === undefined ? 'none' : 'weights'}\0`)
			.update(weights === undefined ? '' : new Uint8Array(weights.buffer, weights.byteOffset, weights.byteLength))
			.digest('hex')
			.slice(0, 16);
		return new LexicalEnrichment({encoder, lexicon, tokens, lambda, fingerprint});
	}

	/** The same with another weight of the lexical vector; nothing is computed again. */
	withLambda(lambda: number): LexicalEnrichment {
		checkLambda(lambda);
		return new LexicalEnrichment({...this.#state, lambda});
	}

	/** How the search for the vectors of tokens ended; `undefined` for static embeddings. */
	get search(): TokenSearch | undefined {
		const {tokens} = this.#state;
		const losses = tokens.losses();
		return losses.length === 0 ? undefined : {losses, bounds: tokens.bounds(), steps: tokens.steps()};
	}

	async encode(inputs: readonly EncoderInput[], options: EncodeOptions = {}): Promise<Vectors> {
		checkOptions('encode', options, encodeOptions);
		const {encoder, lambda} = this.#state;
		const vectors = await encoder.encode(inputs, options);
		return lambda === 0 ? vectors : this.#add(inputs, vectors, lambda, options.signal);
	}

	/** The vectors of the encoder and the lexical ones, of which `encode` makes the sum e + λ · lex. */
	async parts(
		inputs: readonly EncoderInput[],
		options: EncodeOptions = {},
	): Promise<{readonly vectors: Vectors; readonly lexical: Vectors}> {
		checkOptions('parts', options, encodeOptions);
		const vectors = await this.#state.encoder.encode(inputs, options);
		const zeros = {...vectors, data: new Float32Array(vectors.data.length)};
		return {vectors, lexical: await this.#add(inputs, zeros, 1, options.signal)};
	}

	async #add(
		inputs: readonly EncoderInput[],
		{data, rows, dim}: Vectors,
		lambda: number,
		signal: AbortSignal | undefined,
	): Promise<Vectors> {
		const enriched = new Float32Array(rows * dim);
		for (let from = 0; from < rows; from += INPUTS_A_CALL) {
			const chunk = inputs.slice(from, from + INPUTS_A_CALL);
			const texts = chunk.map(input => (typeof input === 'string' ? input : input.text));
			const titles = chunk.map(input => (typeof input === 'string' ? '' : (input.title ?? '')));
			const part = data.subarray(from * dim, (from + chunk.length) * dim);
			enriched.set(await callNative({signal}, () => this.#state.lexicon.add(texts, titles, part, lambda)), from * dim);
		}
		return {data: enriched, rows, dim};
	}
}

async function findTokens(
	head: Binding.NativeProjection,
	search: Binding.NativeEnrichOptions,
	cache: string | undefined,
	options: LexicalEnrichmentOptions,
): Promise<Binding.NativeTokenVectors> {
	if (cache !== undefined) {
		await onPath('write', cache, async () => mkdir(cache, {recursive: true}));
	}
	return callNative(options, control => native.findEnrichments(head, search, cache, control));
}

function searchOptions(options: TokenVectorOptions): Binding.NativeEnrichOptions {
	const {start = 'zero', learningRate = 0.01, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, loss = 0.1} = options;
	const {leastSteps = 0, mostSteps = 300, threads = 0} = options;
	checkOneOf('start', start, ['zero', 'static']);
	for (const [what, value] of Object.entries({learningRate, beta1, beta2, epsilon, loss})) {
		checkNumber(what, value);
	}
	checkCount('leastSteps', leastSteps, 0);
	checkCount('mostSteps', mostSteps, leastSteps);
	checkCount('threads', threads, 0);
	return {start, learningRate, beta1, beta2, epsilon, loss, leastSteps, mostSteps, threads};
}

function checkLambda(lambda: unknown): asserts lambda is number {
	if (typeof lambda !== 'number' || !(lambda >= 0 && lambda < Number.POSITIVE_INFINITY)) {
		throw new RetrievalError('ERR_ARGUMENT', `lambda: expected a number of at least 0, got ${shown(lambda)}`);
	}
}
