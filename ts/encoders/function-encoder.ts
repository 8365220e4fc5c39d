/**
The encoder that `createEncoder` returns. A call of `encode` formats its inputs, merges equal texts, looks the texts up in the cache, and
sends the others in batches. Vectors are written to their rows of the result as they arrive.
*/
import {awaitUnlessAborted} from '../core/callbacks.ts';
import {checkArray, checkCount, checkString} from '../core/checks.ts';
import {yieldIfOverBudget} from '../core/event-loop.ts';
import {checkOptions} from '../core/options.ts';
import type {EncodeOptions, Encoder, EncoderInput, Vectors} from '../core/types.ts';
import {type VectorCache, cacheKey} from './cache/vector-cache.ts';
import {checkedInput, encodeOptions} from './encoder-input.ts';
import type {EmbedFunction} from './requests/embed-function.ts';
import {type CallState, reportedCall} from './requests/reported-call.ts';
import {RequestLimiter, type RequestLimits} from './requests/request-limiter.ts';
import {type RetryPolicy, withRetries} from './requests/retries.ts';
import {type VectorForm, checkReturned, copyVector} from './requests/returned-vectors.ts';

/** The checked options of `createEncoder`, with the defaults filled in. */
export interface FunctionEncoderSettings extends VectorForm {
	readonly identity: string;
	readonly format: (input: EncoderInput) => string;
	readonly batchSize: number;
	readonly maxBatchCharacters: number;
	readonly limits: RequestLimits;
	readonly retries: RetryPolicy;
	readonly cache: VectorCache | undefined;
}

/** A distinct text of a call. */
interface Text {
	readonly text: string;
	/** Position of the first input with this text; the row of its vector. */
	readonly position: number;
	/** Number of inputs with this text. */
	count: number;
	/** Key in the cache; empty without a cache. */
	key: string;
}

/** Number of texts per lookup in the cache. Such a lookup in a `FileVectorCache` blocks the event loop for well under 1 ms. */
const KEYS_PER_LOOKUP = 256;

/** Encodes texts with a function. */
export class FunctionEncoder implements Encoder {
	readonly #embed: EmbedFunction;
	readonly #settings: FunctionEncoderSettings;
	readonly #limiter: RequestLimiter;

	constructor(embed: EmbedFunction, settings: FunctionEncoderSettings) {
		this.#embed = embed;
		this.#settings = settings;
		this.#limiter = new RequestLimiter(settings.limits);
	}

	get dim(): number {
		return this.#settings.dim;
	}

	get identity(): string {
		return this.#settings.identity;
	}

	get normalized(): boolean {
		return this.#settings.normalized;
	}

	async encode(inputs: readonly EncoderInput[], options: EncodeOptions = {}): Promise<Vectors> {
		checkArray('inputs', inputs, 'strings or {text, title?}');
		checkOptions('encode', options, encodeOptions);
		const {batchTokens = 1} = options;
		checkCount('batchTokens', batchTokens, 1);
		// A copy, because the caller may change the array during the call.
		const copy = [...inputs];
		return reportedCall(options, copy.length, async state => this.#encode(copy, state));
	}

	async #encode(inputs: readonly EncoderInput[], state: CallState): Promise<Vectors> {
		const {dim} = this;
		const data = new Float32Array(inputs.length * dim);
		const {texts, firsts} = await this.#distinct(inputs, state.signal);
		await this.#request(batchesOf(await this.#lookUp(texts, data, state), this.#settings), data, state);
		for (const [row, first] of firsts.entries()) {
			if (first !== row) {
				data.copyWithin(row * dim, first * dim, (first + 1) * dim);
				await yieldIfOverBudget();
			}
		}
		return {data, rows: inputs.length, dim};
	}

