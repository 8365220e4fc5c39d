/** Stores readings, the outputs of a reader for a question and a passage, in a file, so that no pair is read twice. */
import {checkCount, checkInstance, checkFactoryMade, checkString} from '../core/checks.ts';
import {type Binding, callNative, callSync, native} from '../core/native/native.ts';
import {type OptionNames, checkOptions, optionNames} from '../core/options.ts';
import {ExtractiveReader} from './extractive-reader.ts';

/** Limits on the spans that are stored per passage. */
export interface SpanLimits {
	/** Maximum number of spans kept per passage; PyGaggle (the software of Ma et al., 2021) keeps 5. @default 10 */
	readonly spansPerPassage?: number | undefined;
	/** Maximum number of tokens of an answer. @default 10 */
	readonly maxAnswerTokens?: number | undefined;
}

/** @internal The names of `SpanLimits`, for calls with additional options. */
export const limitNames = {spansPerPassage: true, maxAnswerTokens: true} as const;
const limitOptions: OptionNames = optionNames<SpanLimits>(limitNames);

/** @internal Fills in the defaults and checks the limits. */
export function checkedLimits({spansPerPassage = 10, maxAnswerTokens = 10}: SpanLimits): {
	spansPerPassage: number;
	maxAnswerTokens: number;
} {
	checkCount('spansPerPassage', spansPerPassage, 1);
	checkCount('maxAnswerTokens', maxAnswerTokens, 1);
	return {spansPerPassage, maxAnswerTokens};
}

/**
Stores readings in a file. A reading is the output of a reader for one question and one passage. With the cache, `readRun` never reads a
passage twice for the same question, even for other runs, depths or scorings. A reading takes about 200 bytes. Readings are appended to the
file as they are computed; a reading that a crash truncated is computed again.

@example
```
await using cache = await ReadingCache.open('minilm-reader.readings', reader);
const bm25 = await readRun(reader, questions, bm25Run, store, {depth: 500, cache});
// Passages that BM25 also found are not read again.
const hybrid = await readRun(reader, questions, hybridRun, store, {depth: 500, cache});
```
*/
export class ReadingCache implements AsyncDisposable {
	readonly #native: Binding.NativeReadingCache;
	/** The limits with which the cache was opened. */
	readonly limits: {readonly spansPerPassage: number; readonly maxAnswerTokens: number};

	private constructor(cache: Binding.NativeReadingCache, limits: ReadingCache['limits']) {
		checkFactoryMade('ReadingCache', cache, native.NativeReadingCache, 'ReadingCache.open()');
		this.#native = cache;
		this.limits = limits;
	}

	/**
	Opens the file at `path` for readings of this reader within these limits, or creates the file. Fails with `ERR_READER_MISMATCH` if the
	file belongs to another model or to other settings, and with `ERR_INDEX_LOCKED` if this process or another one has it open.
	*/
	static async open(path: string, reader: ExtractiveReader, limits: SpanLimits = {}): Promise<ReadingCache> {
		checkString('path', path);
		checkOptions('open', limits, limitOptions);
		const checked = checkedLimits(limits);
		const handle = ExtractiveReader.handle(reader);
		return new ReadingCache(await callNative({}, () => native.openReadingCache(path, handle, checked)), checked);
	}

	/** Number of readings in the file. */
	get size(): number {
		return callSync(() => this.#native.size);
	}

	/**
	Number of bytes that were skipped when the file was opened, because they belong to no valid reading: damaged bytes, and the bytes of a
	reading that a crash truncated. 0 for an intact file. All valid readings are kept, and the others are computed again when they are
	needed.
	*/
	get damagedBytes(): number {
		return callSync(() => this.#native.damagedBytes);
	}

	/** Closes the file. Calls in progress finish first. */
	close(): void {
		this.#native.close();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.close();
	}

	/** @internal */
	static handle(cache: ReadingCache): Binding.NativeReadingCache {
		checkInstance('cache', cache, ReadingCache);
		return cache.#native;
	}
}
