import {checkCount, checkInstance, checkFactoryMade, checkOneOf, checkString, checkVectors} from '../../core/checks.ts';
import {downloadOptions} from '../../models/hub.ts';
import {type ModelOptions, resolveModel} from '../../models/index.ts';
import {type Binding, callNative, callSync, native} from '../../core/native/native.ts';
import {fingerprint, readModelJson, tokenizerFile} from '../../onnx/model-files.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../../core/options.ts';
import {waitForTime, yieldToEventLoop} from '../../core/event-loop.ts';
import type {CallOptions, Vectors} from '../../core/types.ts';
import {type TokenColumns, checkTokenLists, joinLists, splitColumns} from './token-lists.ts';

/** A token of a vector's projection. */
export interface WeightedToken {
	/** As the vocabulary writes it: `##s` is a piece inside a word of BERT's. */
	readonly token: string;
	readonly id: number;
	/** From 0 to 1; those of all tokens add up to 1. */
	readonly probability: number;
	/** What the softmax was taken of. */
	readonly logit: number;
}

/** Where tokens stand in a vector's projection, in the order in which they were asked for. */
export interface TokenStandings {
	/** From 1, the likeliest. */
	readonly ranks: Uint32Array;
	readonly probabilities: Float64Array;
	readonly logits: Float32Array;
}

/** The word pieces of a text, without special tokens. */
export interface VocabularyPieces {
	readonly ids: readonly number[];
	readonly tokens: readonly string[];
}

export interface ProjectionOptions extends CallOptions {
	/** Threads of a call. @default all cores */
	readonly threads?: number | undefined;
}

export interface ProjectOptions extends ProjectionOptions {
	/** Tokens wanted for each vector. @default 20 */
	readonly k?: number | undefined;
}

export interface LogitsOptions extends ProjectionOptions {
	/** What comes back: logits, or their softmax. @default 'logits' */
	readonly as?: 'logits' | 'probabilities' | undefined;
}

const projectionOptions: OptionNames = optionNames<ProjectionOptions>({...callNames, threads: true});
const projectOptions: OptionNames = optionNames<ProjectOptions>({...callNames, threads: true, k: true});
const logitsOptions: OptionNames = optionNames<LogitsOptions>({...callNames, threads: true, as: true});

/** Numbers handed over in one call: their copy takes about a millisecond. */
const VALUES_PER_CALL = 1 << 19;
/** Tokens whose texts are taken over in one turn of the event loop. */
const TEXTS_PER_SLICE = 4096;

/**
Dense vectors as distributions over a vocabulary (Ram et al., 2023, "What Are You Token About? Dense Retrieval as
Distributions Over the Vocabulary", §3): a vector e of a question or a passage goes through the masked-language-model head of the
model that the encoder was initialized from: g(e) = LayerNorm(GELU(W e + c)), logits = E g(e) + b, and their softmax is the
distribution. The likeliest tokens say what the retriever takes the text to be about.

Work is done off the event loop. A vector's tokens, ranks and probabilities have the same bits whatever other vectors are in
the call and for any number of threads. Of equal logits the lower id stands first.

@example
```
const encoder = await OnnxEncoder.load('minilm-encoder');
const projection = await VocabularyProjection.load('minilm-mlm-head');
const vectors = await encoder.encode(['How many judges currently serve on the Supreme court?']);
const [tokens] = await projection.project(vectors, {k: 3});
tokens.map(({token}) => token);
//=> ['justices', 'judicial', 'judges']
```
*/
export class VocabularyProjection {
	/** Numbers of a vector. */
	readonly dim: number;
	/** Tokens of the vocabulary. */
	readonly size: number;
	/** Tells heads apart: 16 hexadecimal digits of a hash of weights and tokenizer. */
	readonly identity: string;
	/** Token id → text, as the vocabulary writes it; `[id]` where the tokenizer has no token with that id. */
	readonly tokens: readonly string[];
	/** `model_type` of the head's `config.json`, such as "bert" or "mpnet"; `undefined` if it has none. */
	readonly modelType: string | undefined;
	readonly #native: Binding.NativeProjection;

