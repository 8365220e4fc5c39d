import {
	checkBoolean,
	checkCount,
	checkFunction,
	checkIds,
	checkFactoryMade,
	checkPassage,
	checkString,
	isWellFormed,
} from '../core/checks.ts';
import {type Binding, callNative, native} from '../core/native/native.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import {
	type FileOptions,
	type PassageSource,
	checkPassageBytes,
	checkedFileOptions,
	fileNames,
	isTextSource,
} from '../core/passage-source.ts';
import {awaitUnlessAborted} from '../core/callbacks.ts';
import {textsOf} from '../core/passage-texts.ts';
import type {CallOptions, Passage} from '../core/types.ts';
import type {Analyzer} from './analyzer.ts';
import {fieldsJson} from './fields.ts';
import {nativeAnalyzer} from './native-analyzer.ts';

export interface Bm25WriterOptions {
	/**
	Size in bytes of the buffers for passages that are not written yet, for all threads together: 15 MB to 4 GB per thread. When they are
	full, a segment is written; rankings do not depend on the number of segments. Additional memory: up to 35 bytes per id until the next
	commit, and about 30 bytes per passage during a merge. @default 256e6
	*/
	readonly memoryBytes?: number | undefined;
	/** Number of threads that analyze passages, 1 to 8, in addition to the one that reads them. @default 1 */
	readonly threads?: number | undefined;
	/** Merges segments in the background while passages are added. Useless if `merge()` follows. @default true */
	readonly mergeInBackground?: boolean | undefined;
}

export interface Bm25CreateOptions extends Bm25WriterOptions {
	/** How texts are turned into terms. @default 'english' */
	readonly analyzer?: Analyzer | undefined;
	/** Replaces an existing index at the first commit. @default false */
	readonly overwrite?: boolean | undefined;
}

export interface Bm25WriterOpenOptions extends Bm25WriterOptions {
	/** Rejects an index that was built with another analyzer. @default any analyzer is accepted */
	readonly analyzer?: Analyzer | undefined;
}

/** The file options apply only if the source is a path; `maxPassageBytes` also applies to passages from JavaScript. */
export interface AddOptions extends CallOptions, FileOptions {
	/** Called at the end with the number of invalid lines that were skipped. If it throws, the call rejects with its error. */
	readonly onSkipped?: ((lines: number) => void) | undefined;
}

const writerNames = {memoryBytes: true, threads: true, mergeInBackground: true, analyzer: true} as const;
const createOptions: OptionNames = optionNames<Bm25CreateOptions>({...writerNames, overwrite: true});
const openOptions: OptionNames = optionNames<Bm25WriterOpenOptions>(writerNames);
const addOptions: OptionNames = optionNames<AddOptions>({...callNames, ...fileNames, onSkipped: true});

/** Passages by columns, as they are passed to the addon. Fields are JSON; trailing passages without fields have no entry in `fields`. */
interface Batch {
	readonly ids: string[];
	readonly titles: string[];
	readonly texts: string[];
	readonly fields: string[];
}

/** Maximum number of passages in a batch. */
const MAX_BATCH_PASSAGES = 256;

/** Number of UTF-16 code units that closes a batch: they are copied in well under a millisecond. */
const MAX_BATCH_UNITS = 1 << 18;

/**
Changes a BM25 index. An index has at most one writer at a time. Changes become visible when the writer commits and readers reload; they
are discarded if the writer closes without a commit.

If an `add` or `update` is aborted or fails after it has added some passages, the writer is interrupted: all calls except `rollback()` and
`close()` fail with `ERR_INTERRUPTED`, and the changes are never committed. The same holds if the system rejects a commit, for example
because the disk is full.

@example
```
await using writer = await Bm25Writer.open('./bm25', {memoryBytes: 64e6});
await writer.add('./corpus.jsonl', {signal});
await writer.commit();
```
*/
export class Bm25Writer implements AsyncDisposable {
	readonly #native: Binding.NativeBm25Writer;

	private constructor(writer: Binding.NativeBm25Writer) {
		checkFactoryMade('Bm25Writer', writer, native.NativeBm25Writer, 'Bm25Writer.create() or Bm25Writer.open()');
		this.#native = writer;
	}

	/** Creates an empty index in the folder `path`. */
	static async create(path: string, options: Bm25CreateOptions = {}): Promise<Bm25Writer> {
		checkString('path', path);
		checkOptions('create', options, createOptions);
		const {analyzer = 'english', overwrite = false} = options;
		checkBoolean('overwrite', overwrite);
		const analyzerOptions = nativeAnalyzer(analyzer);
		const checked = checkedOptions(options, overwrite);
		return new Bm25Writer(await callNative({}, () => native.createBm25Index(path, analyzerOptions, checked)));
	}

	/** Opens the index in the folder `path` for changes. Fails with `ERR_INDEX_LOCKED` while another writer has it open. */
	static async open(path: string, options: Bm25WriterOpenOptions = {}): Promise<Bm25Writer> {
		checkString('path', path);
		checkOptions('open', options, openOptions);
		const expected = options.analyzer === undefined ? undefined : nativeAnalyzer(options.analyzer);
		const checked = checkedOptions(options, false);
		return new Bm25Writer(await callNative({}, () => native.openBm25Writer(path, checked, expected)));
	}

	/**
	Adds passages with new ids and resolves to their number. Passages of a path or a store do not pass through JavaScript. An iterable is
	read only as fast as its passages are added. Fails with `ERR_DUPLICATE_ID` if an id exists already. Progress counts bytes of a file,
	or passages of any other source.
	*/
	async add(source: PassageSource, options: AddOptions = {}): Promise<number> {
		return this.#write(source, options, false);
	}

