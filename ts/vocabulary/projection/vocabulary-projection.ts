/** Projects dense vectors onto the vocabulary of a masked language model. Native code runs the model's head. */
import {checkCount, checkInstance, checkFactoryMade, checkOneOf, checkString, checkVectors} from '../../core/checks.ts';
import {downloadOptions} from '../../models/hub.ts';
import {type ModelOptions, resolveModel} from '../../models/index.ts';
import {type Binding, callNative, callSync, native} from '../../core/native/native.ts';
import {fingerprint, readModelJson, tokenizerFile} from '../../onnx/model-files.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../../core/options.ts';
import {yieldIfOverBudget, yieldToEventLoop} from '../../core/event-loop.ts';
import type {CallOptions, Vectors} from '../../core/types.ts';
import {type TokenColumns, checkTokenLists, joinLists, splitColumns} from './token-lists.ts';

/** A token of a vector's projection. */
export interface WeightedToken {
	/** The token as the vocabulary writes it. In BERT's vocabulary, `##s` is a piece that continues a word. */
	readonly token: string;
	readonly id: number;
	/** From 0 to 1. The probabilities of all tokens add up to 1. */
	readonly probability: number;
	/** The input of the softmax. */
	readonly logit: number;
}

/** Ranks, probabilities and logits of tokens in a vector's projection, in the order of the given ids. */
export interface TokenStandings {
	/** Ranks; the likeliest token has rank 1. */
	readonly ranks: Uint32Array;
	readonly probabilities: Float64Array;
	readonly logits: Float32Array;
}

/** The word pieces of a text, without special tokens. */
export interface VocabularyPieces {
	readonly ids: readonly number[];
	readonly tokens: readonly string[];
}

/** Options of `ranks` and `standings`. */
export interface ProjectionOptions extends CallOptions {
	/** Number of threads per call. @default all cores */
	readonly threads?: number | undefined;
}

/** Options of `project`. */
export interface ProjectOptions extends ProjectionOptions {
	/** Number of tokens returned per vector. @default 20 */
	readonly k?: number | undefined;
}

/** Options of `logits`. */
export interface LogitsOptions extends ProjectionOptions {
	/** Whether to return logits or their softmax. @default 'logits' */
	readonly as?: 'logits' | 'probabilities' | undefined;
}

const projectionOptions: OptionNames = optionNames<ProjectionOptions>({...callNames, threads: true});
const projectOptions: OptionNames = optionNames<ProjectOptions>({...callNames, threads: true, k: true});
const logitsOptions: OptionNames = optionNames<LogitsOptions>({...callNames, threads: true, as: true});

/**
Maximum number of vector components that one call passes to native code, and of tokens or logits that `project` and `logits` get back
from one call. Copying this number of values takes about a millisecond.
*/
const VALUES_PER_CALL = 1 << 19;
/** Number of tokens whose texts are copied from native code at once. */
const TEXTS_PER_SLICE = 4096;

