/** Adds, replaces and deletes passages of a BM25 index. */
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
import {fieldsJson} from '../core/filters/fields.ts';
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
import {nativeAnalyzer} from './native-analyzer.ts';

/** How much memory and how many threads a writer uses, and whether it merges segments in the background. */
export interface Bm25WriterOptions {
	/**
	Size in bytes of the buffers for passages that are not yet written, for all threads together: 15 MB to 4 GB per thread. When the buffers
	are full, a segment is written; rankings do not depend on the number of segments. A writer needs additional memory: up to 35 bytes per
	added id until the next commit, and about 30 bytes per passage and 25 per term during a merge. @default 256e6
	*/
	readonly memoryBytes?: number | undefined;
	/** Number of threads that analyze passages, 1 to 8, in addition to the one that reads them. @default 1 */
	readonly threads?: number | undefined;
	/** Merges segments in the background while passages are added. Turn it off if you call `merge()` afterwards. @default true */
	readonly mergeInBackground?: boolean | undefined;
}

/** The options of `Bm25Writer.create`. */
export interface Bm25CreateOptions extends Bm25WriterOptions {
	/** How texts are turned into terms. @default 'english' */
	readonly analyzer?: Analyzer | undefined;
	/** Replaces an existing index at the first commit. @default false */
	readonly overwrite?: boolean | undefined;
}

/** The options of `Bm25Writer.open`. */
export interface Bm25WriterOpenOptions extends Bm25WriterOptions {
	/** The expected analyzer: `open` fails with `ERR_ANALYZER_MISMATCH` if that of the index differs. @default any analyzer */
	readonly analyzer?: Analyzer | undefined;
}

/**
The options of `add` and `update`. Those of `FileOptions` apply only if the source is a file or folder, except `maxPassageBytes`, which also
applies to iterables.
*/
export interface AddOptions extends CallOptions, FileOptions {
	/**
	Called after a file, a folder or a passage store has been added, with the number of invalid lines that were skipped. If `onSkipped` throws,
	the call rejects with its error.
	*/
	readonly onSkipped?: ((lines: number) => void) | undefined;
}

const writerNames = {memoryBytes: true, threads: true, mergeInBackground: true, analyzer: true} as const;
const createOptions: OptionNames = optionNames<Bm25CreateOptions>({...writerNames, overwrite: true});
const openOptions: OptionNames = optionNames<Bm25WriterOpenOptions>(writerNames);
const addOptions: OptionNames = optionNames<AddOptions>({...callNames, ...fileNames, onSkipped: true});

/**
Passages in columns, as they are passed to the addon. `fields` has JSON, or '' for a passage without fields, and may be shorter than the
other columns: the remaining passages have no fields.
*/
interface Batch {
	readonly ids: string[];
	readonly titles: string[];
	readonly texts: string[];
	readonly fields: string[];
}

/** Maximum number of passages in a batch. */
const MAX_BATCH_PASSAGES = 256;

/**
A batch is flushed once its titles, texts and fields have this number of UTF-16 code units in total. Copying them takes well under a
millisecond.
*/
const FLUSH_LENGTH = 1 << 18;

/**
Changes a BM25 index. An index has at most one writer at a time. Changes become visible to a `Bm25Index` that is opened or reloaded after
the writer commits; they are discarded if the writer closes without a commit.

If an `add` or `update` is aborted or fails after it has added some passages, the writer is interrupted: all calls except `rollback()` and
`close()` fail with `ERR_INTERRUPTED`, and the changes are never committed. The same happens if the system rejects a commit, for example
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

	/**
	Creates an empty index in the folder `path`. Fails with `ERR_ARGUMENT` if the folder has an index already and `overwrite` is not set, and
	with `ERR_INDEX_LOCKED` while another writer has it open.
	*/
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
	Adds passages with new ids and resolves to their number. Passages from a file or a passage store do not pass through JavaScript. An
	iterable is read only as fast as its passages are added. Fails with `ERR_DUPLICATE_ID` if an id exists already. Progress counts bytes of
	a file, or passages of any other source.
	*/
	async add(source: PassageSource, options: AddOptions = {}): Promise<number> {
		return this.#write(source, options, false);
	}

	/** Adds passages, and replaces passages that have the same ids. Otherwise the same as `add`. */
	async update(source: PassageSource, options: AddOptions = {}): Promise<number> {
		return this.#write(source, options, true);
	}

	/** Deletes passages; unknown ids are ignored. Resolves to the number of deleted passages. */
	async delete(ids: readonly string[]): Promise<number> {
		checkIds('delete: ids', ids);
		return callNative({}, () => this.#native.delete([...ids]));
	}

	/** Writes all changes to disk. */
	async commit(): Promise<void> {
		await callNative({}, () => this.#native.commit());
	}

	/**
	Merges all committed segments into one and drops deleted passages, so that searches are fastest. Uncommitted changes are not affected. If
	`merge` fails, the index is unchanged. If a background merge could not be written, for example because the disk was full, `merge` fails
	until uncommitted changes are committed or rolled back.
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

	/**
	Adds or updates passages that the addon reads itself. If the addon fails, it interrupts the writer. If a callback fails after the addon
	has succeeded, this method interrupts the writer.
	*/
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

	/** Interrupts the writer, so that the passages that a failed call has added are never committed. */
	async #interrupt(written: number): Promise<void> {
		if (written > 0) {
			// This call fails if the writer was closed meanwhile, but then the passages are discarded anyway.
			await this.#native.interrupt().catch(() => {});
		}
	}

	async #writeEach(
		passages: Iterable<Passage> | AsyncIterable<Passage>,
		{signal, onProgress, maxPassageBytes}: CallOptions & {maxPassageBytes: number},
		update: boolean,
	): Promise<number> {
		let batch = emptyBatch();
		let length = 0;
		let done = 0;
		const flush = async (): Promise<void> => {
			const {ids, titles, texts, fields} = batch;
			batch = emptyBatch();
			length = 0;
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
					length += json.length;
				}
				batch.ids.push(passage.id);
				batch.titles.push(passage.title ?? '');
				batch.texts.push(passage.text);
				length += passage.text.length + (passage.title?.length ?? 0);
				if (batch.ids.length === MAX_BATCH_PASSAGES || length >= FLUSH_LENGTH) {
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

/** Whether a passage is valid. Faster than `checkPassage`, because it does not build the names for an error message. */
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
