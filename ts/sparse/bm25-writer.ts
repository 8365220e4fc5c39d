import {checkString, checkStrings} from '../check.ts';
import {RetrievalError} from '../errors.ts';
import {type Binding, callNative, native} from '../native.ts';
import type {CallOptions, Passage} from '../types.ts';
import type {Analyzer} from './analyzer.ts';
import {fieldsJson} from './fields.ts';
import {nativeAnalyzer} from './native-analyzer.ts';

/** Passages handed over in one call: column-wise, fields as JSON; the last passages without fields are left out of them. */
interface Batch {
	readonly ids: string[];
	readonly titles: string[];
	readonly texts: string[];
	readonly fields: string[];
}

/** Passages of a batch. */
const BATCH = 256;

/**
Changes a BM25 index. One writer at a time; what it does is seen once it commits and readers reload, and undone if it
closes without.
*/
export class Bm25Writer implements AsyncDisposable {
	readonly #native: Binding.NativeBm25Writer;

	/** @internal */
	private constructor(writer: Binding.NativeBm25Writer) {
		this.#native = writer;
	}

	/** Makes an empty index in the folder `path`. The analyzer is `english` unless another is given. */
	static async create(
		path: string,
		options: {readonly analyzer?: Analyzer | undefined; readonly overwrite?: boolean | undefined} = {},
	): Promise<Bm25Writer> {
		const {analyzer = 'english', overwrite = false} = options;
		checkString('path', path);
		const asked = nativeAnalyzer(analyzer);
		return new Bm25Writer(await callNative({}, () => native.createBm25Index(path, asked, overwrite)));
	}

	/** Opens the index in the folder `path` for changes; with `analyzer`, unless it was made with another. */
	static async open(path: string, {analyzer}: {readonly analyzer?: Analyzer | undefined} = {}): Promise<Bm25Writer> {
		checkString('path', path);
		const expected = analyzer === undefined ? undefined : nativeAnalyzer(analyzer);
		return new Bm25Writer(await callNative({}, () => native.openBm25Writer(path, expected)));
	}

	/** Adds passages with new ids. Progress counts passages. Resolves to how many were added. */
	async add(passages: Iterable<Passage> | AsyncIterable<Passage>, options: CallOptions = {}): Promise<number> {
		return this.#each(passages, options, ({ids, titles, texts, fields}) => this.#native.add(ids, titles, texts, fields));
	}

	/** Adds passages, in the place of those with the same ids. */
	async update(passages: Iterable<Passage> | AsyncIterable<Passage>, options: CallOptions = {}): Promise<number> {
		return this.#each(passages, options, ({ids, titles, texts, fields}) => this.#native.update(ids, titles, texts, fields));
	}

	/** Takes passages out; unknown ids are passed over. Resolves to how many were there. */
	async delete(ids: readonly string[]): Promise<number> {
		checkStrings('delete: ids', ids);
		return callNative({}, () => this.#native.delete([...ids]));
	}

	/** Makes the changes last. */
	async commit(): Promise<void> {
		await callNative({}, () => this.#native.commit());
	}

	/** Gives the lock back; what was not committed is gone. */
	async close(): Promise<void> {
		await callNative({}, () => this.#native.close());
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.close();
	}

	async #each(
		passages: Iterable<Passage> | AsyncIterable<Passage>,
		{signal, onProgress}: CallOptions,
		send: (batch: Batch) => Promise<void>,
	): Promise<number> {
		let batch = emptyBatch();
		let done = 0;
		const flush = async (): Promise<void> => {
			const full = batch;
			done += full.ids.length;
			batch = emptyBatch();
			await callNative({signal}, () => send(full));
			onProgress?.({done, total: 0});
		};
		for await (const passage of passages) {
			if (typeof passage?.id !== 'string' || typeof passage.text !== 'string') {
				throw new RetrievalError('ERR_ARGUMENT', `passage ${done + batch.ids.length}: expected {id: string, text: string, title?: string}`);
			}
			if (passage.fields !== undefined) {
				const json = fieldsJson(`passage ${done + batch.ids.length}: fields`, passage.fields);
				while (batch.fields.length < batch.ids.length) {
					batch.fields.push('');
				}
				batch.fields.push(json);
			}
			batch.ids.push(passage.id);
			batch.titles.push(passage.title ?? '');
			batch.texts.push(passage.text);
			if (batch.ids.length === BATCH) {
				await flush();
			}
		}
		if (batch.ids.length > 0) {
			await flush();
		}
		return done;
	}
}

function emptyBatch(): Batch {
	return {ids: [], titles: [], texts: [], fields: []};
}