	/** Adds passages and replaces those with the same ids. Otherwise the same as `add`. */
	async update(source: PassageSource, options: AddOptions = {}): Promise<number> {
		return this.#write(source, options, true);
	}

	/** Deletes passages; unknown ids are ignored. Resolves to the number of deleted passages. */
	async delete(ids: readonly string[]): Promise<number> {
		checkIds('delete: ids', ids);
		return callNative({}, () => this.#native.delete([...ids]));
	}

	/** Writes all changes to the disk. */
	async commit(): Promise<void> {
		await callNative({}, () => this.#native.commit());
	}

	/**
	Merges all committed segments into one, without the deleted passages: the fastest to search. Uncommitted changes are not affected. If it
	fails, the index is unchanged. If a background merge could not be written, for example because the disk is full, `merge` fails until
	uncommitted changes are committed or rolled back.
	*/
	async merge(): Promise<void> {
		await callNative({}, () => this.#native.merge());
	}

	/** Discards all changes since the last commit. */
	async rollback(): Promise<void> {
		await callNative({}, () => this.#native.rollback());
	}

	/** Releases the lock and discards uncommitted changes. */
	async close(): Promise<void> {
		await callNative({}, () => this.#native.close());
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.close();
	}

	async #write(source: PassageSource, options: AddOptions, update: boolean): Promise<number> {
		checkOptions(update ? 'update' : 'add', options, addOptions);
		checkSkipped(options);
		const file = checkedFileOptions(options);
		if (typeof source === 'string') {
			return this.#ingest(options, control => this.#native.ingestFile(source, file, update, control));
		}
		if (isTextSource(source)) {
			const texts = source[textsOf]() as Binding.NativeTexts;
			return this.#ingest(options, control => this.#native.ingestStore(texts, update, control));
		}
		return this.#writeEach(source, {...options, maxPassageBytes: file.maxPassageBytes}, update);
	}

	/** If the addon fails, it interrupts the writer itself; here a callback may fail after all passages were added. */
	async #ingest(options: AddOptions, start: (control: Binding.Control) => Promise<Binding.Ingested>): Promise<number> {
		let written = 0;
		try {
			const {passages, skipped} = await callNative(options, async control => {
				const ingested = await start(control);
				written = ingested.passages;
				return ingested;
			});
			await options.onSkipped?.(skipped);
			return passages;
		} catch (error) {
			await this.#interrupt(written);
			throw error;
		}
	}

	/** Prevents a commit of the passages that a failed call has added. */
	async #interrupt(written: number): Promise<void> {
		if (written > 0) {
			// It fails if the writer was closed meanwhile, which discards the passages anyway.
			await this.#native.interrupt().catch(() => {});
		}
	}

	async #writeEach(
		passages: Iterable<Passage> | AsyncIterable<Passage>,
		{signal, onProgress, maxPassageBytes}: CallOptions & {maxPassageBytes: number},
		update: boolean,
	): Promise<number> {
		let batch = emptyBatch();
		let units = 0;
		let done = 0;
		const flush = async (): Promise<void> => {
			const {ids, titles, texts, fields} = batch;
			batch = emptyBatch();
			units = 0;
			await callNative({signal}, () =>
				update ? this.#native.update(ids, titles, texts, fields) : this.#native.add(ids, titles, texts, fields),
			);
			done += ids.length;
			await awaitUnlessAborted(onProgress?.({done, total: 0}), signal);
		};
		try {
			for await (const passage of passages) {
				signal?.throwIfAborted();
				if (!isPassage(passage)) {
					checkPassage(`passage ${done + batch.ids.length}`, passage);
				}
				checkPassageBytes(`passage ${done + batch.ids.length}`, passage, maxPassageBytes);
				if (passage.fields !== undefined) {
					const json = fieldsJson(`passage ${done + batch.ids.length}: fields`, passage.fields);
					while (batch.fields.length < batch.ids.length) {
						batch.fields.push('');
					}
					batch.fields.push(json);
					units += json.length;
				}
				batch.ids.push(passage.id);
				batch.titles.push(passage.title ?? '');
				batch.texts.push(passage.text);
				units += passage.text.length + (passage.title?.length ?? 0);
				if (batch.ids.length === MAX_BATCH_PASSAGES || units >= MAX_BATCH_UNITS) {
					await flush();
				}
			}
			if (batch.ids.length > 0) {
				await flush();
			}
			return done;
		} catch (error) {
			await this.#interrupt(done);
			throw error;
		}
	}
}

function checkedOptions(
	{memoryBytes = 256e6, threads = 1, mergeInBackground = true}: Bm25WriterOptions,
	overwrite: boolean,
): Binding.NativeWriterOptions {
	checkBoolean('mergeInBackground', mergeInBackground);
	checkCount('threads', threads, 1, 8);
	checkCount('memoryBytes', memoryBytes, 15e6 * threads, 4e9 * threads);
	return {overwrite, threads, memory: memoryBytes, mergeInBackground};
}

/** Checks a passage without building the names that only an error message needs. */
function isPassage(passage: Passage): boolean {
	return (
		typeof passage?.id === 'string' &&
		typeof passage.text === 'string' &&
		isWellFormed(passage.id) &&
		(passage.title === undefined || typeof passage.title === 'string')
	);
}

export function checkSkipped({onSkipped}: Pick<AddOptions, 'onSkipped'>): void {
	if (onSkipped !== undefined) {
		checkFunction('onSkipped', onSkipped);
	}
}

function emptyBatch(): Batch {
	return {ids: [], titles: [], texts: [], fields: []};
}
