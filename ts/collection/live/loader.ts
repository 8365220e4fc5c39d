/** Adds documents to a collection: checks and splits them, has them encoded, and passes them to the addon. */
import {awaitUnlessAborted} from '../../core/callbacks.ts';
import {checkIterable, isArray, isObject} from '../../core/checks.ts';
import {type ErrorCode, RetrievalError} from '../../core/errors.ts';
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import type {CallOptions} from '../../core/types.ts';
import {type DocumentContent, type PreparedDocument, type SplitSetting, prepared} from './documents.ts';
import {ReadyDocuments, type Target} from './ready-documents.ts';
import {VectorRows} from './vector-rows.ts';

interface LoaderOptions extends Target {
	readonly split: SplitSetting;
	/** Whether the length of vectors must not be 0. */
	readonly nonzero: boolean;
}

/** An iterable that is not an array is added in batches of at most this number of documents. */
const BATCH_DOCUMENTS = 1024;
/** Such a batch also ends when it has at least this number of UTF-16 code units of text. */
const BATCH_UNITS = 1 << 22;
/** The errors of the addon that a single document can cause. */
const DOCUMENT_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['ERR_ARGUMENT', 'ERR_DIMENSION', 'ERR_DUPLICATE_ID']);

/**
Loads documents. The documents of an array are added in one batch, that is, all or none. Another iterable is read only as fast as its
documents are added. If the iterable or one of its documents fails, all documents before it are added; if the encoder fails, the batches
before that one. The error says how many documents were added, unless it is an error of the iterable.
*/
export class DocumentLoader {
	readonly #options: LoaderOptions;
	readonly #name: string;
	#documents: PreparedDocument[] = [];
	#ids = new Set<string>();
	#vectors: VectorRows;
	/** Number of UTF-16 code units of text in the current batch. */
	#units = 0;
	/** Number of documents that were added. */
	#added = 0;
	/** The position of the document that the collection refused, if one was. */
	#failed: number | undefined;

	constructor(options: LoaderOptions) {
		this.#options = options;
		this.#name = options.upsert ? 'upsert' : 'add';
		this.#vectors = new VectorRows(options.dim, options);
	}

	/** Adds documents and returns their number. Progress counts documents. A loader can be used once. */
	async load(source: DocumentContent | Iterable<DocumentContent> | AsyncIterable<DocumentContent>, call: CallOptions): Promise<number> {
		const isOne = isObject(source) && !(Symbol.iterator in source) && !(Symbol.asyncIterator in source);
		const documents = isOne ? [source as DocumentContent] : (source as Iterable<DocumentContent> | AsyncIterable<DocumentContent>);
		checkIterable(`${this.#name}: documents`, documents, 'documents');
		return isArray(documents)
			? this.#loadArray(documents as unknown as readonly DocumentContent[], call)
			: this.#loadIterable(documents, call);
	}