	private constructor(projection: Binding.NativeProjection, identity: string, tokens: readonly string[], modelType: string | undefined) {
		checkFactoryMade('VocabularyProjection', projection, native.NativeProjection, 'VocabularyProjection.load()');
		this.#native = projection;
		this.identity = identity;
		this.tokens = tokens;
		this.modelType = modelType;
		this.dim = projection.dim;
		this.size = projection.size;
	}

	/**
	`model` is a folder with `tokenizer.json` and the head in the first of `mlm_head.safetensors`, `mlm_head.onnx`,
	`model.safetensors`, `model.onnx` and `onnx/model.onnx` that is there, a fill-mask model of the Hugging Face hub, or a model that
	passagekit carries: 'minilm-mlm-head' goes with 'minilm-encoder', 'tiny-encoder' has its own. In safetensors heads are found by the
	names of BERT, RoBERTa, MPNet and DistilBERT, also within a whole checkpoint and with a decoder tied to the word embeddings;
	numbers are f32, f16 or bf16; activation and epsilon are those of `config.json`. In ONNX they are found by what the graph
	computes; weights may be of 8 bits.

	Fails with `ERR_MODEL_MISSING`, and with `ERR_MODEL` where there is no head.
	*/
	static async load(model: string, options: ModelOptions = {}): Promise<VocabularyProjection> {
		checkOptions('load', options, downloadOptions);
		const folder = await resolveModel(model, options);
		const tokenizer = await tokenizerFile(folder);
		const projection = await callNative({signal: options.signal}, async () => native.openProjection(folder, tokenizer));
		const tokens: string[] = [];
		for (let from = 0; from < projection.size; from += TEXTS_PER_SLICE) {
			await waitForTime();
			const texts = callSync(() => projection.texts(from, Math.min(from + TEXTS_PER_SLICE, projection.size))).split('\0');
			texts.forEach((text, i) => tokens.push(text === '' ? `[${from + i}]` : text));
		}
		const identity = await fingerprint([...projection.files, tokenizer]);
		return new VocabularyProjection(projection, identity, tokens, await modelTypeOf(folder));
	}

