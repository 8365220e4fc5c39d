/** `OnnxEncoder` encodes texts as vectors with an ONNX model. */
import {CallsInProgress} from '../core/calls-in-progress.ts';
import {checkArray, checkBoolean, checkCount, checkInstance, checkFactoryMade, checkOneOf, checkString, shown} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {downloadNames} from '../models/hub.ts';
import {type ModelOptions, resolveModel} from '../models/index.ts';
import {modelOptions} from '../models/resolve.ts';
import {type Binding, callNative, native} from '../core/native/native.ts';
import {yieldToEventLoop} from '../core/event-loop.ts';
import {type ModelConfig, fingerprint, modelFiles, readModelJson} from '../onnx/model-files.ts';
import {type RuntimeChoice, runtimeChoices} from '../onnx/runtime-choice.ts';
import {type OptionNames, checkOptions, optionNames} from '../core/options.ts';
import type {EncodeOptions, Encoder, EncoderInput, Vectors} from '../core/types.ts';
import {checkedInput, encodeOptions} from './encoder-input.ts';

/**
How a model is found and used. The default "as configured" is the value in the object `passagekit` of the model folder's `config.json`. For
the pooling, it is otherwise the one in the configuration of Sentence Transformers, `1_Pooling/config.json`.
*/
export interface OnnxEncoderOptions extends ModelOptions {
	/**
	How the vectors of tokens become one vector: `cls` takes the vector of the first token, `mean` the mean of all token vectors, and
	`output:NAME` the model's output NAME, which is already pooled. @default as configured, else 'cls'
	*/
	readonly pooling?: 'cls' | 'mean' | `output:${string}` | undefined;
	/** Maximum number of tokens per input, special tokens included. Longer texts are truncated at the end. @default as configured, else 256 */
	readonly maxTokens?: number | undefined;
	/** Whether to scale every vector to unit length. @default as configured, else false */
	readonly normalize?: boolean | undefined;
	/**
	The form of a passage with a title: `pair` is `[CLS] title [SEP] text [SEP]`, `joined` is `[CLS] title text [SEP]`.
	@default as configured, else 'pair' for the pooling 'cls', as in DPR, and 'joined' for others, as in Sentence Transformers
	*/
	readonly passageForm?: 'pair' | 'joined' | undefined;
	/**
	The token types (segment ids) of a passage with a title in the form `pair`: `segments` is 0 for the title and 1 for the text; `zeros` is 0
	for both, as in the training and use of DPR's own encoders (Karpukhin et al., 2020).
	@default as configured, else 'zeros' for a model with `"model_type": "dpr"` in `config.json`, 'segments' for others
	*/
	readonly tokenTypes?: 'segments' | 'zeros' | undefined;
	/** What runs the model. @default 'auto' */
	readonly runtime?: RuntimeChoice | undefined;
	/** Number of threads that compute one batch. @default one per core */
	readonly threads?: number | undefined;
}

/** @internal */
export const encoderOptions: OptionNames = optionNames<OnnxEncoderOptions>({
	...downloadNames,
	pooling: true,
	maxTokens: true,
	normalize: true,
	passageForm: true,
	tokenTypes: true,
	runtime: true,
	threads: true,
});

/** Returns the identity of the passage encoder that a model was trained for, if it is a model of questions for an existing index. */
async function trainedFor(folder: string, {pooling, normalize, maxTokens}: Binding.NativeEncoderOptions): Promise<string | undefined> {
	const {passagekit: own = {}}: ModelConfig = (await readModelJson(folder, 'config.json')) ?? {};
	const identity = own['passage_encoder'];
	// With other settings, the vectors would not be those that were trained.
	const isAsTrained = own['pooling'] === pooling && own['normalize'] === normalize && own['max_tokens'] === maxTokens;
	return typeof identity === 'string' && isAsTrained ? identity : undefined;
}

/** Number of inputs passed to native code in one call. Copying them blocks the event loop for less than a millisecond. */
const INPUTS_PER_CALL = 256;

/**
Encodes texts as vectors with an ONNX model, on threads of the addon. Encoders with the same model file, runtime and number of threads share
one open model.

passagekit itself runs models with the architecture of BERT. Then the vector of a text has the same bits on every CPU, whatever the number
of threads and the other texts of the call. For other models, the optional peer dependency `onnxruntime-node` is required.

@example
```
const encoder = await OnnxEncoder.load('minilm-encoder');
const {data, rows, dim} = await encoder.encode(['a question', {title: 'A title', text: 'A passage.'}]);
```
*/
export class OnnxEncoder implements Encoder, AsyncDisposable {
	/** Identifies the model file, the tokenizer and the settings of this encoder, except its runtime: the vectors of both runtimes are nearly equal. */
	readonly identity: string;
	/** Whether the vectors are scaled to unit length. */
	readonly normalized: boolean;
	/** If `trainQuestionEncoder` has trained this encoder: the `identity` of the encoder that made the vectors of the passages. */
	readonly passageEncoder: string | undefined;
	readonly #native: Binding.NativeEncoder;
	readonly #calls = new CallsInProgress('encoder');

	private constructor(encoder: Binding.NativeEncoder, identity: string, normalized: boolean, passageEncoder: string | undefined) {
		checkFactoryMade('OnnxEncoder', encoder, native.NativeEncoder, 'OnnxEncoder.load()');
		this.#native = encoder;
		this.identity = identity;
		this.normalized = normalized;
		this.passageEncoder = passageEncoder;
	}