	async #loadArray(documents: readonly DocumentContent[], call: CallOptions): Promise<number> {
		for (const [i, document] of documents.entries()) {
			call.signal?.throwIfAborted();
			this.#push(document, i);
			await yieldIfOverBudget();
		}
		// The caller may have changed the array meanwhile.
		const count = this.#documents.length;
		const ready = await this.#ready(call, count);
		if (ready.count < count) {
			throw this.#withoutVector(ready.count, 0);
		}
		if (ready.count > 0) {
			await ready.put(0, ready.count, call.signal);
			await awaitUnlessAborted(call.onProgress?.({done: ready.count, total: ready.count}), call.signal);
		}
		return ready.count;
	}

	async #loadIterable(documents: Iterable<DocumentContent> | AsyncIterable<DocumentContent>, call: CallOptions): Promise<number> {
		const {signal} = call;
		let read = 0;
		// Stays true if a batch fails.
		let isAdding = false;
		const flush = async (): Promise<void> => {
			isAdding = true;
			await this.#flush(call);
			isAdding = false;
		};
		try {
			for await (const document of documents) {
				signal?.throwIfAborted();
				const id = isObject(document) ? document['id'] : undefined;
				if (this.#options.upsert && this.#ids.has(id as string)) {
					// A document replaces an earlier one with the same id, as it would if they were in different batches.
					await flush();
				}
				this.#push(document, read);
				read += 1;
				if (this.#documents.length >= BATCH_DOCUMENTS || this.#units >= BATCH_UNITS) {
					await flush();
				}
				await yieldIfOverBudget();
			}
			await flush();
			return this.#added;
		} catch (error) {
			const isOfBatch = isAdding;
			if (!isOfBatch && signal?.aborted !== true) {
				// If some documents before the error cannot be added, the first error still is the one to report.
				await flush().catch(() => {});
			}
			throw afterSome(error, this.#added, isOfBatch ? this.#failed : read);
		}
	}

	/** Checks a document and adds it to the current batch. */
	#push(document: DocumentContent, position: number): void {
		const one = prepared(`${this.#name}: documents[${position}]`, document, this.#options.split, this.#vectors);
		this.#documents.push(one);
		this.#ids.add(one.id);
		for (const {text} of one.passages) {
			this.#units += text.length;
		}
	}

	/** Encodes the current batch. `total` is the total number of documents; 0 if it is unknown. */
	async #ready({signal, onProgress}: CallOptions, total: number): Promise<ReadyDocuments> {
		const [documents, added] = [this.#documents, this.#added];
		let passages = 0;
		for (const document of documents) {
			passages += document.passages.length;
		}
		return ReadyDocuments.of(this.#options, documents, this.#vectors, {
			signal,
			// Reports at most all documents of the batch but one: the batch is done only when the collection has it.
			onProgress: async ({done}) => {
				const encoded = Math.min(documents.length - 1, Math.floor((documents.length * done) / passages));
				await awaitUnlessAborted(onProgress?.({done: added + encoded, total}), signal);
			},
		});
	}

	/** Adds the current batch of an iterable. If a document fails, those before it are added. */
	async #flush(call: CallOptions): Promise<void> {
		if (this.#documents.length === 0) {
			return;
		}
		const ready = await this.#ready(call, 0);
		const before = this.#added;
		await this.#put(ready, before, [0, ready.count], call.signal);
		if (ready.count < this.#documents.length) {
			throw this.#withoutVector(ready.count, before);
		}
		this.#documents = [];
		this.#ids = new Set();
		this.#vectors = new VectorRows(this.#options.dim, this.#options);
		this.#units = 0;
		await awaitUnlessAborted(call.onProgress?.({done: this.#added, total: 0}), call.signal);
	}

	/** Adds a range of the current batch. If that fails, tries its halves, so that the documents before an invalid one are added. */
	async #put(ready: ReadyDocuments, before: number, [from, to]: readonly [number, number], signal: AbortSignal | undefined): Promise<void> {
		if (from === to) {
			return;
		}
		try {
			await ready.put(from, to, signal);
			this.#added += to - from;
		} catch (error) {
			if (!(error instanceof RetrievalError) || !DOCUMENT_ERRORS.has(error.code)) {
				throw error;
			}
			if (to - from === 1) {
				throw this.#named(error, before + from, this.#documents[from]!.id);
			}
			const middle = (from + to) >> 1;
			await this.#put(ready, before, [from, middle], signal);
			await this.#put(ready, before, [middle, to], signal);
		}
	}

	/** Returns the error for a document of the current batch that has a passage without a vector. `before` is the number of earlier documents. */
	#withoutVector(position: number, before: number): RetrievalError {
		const error = new RetrievalError(
			'ERR_ARGUMENT',
			'vector: expected one, since the collection was created without an encoder, got none; with a model of your own, pass it to Collection.open as passageEncoder',
		);
		return this.#named(error, before + position, this.#documents[position]!.id);
	}

	/** Adds the position and the id of a document to an error of the addon. */
	#named(error: RetrievalError, position: number, id: string): RetrievalError {
		this.#failed = position;
		const message = error.message.replace(`${this.#name}: `, '').replace(`passage ${JSON.stringify(id)}: `, '');
		return new RetrievalError(error.code, `${this.#name}: documents[${position}] (${JSON.stringify(id)}): ${message}`, {cause: error});
	}
}

/**
Adds the number of documents that were added before an error to its message. `position` is that of the document that failed, if there
is one.
*/
function afterSome(error: unknown, added: number, position: number | undefined): unknown {
	if (added === 0 || !(error instanceof RetrievalError)) {
		return error;
	}
	const before = added === 1 ? 'The document before it was' : `The ${added} documents before it were`;
	const count = added === position ? before : added === 1 ? '1 document was' : `${added} documents were`;
	return new RetrievalError(error.code, `${error.message}. ${count} added; roll back to undo that.`, {cause: error});
}
