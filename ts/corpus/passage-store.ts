/** A file that stores the passages of a corpus by id. */
import {checkCount, checkIds, checkInstance, checkIterable, checkFactoryMade, checkPassage, checkString} from '../core/checks.ts';
import {type Binding, callNative, callSync, native} from '../core/native/native.ts';
import {type OpenOptions, checkedOpenOptions, openOptionNames} from '../core/open-options.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import {
	type FileOptions,
	type ReadLimits,
	checkPassageBytes,
	checkedFileOptions,
	checkedReadLimits,
	fileNames,
} from '../core/passage-source.ts';
import {awaitUnlessAborted} from '../core/callbacks.ts';
import {type TextSource, textsOf} from '../core/passage-texts.ts';
import type {CallOptions, Passage} from '../core/types.ts';

/** The options of `PassageStore.ingest`. */
export interface IngestOptions extends CallOptions, FileOptions {}

/** The options of `PassageStore.write`. */
export interface WriteOptions extends CallOptions, Pick<ReadLimits, 'maxPassageBytes'> {}

/** The result of writing a passage store. */
export interface IngestResult {
	/** Number of passages in the store. */
	readonly passages: number;
	/** Number of invalid lines that were skipped. */
	readonly skipped: number;
}

const openOptions: OptionNames = optionNames<OpenOptions>(openOptionNames);
const ingestOptions: OptionNames = optionNames<IngestOptions>({...callNames, ...fileNames});
const writeOptions: OptionNames = optionNames<WriteOptions>({...callNames, maxPassageBytes: true});

/** Number of passages that are passed to the addon in one call. */
const BATCH_SIZE = 256;

/**
Stores the passages of a corpus by id, in one file, which is memory-mapped by default. A store is written once and then only read.

@example
```
await PassageStore.ingest('./psgs_w100.tsv.gz', './passages.pkstore');
await using store = await PassageStore.open('./passages.pkstore');
const [passage] = await store.get(['1']);
```
*/
export class PassageStore implements AsyncDisposable, TextSource {
	readonly #native: Binding.NativePassageStore;

	private constructor(store: Binding.NativePassageStore) {
		checkFactoryMade('PassageStore', store, native.NativePassageStore, 'PassageStore.open()');
		this.#native = store;
	}

	/**
	Opens a store file, memory-mapped unless `inMemory` is set. Fails with `ERR_IO` if the path is not a regular file, with
	`ERR_INDEX_CORRUPT` if the file is damaged, and with `ERR_INDEX_VERSION` if this version of passagekit cannot read its format.
	*/
	static async open(path: string, options: OpenOptions = {}): Promise<PassageStore> {
		checkString('path', path);
		checkOptions('open', options, openOptions);
		const opening = checkedOpenOptions(options);
		return new PassageStore(await callNative({}, () => native.openPassageStore(path, opening)));
	}

	/**
	Reads the passages of a file or folder and writes the store file `output`. Passages do not pass through JavaScript. Fails with
	`ERR_FORMAT` at an invalid line, unless `skipBadLines` is set. Progress counts bytes read.
	*/
	static async ingest(source: string, output: string, options: IngestOptions = {}): Promise<IngestResult> {
		checkString('source', source);
		checkString('output', output);
		checkOptions('ingest', options, ingestOptions);
		const file = checkedFileOptions(options);
		return callNative(options, control => native.ingest(source, file, output, control));
	}

	/** Writes passages from JavaScript to the store file `output`. Fields of passages are not stored. Progress counts passages. */
	static async write(
		passages: Iterable<Passage> | AsyncIterable<Passage>,
		output: string,
		options: WriteOptions = {},
	): Promise<IngestResult> {
		checkIterable('write: passages', passages, 'passages');
		checkString('output', output);
		checkOptions('write', options, writeOptions);
		const {signal, onProgress, maxPassageBytes} = options;
		const limits = checkedReadLimits({maxPassageBytes});
		const writer = await callNative({signal}, () => native.createPassageStore(output));
		let batch: Passage[] = [];
		let done = 0;
		const flush = async (): Promise<void> => {
			const columns = [
				batch.map(passage => passage.id),
				batch.map(passage => passage.title ?? ''),
				batch.map(passage => passage.text),
			] as const;
			await callNative({signal}, () => writer.push(...(columns as [string[], string[], string[]])));
			done += batch.length;
			batch = [];
			await awaitUnlessAborted(onProgress?.({done, total: 0}), signal);
		};
		try {
			for await (const passage of passages) {
				checkPassage(`passage ${done + batch.length}`, passage);
				checkPassageBytes(`passage ${done + batch.length}`, passage, limits.maxPassageBytes);
				batch.push(passage);
				if (batch.length === BATCH_SIZE) {
					await flush();
				}
			}
			await flush();
			await callNative({signal}, () => writer.finish());
		} finally {
			writer.close();
		}
		return {passages: done, skipped: 0};
	}

	/** Number of passages in the store. */
	get size(): number {
		return this.#native.size;
	}

	/** Size of the file in bytes. */
	get bytes(): number {
		return this.#native.bytes;
	}

	/** Returns the passages with these ids, in the order of `ids`. Fails with `ERR_ARGUMENT` if an id is unknown. */
	async get(ids: readonly string[]): Promise<Passage[]> {
		checkIds('get: ids', ids);
		const passages: Passage[] = [];
		for (let from = 0; from < ids.length; from += BATCH_SIZE) {
			passages.push(...(await callNative({}, () => this.#native.get(ids.slice(from, from + BATCH_SIZE)))));
		}
		return passages;
	}

	/** Returns up to `count` passages, starting at position `start` (from 0), in the order in which they were written. */
	async slice(start: number, count: number): Promise<Passage[]> {
		checkCount('start', start, 0);
		checkCount('count', count, 0);
		return callNative({}, () => this.#native.slice(start, count));
	}

	/** Iterates over all passages, in the order in which they were written. */
	async *[Symbol.asyncIterator](): AsyncGenerator<Passage, void, undefined> {
		for (let start = 0; start < this.size; start += BATCH_SIZE) {
			yield* await this.slice(start, BATCH_SIZE);
		}
	}

	/** Closes the file. */
	close(): void {
		this.#native.close();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.close();
	}

	/** Returns a handle through which other functions of this package read the texts in native memory. */
	[textsOf](): object {
		return callSync(() => this.#native.texts());
	}

	/** @internal */
	static handle(store: PassageStore): Binding.NativePassageStore {
		checkInstance('passages', store, PassageStore);
		return store.#native;
	}
}
