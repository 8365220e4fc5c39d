/** `createEncoder` makes an encoder from a function that embeds texts, such as a request to an HTTP API. */
import {checkBoolean, checkCount, checkFunction, checkString, hasMethods, kindOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type OptionNames, checkRequiredOptions, optionNames} from '../core/options.ts';
import type {Encoder, EncoderInput} from '../core/types.ts';
import {FileVectorCache} from './cache/file-vector-cache.ts';
import {MemoryVectorCache, type VectorCache} from './cache/vector-cache.ts';
import {FunctionEncoder} from './function-encoder.ts';
import {isTemporary} from './requests/retries.ts';
import type {EmbedFunction} from './requests/embed-function.ts';

/** The encoder that `createEncoder` returns. */
export interface CreatedEncoder extends Encoder {
	/** The option `identity`. */
	readonly identity: string;
	/** The option `normalized`. */
	readonly normalized: boolean;
}

/** The options of `createEncoder`. The limits apply to all calls of the encoder together. */
export interface CreateEncoderOptions {
	/** Number of dimensions of the vectors. */
	readonly dim: number;
	/**
	Identifies the model and all settings that change its vectors, for example `'text-embedding-3-small:512'`. It is part of the keys of
	the cache. An index that has this identity in its metadata rejects searches with any other encoder.
	*/
	readonly identity: string;
	/**
	Whether the vectors have unit length. If true, `encode` fails with `ERR_ENCODER` for a vector whose Euclidean norm differs from 1 by more
	than 0.01. @default false
	*/
	readonly normalized?: boolean | undefined;
	/** Returns the text to embed for an input. @default the text; for a passage with a title, the title, a space and the text */
	readonly format?: ((input: EncoderInput) => string) | undefined;
	/** Maximum number of texts per request; never more than `textsPerMinute`. @default 64 */
	readonly batchSize?: number | undefined;
	/** Maximum number of characters, in UTF-16 code units, of the texts of a request. A longer text is sent alone. @default no limit */
	readonly maxBatchCharacters?: number | undefined;
	/** Maximum number of requests at the same time. @default 4 */
	readonly concurrency?: number | undefined;
	/** Maximum number of times that a failed request is sent again. @default 5 */
	readonly retries?: number | undefined;
	/**
	Pause before the first retry, in milliseconds. The pause doubles with each retry, up to `maxDelayMs`. Each of these pauses is shortened at
	random, by up to half. @default 500
	*/
	readonly minDelayMs?: number | undefined;
	/**
	Maximum pause before a retry, in milliseconds. A server that asks for a longer pause gets it, up to ten minutes or `maxDelayMs`,
	whichever is longer; if it asks for more than that, the call fails. @default 30000
	*/
	readonly maxDelayMs?: number | undefined;
	/**
	Whether a request is sent again after this error.
	@default false for a 4xx `status` other than 408 and 429, and for errors of JavaScript itself, such as `ReferenceError`; true for every
	other status, and for other errors without a status, such as broken connections
	*/
	readonly retryIf?: ((error: unknown) => boolean) | undefined;
	/** Maximum number of requests per minute, retries included. They are spaced evenly. @default no limit */
	readonly requestsPerMinute?: number | undefined;
	/**
	Maximum number of texts per minute, retries included. The time between two requests is proportional to the number of texts in the first
	one. @default no limit
	*/
	readonly textsPerMinute?: number | undefined;
	/** Where vectors are stored, so that no text is encoded twice. `true` means in memory, without a size limit. @default false */
	readonly cache?: boolean | VectorCache | undefined;
}

const createOptions: OptionNames = optionNames<CreateEncoderOptions>({
	dim: true,
	identity: true,
	normalized: true,
	format: true,
	batchSize: true,
	maxBatchCharacters: true,
	concurrency: true,
	retries: true,
	minDelayMs: true,
	maxDelayMs: true,
	retryIf: true,
	requestsPerMinute: true,
	textsPerMinute: true,
	cache: true,
});

/** The longest time that Node's timers can wait, in milliseconds. */
const MAX_TIMER_MS = 0x7f_ff_ff_ff;

