/** The reader of a collection, which is loaded when it is first needed. */
import {ExtractiveReader} from '../reader/index.ts';

export class LazyReader {
	readonly #model: string;
	#reader: Promise<ExtractiveReader> | undefined;

	/** `model` is the model of the reader, as for `ExtractiveReader.load`. */
	constructor(model = 'minilm-reader') {
		this.#model = model;
	}

	/** Returns the reader. The first call loads it; after a failure, the next call tries again. */
	async get(): Promise<ExtractiveReader> {
		this.#reader ??= ExtractiveReader.load(this.#model);
		this.#reader.catch(() => {
			this.#reader = undefined;
		});
		return this.#reader;
	}

	/** Closes the reader if it was loaded. */
	async close(): Promise<void> {
		const reader = this.#reader;
		this.#reader = undefined;
		await reader?.then(
			opened => opened.close(),
			() => {},
		);
	}
}