	/**
	The `k` likeliest tokens of each vector, the likeliest first. Logits of all tokens are never in memory. Progress counts
	vectors. Fails with `ERR_DIMENSION`, and with `ERR_ARGUMENT` for numbers that are not finite.
	*/
	async project(vectors: Vectors, options: ProjectOptions = {}): Promise<WeightedToken[][]> {
		checkOptions('project', options, projectOptions);
		const {k = 20, threads = 0} = options;
		checkCount('k', k, 0);
		checkCount('threads', threads, 0);
		// As many tokens as vectors may be made in a turn or two.
		const most = Math.floor(VALUES_PER_CALL / Math.max(1, Math.min(k, this.size)));
		return this.#inParts(vectors, options, most, async (data, first, _, control) => {
			const found = await this.#native.project(data, first, k, threads, control);
			return splitColumns(found, (from, to) => this.#weighted(found, from, to));
		});
	}

	/**
	The ranks, from 1, of given tokens in the projection of each vector: `tokens` has a list of ids for each vector, and the
	ranks come in the order of the ids. Progress counts vectors. Fails as `project` does, and with `ERR_ARGUMENT` for ids that the
	vocabulary does not have.

	@example
	```
	const {ids} = projection.tokenize('supreme court');
	const [ranks] = await projection.ranks(vectors, [ids]);
	//=> Uint32Array [4, 10]
	```
	*/
	async ranks(vectors: Vectors, tokens: readonly ArrayLike<number>[], options: ProjectionOptions = {}): Promise<Uint32Array[]> {
		return (await this.standings(vectors, tokens, options)).map(({ranks}) => ranks);
	}

	/** As `ranks`, with the probabilities and logits of the tokens. */
	async standings(vectors: Vectors, tokens: readonly ArrayLike<number>[], options: ProjectionOptions = {}): Promise<TokenStandings[]> {
		checkOptions('standings', options, projectionOptions);
		const {threads = 0} = options;
		checkCount('threads', threads, 0);
		checkVectors('vectors', vectors, this.dim);
		checkTokenLists(tokens, vectors.rows);
		return this.#inParts(vectors, options, VALUES_PER_CALL, async (data, first, rows, control) => {
			const {tokens: ids, counts} = await joinLists(tokens, first, first + rows, this.size);
			const {numbers, probabilities, logits, ...found} = await this.#native.ranks(data, first, ids, counts, threads, control);
			return splitColumns({...found, numbers, probabilities, logits}, (from, to) => ({
				ranks: numbers.slice(from, to),
				probabilities: probabilities.slice(from, to),
				logits: logits.slice(from, to),
			}));
		});
	}

	/**
	All logits, or probabilities, of each vector: `[rows, size]`, which is what they take of memory, four bytes each. Progress
	counts vectors. Fails as `project` does.
	*/
	async logits(vectors: Vectors, options: LogitsOptions = {}): Promise<Vectors> {
		checkOptions('logits', options, logitsOptions);
		const {as = 'logits', threads = 0} = options;
		checkOneOf('as', as, ['logits', 'probabilities']);
		checkCount('threads', threads, 0);
		checkVectors('vectors', vectors, this.dim);
		const {size} = this;
		const all = new Float32Array(vectors.rows * size);
		// A call's logits are copied in one go.
		await this.#inParts(vectors, options, Math.floor(VALUES_PER_CALL / size), async (data, first, _, control) => {
			all.set(await this.#native.logits(data, first, as === 'probabilities', threads, control), first * size);
			return [];
		});
		return {data: all, rows: vectors.rows, dim: size};
	}

	/** The word pieces of a text by the head's tokenizer, without special tokens. For questions and passages: it is done here and now. */
	tokenize(text: string): VocabularyPieces {
		checkString('text', text);
		const ids = [...callSync(() => this.#native.tokenize(text))];
		return {ids, tokens: ids.map(id => this.tokens[id] ?? `[${id}]`)};
	}

	/** @internal */
	static handle(projection: VocabularyProjection): Binding.NativeProjection {
		checkInstance('projection', projection, VocabularyProjection);
		return projection.#native;
	}

	/** Does `work` for the vectors of one call after the other, at most `most` in each, and joins what it finds. */
	async #inParts<T>(
		vectors: Vectors,
		{signal, onProgress}: CallOptions,
		most: number,
		work: (data: Float32Array, first: number, rows: number, control: Binding.Control) => Promise<T[]>,
	): Promise<T[]> {
		checkVectors('vectors', vectors, this.dim);
		const {data, rows: total, dim} = vectors;
		const step = Math.max(1, Math.min(most, Math.floor(VALUES_PER_CALL / dim)));
		const found: T[] = [];
		for (let first = 0; first < total || first === 0; first += step) {
			const rows = Math.min(step, total - first);
			const progress = onProgress && (({done}: {readonly done: number}) => onProgress({done: first + done, total}));
			const part = data.subarray(first * dim, (first + rows) * dim);
			const of = await callNative({signal, onProgress: progress}, async control => work(part, first, rows, control));
			for (const one of of) {
				found.push(one);
			}
			await yieldToEventLoop();
		}
		return found;
	}

	#weighted({numbers, probabilities, logits}: TokenColumns, from: number, to: number): WeightedToken[] {
		const tokens: WeightedToken[] = [];
		for (let at = from; at < to; at++) {
			const id = numbers[at]!;
			tokens.push({token: this.tokens[id]!, id, probability: probabilities[at]!, logit: logits[at]!});
		}
		return tokens;
	}
}

/** `model_type` of the `config.json` in a model's folder, if it names one. */
export async function modelTypeOf(folder: string): Promise<string | undefined> {
	const type = (await readModelJson(folder, 'config.json'))?.['model_type'];
	return typeof type === 'string' ? type : undefined;
}
