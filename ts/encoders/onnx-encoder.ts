/** The encoder that runs ONNX models. */
import {
	checkArray,
	checkBoolean,
	checkCount,
	checkInstance,
	checkFactoryMade,
	checkObject,
	checkOneOf,
	checkString,
	shown,
} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {downloadNames} from '../models/hub.ts';
import {type ModelOptions, resolveModel} from '../models/index.ts';
import {modelOptions} from '../models/resolve.ts';
import {type Binding, callNative, native} from '../core/native/native.ts';
import {yieldToEventLoop} from '../core/event-loop.ts';
import {type ModelConfig, fingerprint, modelFiles, readModelJson} from '../onnx/model-files.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import type {EncodeOptions, Encoder, EncoderInput, Vectors} from '../core/types.ts';

export interface OnnxEncoderOptions extends ModelOptions {
	/**
	Pooling of token vectors: the first token's vector, the mean, or `output:NAME` for a model that has a pooled output.
	@default as configured by the model, else 'cls'
	*/
	readonly pooling?: 'cls' | 'mean' | `output:${string}` | undefined;
	/** Maximum number of tokens per input, special tokens included. Longer texts are truncated at the end. @default as configured, else 256 */
	readonly maxTokens?: number | undefined;
	/** Scale every vector to unit length. @default as configured, else false */
	readonly normalize?: boolean | undefined;
	/** `[CLS] title [SEP] text [SEP]` or `[CLS] title text [SEP]`. @default as configured, else 'pair' for 'cls' pooling as in DPR, 'joined' otherwise as in Sentence Transformers */
	readonly passageForm?: 'pair' | 'joined' | undefined;
	/**
	Token types (segment ids) of a passage with a title in the form 'pair': 0 for the title and 1 for the text, or zeros for both, as
	DPR's own encoders were trained and run (Karpukhin et al., 2020).
	@default as configured, else 'zeros' for a model whose `config.json` says `"model_type": "dpr"`, 'segments' for others
	*/
	readonly tokenTypes?: 'segments' | 'zeros' | undefined;
	/** Number of threads per run of the model. @default all cores */
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
	threads: true,
});
const encodeOptions: OptionNames = optionNames<EncodeOptions>({...callNames, batchTokens: true});

/** Number of inputs passed to native code in one call. Copying them takes less than a millisecond. */
const INPUTS_PER_CALL = 256;

/**
An encoder that runs an ONNX model on its own threads. Encoders of the same model file share a session. Requires the optional peer
dependency `onnxruntime-node`.

@example
```
const encoder = await OnnxEncoder.load('minilm-encoder');
const {data, rows, dim} = await encoder.encode(['a question', {title: 'A title', text: 'A passage.'}]);
```
*/
export class OnnxEncoder implements Encoder, AsyncDisposable {
	readonly identity: string;
	/** Whether its vectors have unit length. */
	readonly normalized: boolean;
	readonly #native: Binding.NativeEncoder;

	private constructor(encoder: Binding.NativeEncoder, identity: string, normalized: boolean) {
		checkFactoryMade('OnnxEncoder', encoder, native.NativeEncoder, 'OnnxEncoder.load()');
		this.#native = encoder;
		this.identity = identity;
		this.normalized = normalized;
	}

	/** Loads a model: a folder with `model.onnx` and `tokenizer.json`, one of passagekit's own models, or a model of the Hugging Face hub. */
	static async load(model: string, options: OnnxEncoderOptions = {}): Promise<OnnxEncoder> {
		checkString('model', model);
		checkOptions('load', options, encoderOptions);
		const {threads = 0} = options;
		checkCount('threads', threads, 0);
		const folder = await resolveModel(model, modelOptions(options));
		const files = await modelFiles(folder, threads);
		const config = await configured(folder, options);
		const encoder = await callNative({signal: options.signal}, () => native.openEncoder(files, config));
		// The same weights with other settings produce other vectors.
		const identity = `${await fingerprint([files.model, files.tokenizer])}:${config.pooling}:${config.normalize ? 'unit' : 'raw'}:${config.maxTokens}:${config.passageForm}${config.passageForm === 'pair' && config.tokenTypes === 'zeros' ? ':zeros' : ''}`;
		return new OnnxEncoder(encoder, identity, config.normalize);
	}

	get dim(): number {
		return this.#native.dim;
	}

	/** Encodes texts. Fails with `ERR_MODEL`, and names the position of the input, if the model returns a vector that is not finite. */
	async encode(inputs: readonly EncoderInput[], options: EncodeOptions = {}): Promise<Vectors> {
		checkArray('inputs', inputs, 'strings or {text, title?}');
		checkOptions('encode', options, encodeOptions);
		const {batchTokens = 2048, signal, onProgress} = options;
		checkCount('batchTokens', batchTokens, 1);
		const {dim} = this;
		const rows = inputs.length;
		const data = new Float32Array(rows * dim);
		for (let from = 0; from < rows; from += INPUTS_PER_CALL) {
			const chunk = inputs.slice(from, from + INPUTS_PER_CALL);
			const texts: string[] = [];
			const titles: string[] = [];
			for (const [i, input] of chunk.entries()) {
				if (typeof input !== 'string') {
					checkObject(`inputs[${from + i}]`, input, 'a string or {text, title?}');
				}
				const {text, title = ''} = typeof input === 'string' ? {text: input} : input;
				checkString(`inputs[${from + i}]: text`, text);
				checkString(`inputs[${from + i}]: title`, title);
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

	/** Releases the session, which closes when the last encoder or reader that uses it is closed. */
	close(): void {
		this.#native.close();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.close();
	}

	/** @internal */
	static handle(encoder: OnnxEncoder): Binding.NativeEncoder {
		checkInstance('encoder', encoder, OnnxEncoder);
		return encoder.#native;
	}
}

/** Returns the settings: the given options, else the model's configuration (passagekit's, then Sentence Transformers'), else DPR's. */
async function configured(folder: string, options: OnnxEncoderOptions): Promise<Binding.NativeEncoderOptions> {
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