	/** Returns the distinct texts of the inputs, in order, and for each input the position of the first one with the same text. */
	async #distinct(inputs: readonly EncoderInput[], signal: AbortSignal): Promise<{texts: Text[]; firsts: Uint32Array}> {
		const known = new Map<string, Text>();
		const firsts = new Uint32Array(inputs.length);
		for (const [position, input] of inputs.entries()) {
			checkedInput(input, position);
			const text: unknown = this.#settings.format(input);
			checkString(`format: the text of inputs[${position}]`, text);
			const existing = known.get(text);
			if (existing === undefined) {
				known.set(text, {text, position, count: 1, key: ''});
			} else {
				existing.count++;
			}
			firsts[position] = existing?.position ?? position;
			await yieldIfOverBudget();
			signal.throwIfAborted();
		}
		return {texts: [...known.values()], firsts};
	}

	/** Copies the vectors that the cache has to their rows, and returns the texts that it does not have. */
	async #lookUp(texts: readonly Text[], data: Float32Array, state: CallState): Promise<readonly Text[]> {
		const {cache, identity} = this.#settings;
		if (cache === undefined) {
			return texts;
		}
		const missing: Text[] = [];
		for (let from = 0; from < texts.length; from += KEYS_PER_LOOKUP) {
			const part = texts.slice(from, from + KEYS_PER_LOOKUP);
			for (const each of part) {
				each.key = cacheKey(identity, each.text);
				await yieldIfOverBudget();
			}
			state.signal.throwIfAborted();
			const vectors: unknown = await cache.get(part.map(({key}) => key));
			checkReturned('encode: cache.get', namesOf(part), vectors, part.length);
			for (const [i, each] of part.entries()) {
				if (vectors[i] === undefined) {
					missing.push(each);
				} else {
					copyVector('encode: cache.get', vectors[i], each.position, this.#settings, data);
					state.done += each.count;
				}
				await yieldIfOverBudget();
			}
		}
		return missing;
	}

	/** Sends all batches. If one fails, the others are aborted, and the promise rejects with the first error once they have stopped. */
	async #request(batches: ReadonlyArray<readonly Text[]>, data: Float32Array, state: CallState): Promise<void> {
		const {signal} = state;
		let failure: {readonly error: unknown} | undefined;
		let next = 0;
		const worker = async (): Promise<void> => {
			try {
				while (next < batches.length) {
					const batch = batches[next++]!;
					await this.#limiter.run(signal, async () => this.#requestBatch(batch, data, signal));
					state.done += batch.reduce((sum, {count}) => sum + count, 0);
				}
			} catch (error) {
				failure ??= {error};
				state.stop(error);
			}
		};
		await Promise.all(Array.from({length: Math.min(this.#settings.limits.concurrency, batches.length)}, worker));
		if (failure !== undefined) {
			throw (failure as {readonly error: unknown}).error;
		}
	}

	async #requestBatch(batch: readonly Text[], data: Float32Array, signal: AbortSignal): Promise<void> {
		const {retries, cache, dim} = this.#settings;
		const names = namesOf(batch);
		const vectors = await withRetries(names, retries, this.#limiter, signal, async () => {
			await this.#limiter.awaitStart(batch.length, signal);
			return this.#call(batch, signal);
		});
		checkReturned('encode: embed', names, vectors, batch.length);
		for (const [i, {position}] of batch.entries()) {
			copyVector('encode: embed', vectors[i], position, this.#settings, data);
			await yieldIfOverBudget();
		}
		await cache?.set(batch.map(({key, position}) => [key, data.slice(position * dim, (position + 1) * dim)]));
	}

	/** Calls `embed` once. Rejects when the signal aborts, even if `embed` ignores it. */
	async #call(batch: readonly Text[], signal: AbortSignal): Promise<unknown> {
		let returned: {readonly vectors: unknown} | undefined;
		const call = async (): Promise<void> => {
			returned = {
				vectors: await this.#embed(
					batch.map(({text}) => text),
					{signal},
				),
			};
		};
		await awaitUnlessAborted(call(), signal);
		if (returned === undefined) {
			signal.throwIfAborted();
		}
		return returned?.vectors;
	}
}

/** Divides texts into batches, in order. */
function batchesOf(texts: readonly Text[], {batchSize, maxBatchCharacters}: FunctionEncoderSettings): Text[][] {
	const batches: Text[][] = [];
	let characters = 0;
	for (const text of texts) {
		const last = batches.at(-1);
		characters += text.text.length;
		if (last === undefined || last.length === batchSize || characters > maxBatchCharacters) {
			batches.push([text]);
			characters = text.text.length;
		} else {
			last.push(text);
		}
	}
	return batches;
}

/** Describes the texts of a batch in messages. */
function namesOf(batch: readonly Text[]): string {
	const first = `inputs[${batch[0]!.position}]`;
	return batch.length === 1 ? first : `the ${batch.length} texts from ${first} to inputs[${batch.at(-1)!.position}]`;
}
