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
	Bytes for passages that are not written yet, all threads together: 15 MB to 4 GB a thread. What does not fit goes to
	another segment; rankings are the same. Beside it an id takes up to 35 bytes until the next commit, and a merge about 30
	bytes for each passage. @default 256e6
	*/
	readonly memoryBytes?: number | undefined;
	/** Threads that analyse passages, 1 to 8, beside the one that reads them. @default 1 */
	readonly threads?: number | undefined;
	/** Merge segments while passages are added. Of no use before a `merge()`. @default true */
	readonly mergeInBackground?: boolean | undefined;
}

export interface Bm25CreateOptions extends Bm25WriterOptions {
	/** How texts become terms. @default 'english' */
	readonly analyzer?: Analyzer | undefined;
	/** Replace an index that is there, at the first commit. @default false */
	readonly overwrite?: boolean | undefined;
}

export interface Bm25WriterOpenOptions extends Bm25WriterOptions {
	/** Refuse an index that was made with another analyzer. @default any */
	readonly analyzer?: Analyzer | undefined;
}

/** The file options apply only if the source is a file; `maxPassageBytes` also applies to passages from JavaScript. */
export interface AddOptions extends CallOptions, FileOptions {
	/** Called at the end with the number of bad lines of a file that were skipped. If it throws, the call fails. */
	readonly onSkipped?: ((lines: number) => void) | undefined;
}

const writerNames = {memoryBytes: true, threads: true, mergeInBackground: true, analyzer: true} as const;
const createOptions: OptionNames = optionNames<Bm25CreateOptions>({...writerNames, overwrite: true});
const openOptions: OptionNames = optionNames<Bm25WriterOpenOptions>(writerNames);
const addOptions: OptionNames = optionNames<AddOptions>({...callNames, ...fileNames, onSkipped: true});

/** Passages handed over in one call: column-wise, fields as JSON; the last passages without fields are left out of them. */
interface Batch {
	readonly ids: string[];
	readonly titles: string[];
	readonly texts: string[];
	readonly fields: string[];
}

/** Passages of a batch, at most. */
const BATCH = 256;

/** UTF-16 code units after which no more passages are put into a call: they are copied in well under a millisecond. */
const BATCH_UNITS = 1 << 18;

/**
Changes a BM25 index. One writer at a time; what it does is seen once it commits and readers reload, and undone if it
closes without.

An `add` or `update` that is aborted or fails after it took some passages leaves the writer interrupted: everything but
`rollback()` and `close()` is refused with `ERR_INTERRUPTED`, and none of it is ever committed. So does a commit that the
system refuses, as on a full disk.

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

	/** Makes an empty index in the folder `path`. */
	static async create(path: string, options: Bm25CreateOptions = {}): Promise<Bm25Writer> {
		checkString('path', path);
		checkOptions('create', options, createOptions);
		const {analyzer = 'english', overwrite = false} = options;
		checkBoolean('overwrite', overwrite);
		const asked = nativeAnalyzer(analyzer);
		const checked = checkedOptions(options, overwrite);
		return new Bm25Writer(await callNative({}, () => native.createBm25Index(path, asked, checked)));
	}

	/** Opens the index in the folder `path` for changes; with `analyzer`, unless it was made with another. */
	static async open(path: string, options: Bm25WriterOpenOptions = {}): Promise<Bm25Writer> {
		checkString('path', path);
		checkOptions('open', options, openOptions);
		const expected = options.analyzer === undefined ? undefined : nativeAnalyzer(options.analyzer);
		const checked = checkedOptions(options, false);
		return new Bm25Writer(await callNative({}, () => native.openBm25Writer(path, checked, expected)));
	}

	/**
	Adds passages with new ids and resolves to how many they were. Of a path or a store none passes through JavaScript.
	Progress counts bytes of a file, passages of other sources. An iterable is asked for more only when what it gave was
	taken.
	*/
	async add(source: PassageSource, options: AddOptions = {}): Promise<number> {
		return this.#put(source, options, false);
	}

	/** Adds passages, in the place of those with the same ids. As `add` in all else. */
	async update(source: PassageSource, options: AddOptions = {}): Promise<number> {
		return this.#put(source, options, true);
	}

	/** Takes passages out; unknown ids are passed over. Resolves to how many were there. */
	async delete(ids: readonly string[]): Promise<number> {
		checkIds('delete: ids', ids);
		return callNative({}, () => this.#native.delete([...ids]));
	}

	/** Makes the changes last. */
	async commit(): Promise<void> {
		await callNative({}, () => this.#native.commit());
	}

	/**
	Makes one segment of what is committed, without the deleted passages: the fastest to search. Changes since the last commit
	are left for the next. Should it fail, the index is as it was. Where a merge in the background could not be written, as on
	a full disk, and there are such changes, it fails until they are committed or rolled back.
	*/
	async merge(): Promise<void> {
		await callNative({}, () => this.#native.merge());
	}

	/** Undoes all changes since the last commit. */
	async rollback(): Promise<void> {
		await callNative({}, () => this.#native.rollback());
	}

	/** Gives the lock back; what was not committed is gone. */
	async close(): Promise<void> {
		await callNative({}, () => this.#native.close());
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.close();
	}

	async #put(source: PassageSource, options: AddOptions, update: boolean): Promise<number> {
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
		return this.#each(source, {...options, maxPassageBytes: file.maxPassageBytes}, update);
	}

	/** If the addon fails, it interrupts the writer itself; here a callback may fail after all passages were added. */
	async #ingest(options: AddOptions, start: (control: Binding.Control) => Promise<Binding.Ingested>): Promise<number> {
		let taken = 0;
		try {
			const {passages, skipped} = await callNative(options, async control => {
				const ingested = await start(control);
				taken = ingested.passages;
				return ingested;
			});
			await options.onSkipped?.(skipped);
			return passages;
		} catch (error) {
			await this.#interrupt(taken);
			throw error;
		}
	}

	/** Prevents a commit of the passages that a failed call has added. */
	async #interrupt(taken: number): Promise<void> {
		if (taken > 0) {
			// If it has been closed since, it commits nothing anyway.
			await this.#native.interrupt().catch(() => {});
		}
	}

	async #each(
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
				if (batch.ids.length === BATCH || units >= BATCH_UNITS) {
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