/**
Makes an encoder from a function that embeds texts, such as a request to an HTTP API. The encoder sends batches of texts, several at a time,
retries requests that fail, respects rate limits, and encodes each distinct text of a call only once.

`embed` gets a list of texts and returns one vector per text, in the same order, as an array of numbers or a `Float32Array`. If a request
fails, `embed` must throw. The error should have the `status` of the response and, if the server asks for a pause, the `headers` of the
response, `retryAfter` (in seconds) or `retryAfterMs`. The errors of most HTTP clients have these properties. `embed` should pass its
`signal` on to the request; the signal aborts when the signal of `encode` does, or when another request of the same call has failed.

`encode` fails with `ERR_ENCODER` if `embed` fails (the error is the `cause`), if the number of vectors differs from the number of texts, or
if a vector has a number that is not finite; and with `ERR_DIMENSION` if a vector does not have `dim` numbers. If there is a cache, it has
the vectors of all requests that ended before a failure or an abort. The option `batchTokens` of `encode` has no effect.

@example
```
const embed: EmbedFunction = async (texts, {signal}) => {
	const body = JSON.stringify({model: 'nomic-embed-text', input: texts});
	const response = await fetch('http://localhost:11434/api/embed', {method: 'POST', body, signal});
	if (!response.ok) {
		throw Object.assign(new Error(await response.text()), {status: response.status, headers: response.headers});
	}
	const {embeddings} = (await response.json()) as {embeddings: number[][]};
	return embeddings;
};
const encoder = createEncoder(embed, {dim: 768, identity: 'nomic-embed-text', normalized: true, cache: true});
const {data} = await encoder.encode(['a question', {title: 'A title', text: 'A passage.'}]);
```
*/
export function createEncoder(embed: EmbedFunction, options: CreateEncoderOptions): CreatedEncoder {
	checkFunction('createEncoder: embed', embed);
	checkRequiredOptions('createEncoder', options, createOptions);
	const {dim, identity, normalized = false, format = joined, retryIf = isTemporary} = options;
	const {requestsPerMinute, textsPerMinute, maxBatchCharacters, concurrency = 4} = options;
	const {batchSize = 64, retries = 5, minDelayMs = 500, maxDelayMs = 30_000, cache = false} = options;
	checkCount('dim', dim, 1, 1_000_000);
	checkString('identity', identity);
	if (identity === '') {
		throw new RetrievalError('ERR_ARGUMENT', 'identity: expected the name of a model and its settings, got an empty string');
	}
	checkBoolean('normalized', normalized);
	checkFunction('format', format);
	for (const [name, value] of Object.entries({maxBatchCharacters, requestsPerMinute, textsPerMinute})) {
		if (value !== undefined) {
			checkCount(name, value, 1);
		}
	}
	checkCount('batchSize', batchSize, 1);
	checkCount('concurrency', concurrency, 1);
	checkCount('retries', retries, 0);
	checkCount('minDelayMs', minDelayMs, 0, MAX_TIMER_MS);
	checkCount('maxDelayMs', maxDelayMs, 0, MAX_TIMER_MS);
	checkFunction('retryIf', retryIf);
	return new FunctionEncoder(embed, {
		dim,
		identity,
		normalized,
		format,
		batchSize: Math.min(batchSize, textsPerMinute ?? batchSize),
		maxBatchCharacters: maxBatchCharacters ?? Number.POSITIVE_INFINITY,
		limits: {
			concurrency,
			requestsPerMinute: requestsPerMinute ?? Number.POSITIVE_INFINITY,
			textsPerMinute: textsPerMinute ?? Number.POSITIVE_INFINITY,
		},
		retries: {retries, minDelayMs, maxDelayMs, retryIf},
		cache: checkedCache(cache, dim),
	});
}

/** The default of `format`. The text is the same as with the `passageForm` `joined` of an `OnnxEncoder`. */
function joined(input: EncoderInput): string {
	return typeof input === 'string' ? input : input.title ? `${input.title} ${input.text}` : input.text;
}

function checkedCache(cache: boolean | VectorCache, dim: number): VectorCache | undefined {
	if (typeof cache === 'boolean') {
		return cache ? new MemoryVectorCache() : undefined;
	}
	if (!hasMethods(cache, 'get', 'set') || cache instanceof Map) {
		throw new RetrievalError('ERR_ARGUMENT', `cache: expected a boolean or an object with asynchronous get and set, got ${kindOf(cache)}`);
	}
	if (cache instanceof FileVectorCache && cache.dim !== dim) {
		throw new RetrievalError('ERR_DIMENSION', `cache: expected vectors of dimension ${dim}, got a cache for dimension ${cache.dim}`);
	}
	return cache;
}