/**
Projects dense vectors onto a vocabulary: turns each vector into a probability distribution over the tokens (Ram et al., 2023, "What Are
You Token About? Dense Retrieval as Distributions Over the Vocabulary", §3). The vector e of a question or a passage passes through the
masked-language-model head of the model that the encoder was initialized from: g(e) = LayerNorm(GELU(W e + c)), logits = E g(e) + b. W
and c are the weights and the bias of the head's dense layer; E and b are those of its decoder, which has one row per token. The softmax
of the logits is the distribution. Its likeliest tokens show what the vector says about the text.

Projections run off the event loop. A vector's tokens, ranks and probabilities are the same bit for bit, regardless of the other
vectors in the call and of the number of threads. If logits are equal, the lower id comes first.

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
	/** Dimension of the vectors that the head takes. */
	readonly dim: number;
	/** Number of tokens in the vocabulary. */
	readonly size: number;
	/** Identifies the head: 16 hexadecimal digits of a hash of its weights and tokenizer. */
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
	Loads the head of `model`: a folder, a fill-mask model of the Hugging Face hub, or one of passagekit's own models. 'minilm-mlm-head'
	goes with 'minilm-encoder'; 'tiny-encoder' has a head of its own. A folder needs `tokenizer.json` and one of `mlm_head.safetensors`,
	`mlm_head.onnx`, `model.safetensors`, `model.onnx` and `onnx/model.onnx`; the first one that exists is read.

	In safetensors files, the head is found by the tensor names of BERT, RoBERTa, MPNet and DistilBERT, also within a whole checkpoint and
	with a decoder tied to the word embeddings. Tensors may be f32, f16 or bf16. The activation and the epsilon of the layer norm are read
	from `config.json`. In ONNX files, the head is found by the structure of the graph, and weights may also have 8 bits.

	Fails with `ERR_MODEL_MISSING` if the model is not found, and with `ERR_MODEL` if it has no head.
	*/
	static async load(model: string, options: ModelOptions = {}): Promise<VocabularyProjection> {
		checkOptions('load', options, downloadOptions);
		const folder = await resolveModel(model, options);
		const tokenizer = await tokenizerFile(folder);
		const projection = await callNative({signal: options.signal}, async () => native.openProjection(folder, tokenizer));
		const tokens: string[] = [];
		for (let from = 0; from < projection.size; from += TEXTS_PER_SLICE) {
			await yieldIfOverBudget();
			const texts = callSync(() => projection.texts(from, Math.min(from + TEXTS_PER_SLICE, projection.size))).split('\0');
			texts.forEach((text, i) => tokens.push(text === '' ? `[${from + i}]` : text));
		}
		const identity = await fingerprint([...projection.files, tokenizer]);
		return new VocabularyProjection(projection, identity, tokens, await modelTypeOf(folder));
	}

	/**
	Returns the `k` likeliest tokens of each vector, likeliest first. The logits of all tokens are never in memory at once. Progress
	counts vectors. Fails with `ERR_DIMENSION` if the vectors do not have the dimension `dim` of the head, and with `ERR_ARGUMENT` if a
	component of a vector is not finite.
	*/
	async project(vectors: Vectors, options: ProjectOptions = {}): Promise<WeightedToken[][]> {
		checkOptions('project', options, projectOptions);
		const {k = 20, threads = 0} = options;
		checkCount('k', k, 0);
		checkCount('threads', threads, 0);
		// Limits the number of returned tokens to `VALUES_PER_CALL`.
		const maxRows = Math.floor(VALUES_PER_CALL / Math.max(1, Math.min(k, this.size)));
		return this.#inBatches(vectors, options, maxRows, async (data, first, _, control) => {
			const found = await this.#native.project(data, first, k, threads, control);
			return splitColumns(found, (from, to) => this.#weighted(found, from, to));
		});
	}

	/**
	Returns the ranks, from 1, of given tokens in the projection of each vector. `tokens` has one list of ids per vector, and the
	ranks are in the order of the ids. Progress counts vectors. Fails as `project` does, and with `ERR_ARGUMENT` if an id is not in the
	vocabulary.

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

	/** Like `ranks`, but also returns the probabilities and logits of the tokens. */
	async standings(vectors: Vectors, tokens: readonly ArrayLike<number>[], options: ProjectionOptions = {}): Promise<TokenStandings[]> {
		checkOptions('standings', options, projectionOptions);
		const {threads = 0} = options;
		checkCount('threads', threads, 0);
		checkVectors('vectors', vectors, this.dim);
		checkTokenLists(tokens, vectors.rows);
		return this.#inBatches(vectors, options, VALUES_PER_CALL, async (data, first, rows, control) => {
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
	Returns the logits or probabilities of all tokens for each vector, a matrix of shape `[rows, size]`, which takes 4 · rows · size bytes.
	Progress counts vectors. Fails as `project` does.
	*/
	async logits(vectors: Vectors, options: LogitsOptions = {}): Promise<Vectors> {
		checkOptions('logits', options, logitsOptions);
		const {as = 'logits', threads = 0} = options;
		checkOneOf('as', as, ['logits', 'probabilities']);
		checkCount('threads', threads, 0);
		checkVectors('vectors', vectors, this.dim);
		const {size} = this;
		const all = new Float32Array(vectors.rows * size);
		// Limits the number of logits that one call returns, because they are copied without a pause.
		await this.#inBatches(vectors, options, Math.floor(VALUES_PER_CALL / size), async (data, first, _, control) => {
			all.set(await this.#native.logits(data, first, as === 'probabilities', threads, control), first * size);
			return [];
		});
		return {data: all, rows: vectors.rows, dim: size};
	}

	/**
	Tokenizes a text with the head's tokenizer, without special tokens. It runs synchronously, so use it only for texts as short as
	questions and passages.
	*/
	tokenize(text: string): VocabularyPieces {
		checkString('text', text);
		const ids = [...callSync(() => this.#native.tokenize(text))];
		return {ids, tokens: ids.map(id => this.tokens[id] ?? `[${id}]`)};
	}

	/** @internal Returns the native object. */
	static handle(projection: VocabularyProjection): Binding.NativeProjection {
		checkInstance('projection', projection, VocabularyProjection);
		return projection.#native;
	}

	/** Splits the vectors into batches of at most `maxRows`, calls `work` for one batch after another, and joins the results. */
	async #inBatches<T>(
		vectors: Vectors,
		{signal, onProgress}: CallOptions,
		maxRows: number,
		work: (data: Float32Array, first: number, rows: number, control: Binding.Control) => Promise<T[]>,
	): Promise<T[]> {
		checkVectors('vectors', vectors, this.dim);
		const {data, rows: total, dim} = vectors;
		const step = Math.max(1, Math.min(maxRows, Math.floor(VALUES_PER_CALL / dim)));
		const found: T[] = [];
		// Without vectors, `work` is still called once: it checks its other arguments and the signal.
		for (let first = 0; first < total || first === 0; first += step) {
			const rows = Math.min(step, total - first);
			const progress = onProgress && (({done}: {readonly done: number}) => onProgress({done: first + done, total}));
			const part = data.subarray(first * dim, (first + rows) * dim);
			const results = await callNative({signal, onProgress: progress}, async control => work(part, first, rows, control));
			for (const result of results) {
				found.push(result);
			}
			await yieldToEventLoop();
		}
		return found;
	}

	/** Returns the tokens of one vector, which are the entries `from` to `to` (exclusive) of the columns. */
	#weighted({numbers, probabilities, logits}: TokenColumns, from: number, to: number): WeightedToken[] {
		const tokens: WeightedToken[] = [];
		for (let at = from; at < to; at++) {
			const id = numbers[at]!;
			tokens.push({token: this.tokens[id]!, id, probability: probabilities[at]!, logit: logits[at]!});
		}
		return tokens;
	}
}

/** Returns the `model_type` in the `config.json` of a model's folder; `undefined` if there is none. */
export async function modelTypeOf(folder: string): Promise<string | undefined> {
	const type = (await readModelJson(folder, 'config.json'))?.['model_type'];
	return typeof type === 'string' ? type : undefined;
}