	/**
	Loads a model: a folder with `model.onnx` and `tokenizer.json`, one of passagekit's own models, or a model on the Hugging Face hub
	(`owner/name`), which is downloaded. Fails with `ERR_MODEL_MISSING` if there is no such model, with `ERR_MODEL` if it cannot be used as an
	encoder, with `ERR_DOWNLOAD` if a download fails, and with `ERR_PEER_MISSING` if it needs `onnxruntime-node` and that is not
	installed.
	*/
	static async load(model: string, options: OnnxEncoderOptions = {}): Promise<OnnxEncoder> {
		checkString('model', model);
		checkOptions('load', options, encoderOptions);
		const {runtime = 'auto', threads = 0} = options;
		checkOneOf('runtime', runtime, runtimeChoices);
		checkCount('threads', threads, 0);
		const folder = await resolveModel(model, modelOptions(options));
		const files = await modelFiles(folder, runtime, threads);
		const config = await configured(folder, options);
		const encoder = await callNative({signal: options.signal}, () => native.openEncoder(files, config));
		// The settings are part of the identity: with other settings, the same weights produce other vectors.
		const identity = `${await fingerprint([files.model, files.tokenizer])}:${config.pooling}:${config.normalize ? 'unit' : 'raw'}:${config.maxTokens}:${config.passageForm}${config.passageForm === 'pair' && config.tokenTypes === 'zeros' ? ':zeros' : ''}`;
		return new OnnxEncoder(encoder, identity, config.normalize, await trainedFor(folder, config));
	}

	/** What runs the model. */
	get runtime(): 'passagekit' | 'onnxruntime' {
		return this.#native.runtime as 'passagekit' | 'onnxruntime';
	}

	/** Length of the vectors. */
	get dim(): number {
		return this.#native.dim;
	}

	/**
	Encodes texts, or passages with their titles, and returns vectors of shape `[inputs.length, dim]`. Fails with `ERR_MODEL` if the model
	returns a vector that is not finite; the message has the position of the input. Progress counts inputs.
	*/
	async encode(inputs: readonly EncoderInput[], options: EncodeOptions = {}): Promise<Vectors> {
		checkArray('inputs', inputs, 'strings or {text, title?}');
		checkOptions('encode', options, encodeOptions);
		const {batchTokens = 2048, signal, onProgress} = options;
		checkCount('batchTokens', batchTokens, 1);
		return this.#calls.run(async () => this.#encode(inputs, batchTokens, signal, onProgress));
	}

	async #encode(
		inputs: readonly EncoderInput[],
		batchTokens: number,
		signal: AbortSignal | undefined,
		onProgress: EncodeOptions['onProgress'],
	): Promise<Vectors> {
		const {dim} = this;
		const rows = inputs.length;
		const data = new Float32Array(rows * dim);
		for (let from = 0; from < rows; from += INPUTS_PER_CALL) {
			const chunk = inputs.slice(from, from + INPUTS_PER_CALL);
			const texts: string[] = [];
			const titles: string[] = [];
			for (const [i, input] of chunk.entries()) {
				const {text, title} = checkedInput(input, from + i);
				texts.push(text);
				titles.push(title);
			}
			const vectors = await callNative(
				{
					signal,
					onProgress: onProgress && (({done}) => onProgress({done: from + done, total: rows})),
				},
				control => this.#native.encode(texts, titles, batchTokens, from, control),
			);
			data.set(vectors, from * dim);
			await yieldToEventLoop();
		}
		return {data, rows, dim};
	}

	/**
	Refuses later calls with `ERR_CLOSED`, and releases the model when the calls in progress have finished. `await using` waits for these calls;
	this method does not. The model is closed when the last encoder or reader that uses it is closed.
	*/
	close(): void {
		this.#calls.closeThen(() => this.#native.close());
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.close();
		await this.#calls.close();
	}

	/** @internal */
	static handle(encoder: OnnxEncoder): Binding.NativeEncoder {
		checkInstance('encoder', encoder, OnnxEncoder);
		return encoder.#native;
	}
}

/**
Returns the settings: the given options, or else the configuration in the model folder, or else the defaults.
@internal
*/
export async function configured(folder: string, options: OnnxEncoderOptions): Promise<Binding.NativeEncoderOptions> {
	const config: ModelConfig = (await readModelJson(folder, 'config.json')) ?? {};
	const own = config.passagekit ?? {};
	const pooler = await readModelJson(folder, '1_Pooling/config.json');
	const pooling = options.pooling ?? own['pooling'] ?? (pooler?.['pooling_mode_mean_tokens'] ? 'mean' : 'cls');
	const passageForm = options.passageForm ?? own['passage_form'] ?? (pooling === 'cls' ? 'pair' : 'joined');
	const normalize = options.normalize ?? own['normalize'] ?? false;
	const tokenTypes = options.tokenTypes ?? own['token_types'] ?? (config['model_type'] === 'dpr' ? 'zeros' : 'segments');
	const maxTokens = options.maxTokens ?? own['max_tokens'] ?? 256;
	if (typeof pooling !== 'string' || !/^(cls|mean|output:.+)$/u.test(pooling)) {
		throw new RetrievalError('ERR_ARGUMENT', `pooling: expected cls, mean or output:NAME, got ${shown(pooling)}`);
	}
	if (options.normalize !== undefined) {
		checkBoolean('normalize', options.normalize);
	}
	checkOneOf('passageForm', passageForm, ['pair', 'joined']);
	checkOneOf('tokenTypes', tokenTypes, ['segments', 'zeros']);
	checkCount('maxTokens', maxTokens, 8, 1_000_000);
	return {pooling, passageForm, tokenTypes, normalize: Boolean(normalize), maxTokens};
}
