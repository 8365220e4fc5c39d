/** Adds documents to a collection: splits and encodes them, and passes them to the addon. */
import {awaitUnlessAborted} from '../../core/callbacks.ts';
import {checkIterable, isArray, isObject} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {type Binding, callNative, callSync, native} from '../../core/native/native.ts';
import type {CallOptions, Encoder} from '../../core/types.ts';
import {type DocumentContent, type PreparedDocument, type PreparedPassage, type SplitSetting, prepared} from './documents.ts';
import {encodePassages} from './encoders.ts';
import {VectorRows} from './vector-rows.ts';

interface LoaderOptions {
	readonly handle: Binding.NativeCollection;
	readonly split: SplitSetting;
	/** The dimension of the vectors; `undefined` if the collection has none. */
	readonly dim: number | undefined;
	/** Returns the passage encoder. Called only if a passage must be encoded. */
	readonly encoder: () => Promise<Encoder>;
	/** Whether documents replace those that have the same ids. */
	readonly upsert: boolean;
}

/** An iterable that is not an array is added in batches of at most this number of documents. */
const BATCH_DOCUMENTS = 1024;
/** Such a batch also ends when it has at least this number of UTF-16 code units of text. */
const BATCH_UNITS = 1 << 22;
/** Number of passages, or of documents, that are copied to the addon at a time. Copying them takes well under a millisecond. */
const PASSAGES_PER_SLICE = 256;

/**
Loads documents. The documents of an array are added in one batch, that is, all or none. Another iterable is read only as fast as its
documents are added. If the iterable or one of its documents fails, the documents before it are added. If a batch fails, for example because
of a duplicate id, the batches before it remain added. The error says how many documents were added, unless it is an error of the iterable.
*/
export class DocumentLoader {
	readonly #options: LoaderOptions;

	constructor(options: LoaderOptions) {
		this.#options = options;
	}

	/** Adds documents and returns their number. Progress counts documents. */
	async load(source: DocumentContent | Iterable<DocumentContent> | AsyncIterable<DocumentContent>, call: CallOptions): Promise<number> {
		const {signal, onProgress} = call;
		const name = this.#options.upsert ? 'upsert' : 'add';
		const isOne = isObject(source) && !(Symbol.iterator in source) && !(Symbol.asyncIterator in source);
		const documents = isOne ? [source as DocumentContent] : (source as Iterable<DocumentContent> | AsyncIterable<DocumentContent>);
		checkIterable(`${name}: documents`, documents, 'documents');
		const isOneBatch = isArray(documents);
		const total = isOneBatch ? documents.length : 0;
		let batch: PreparedDocument[] = [];
		let vectors = new VectorRows(this.#options.dim);
		let [units, read, added] = [0, 0, 0];
		// Stays true if a batch fails.
		let isAdding = false;
		const flush = async (): Promise<void> => {
			const prior = added;
			isAdding = true;
			await this.#put(batch, vectors, signal, async done => {
				await awaitUnlessAborted(onProgress?.({done: prior + done, total}), signal);
			});
			isAdding = false;
			added += batch.length;
			batch = [];
			vectors = new VectorRows(this.#options.dim);
			units = 0;
		};
		try {
			for await (const document of documents) {
				signal?.throwIfAborted();
				const one = prepared(`${name}: documents[${read}]`, document, this.#options.split, vectors);
				read += 1;
				batch.push(one);
				for (const {text} of one.passages) {
					units += text.length;
				}
				if (!isOneBatch && (batch.length >= BATCH_DOCUMENTS || units >= BATCH_UNITS)) {
					await flush();
				}
				await yieldIfOverBudget();
			}
			if (batch.length > 0) {
				await flush();
			}
			return added;
		} catch (error) {
			if (!isOneBatch && batch.length > 0 && !isAdding && signal?.aborted !== true) {
				// If the documents before the error cannot be added, the first error still is the one to report.
				await flush().catch(() => {});
			}
			throw added > 0 ? afterSome(error, added, read) : error;
		}
	}

	/** Encodes passages without a vector, and passes all documents to the addon. `vectors` has the vectors that came with the documents. */
	async #put(
		documents: readonly PreparedDocument[],
		vectors: VectorRows,
		signal: AbortSignal | undefined,
		report: (done: number) => Promise<void>,
	): Promise<void> {
		const {handle, dim, upsert} = this.#options;
		const passages = documents.flatMap(({passages}) => passages);
		// For each passage, the ord of the committed passage whose vector it takes over, or −1.
		const sameAs = passages.map(() => -1);
		const needsVector = dim === undefined ? [] : passages.flatMap(({row}, i) => (row === -1 ? [i] : []));
		if (upsert && needsVector.length > 0) {
			const ords = await this.#unchanged(documents, signal);
			for (const i of needsVector) {
				sameAs[i] = ords[i]!;
			}
		}
		const toEncode = needsVector.filter(i => sameAs[i] === -1);
		const encoded =
			toEncode.length === 0
				? undefined
				: await this.#encode(
						toEncode.map(i => passages[i]!),
						signal,
						documents.length,
						report,
					);
		const rows = new Map(toEncode.map((passage, row) => [passage, row]));
		const batch = new native.DocumentBatch();
		for (let from = 0; from < documents.length; from += PASSAGES_PER_SLICE) {
			const slice = documents.slice(from, from + PASSAGES_PER_SLICE);
			callSync(() =>
				batch.pushDocuments(
					slice.map(({id}) => id),
					slice.map(({fields}) => fields),
					slice.map(({passages}) => passages.length),
				),
			);
			await yieldIfOverBudget();
		}
		for (let from = 0; from < passages.length; from += PASSAGES_PER_SLICE) {
			const slice = passages.slice(from, from + PASSAGES_PER_SLICE);
			callSync(() => {
				batch.pushPassages(
					slice.map(({title}) => title),
					slice.map(({text}) => text),
					sameAs.slice(from, from + slice.length),
				);
				const ranges = rowRangesOf(slice, i => rows.get(from + i));
				for (const {isGiven, start, end} of ranges) {
					batch.pushVectors(isGiven ? vectors.slice(start, end) : encoded!.subarray(start * dim!, end * dim!));
				}
			});
			await yieldIfOverBudget();
		}
		await callNative({signal}, async () => handle.put(batch, upsert));
		await report(documents.length);
	}

	/**
	Returns, for each passage, the ord of a committed passage of the same document with the same title and text, or −1 if there is none. The
	passage takes over the vector of the committed one.
	*/
	async #unchanged(documents: readonly PreparedDocument[], signal: AbortSignal | undefined): Promise<number[]> {
		const ords: number[] = [];
		let slice: PreparedDocument[] = [];
		let count = 0;
		for (const [i, document] of documents.entries()) {
			slice.push(document);
			count += document.passages.length;
			if (count < PASSAGES_PER_SLICE && i < documents.length - 1) {
				continue;
			}
			const passages = slice.flatMap(({passages}) => passages);
			const found = await callNative({signal}, async () =>
				this.#options.handle.unchanged(
					slice.map(({id}) => id),
					slice.map(({passages}) => passages.length),
					passages.map(({title}) => title),
					passages.map(({text}) => text),
				),
			);
			for (const ord of found) {
				ords.push(ord);
			}
			slice = [];
			count = 0;
		}
		return ords;
	}

	/** Encodes passages and returns their vectors `[passages.length, dim]`, row-major. `documents` is the size of the batch. */
	async #encode(
		passages: readonly PreparedPassage[],
		signal: AbortSignal | undefined,
		documents: number,
		report: (done: number) => Promise<void>,
	): Promise<Float32Array> {
		return encodePassages(await this.#options.encoder(), passages, this.#options.dim!, {
			signal,
			// Reports at most all documents but one: the batch is done only when the collection has it.
			onProgress: async ({done}) => report(Math.min(documents - 1, Math.floor((documents * done) / passages.length))),
		});
	}
}

/** Consecutive rows of the vectors that came with the documents (`isGiven`), or of the vectors that the encoder returned. */
interface RowRange {
	readonly isGiven: boolean;
	readonly start: number;
	end: number;
}

/**
Returns the rows of the passages' vectors, in the order of the passages. `encodedRow` returns the row of a passage that was encoded, and
`undefined` for a passage that keeps its vector or has none.
*/
function rowRangesOf(passages: readonly PreparedPassage[], encodedRow: (passage: number) => number | undefined): RowRange[] {
	const ranges: RowRange[] = [];
	for (const [i, passage] of passages.entries()) {
		const isGiven = passage.row !== -1;
		const row = isGiven ? passage.row : encodedRow(i);
		const last = ranges.at(-1);
		if (row === undefined) {
			continue;
		}
		if (last?.isGiven === isGiven && last.end === row) {
			last.end += 1;
		} else {
			ranges.push({isGiven, start: row, end: row + 1});
		}
	}
	return ranges;
}

/** Adds the number of documents that were added before an error to its message. `read` is the number of documents before the error. */
function afterSome(error: unknown, added: number, read: number): unknown {
	if (!(error instanceof RetrievalError)) {
		return error;
	}
	const before = read === 1 ? 'The document before it was' : `The ${read} documents before it were`;
	const count = added === read ? before : added === 1 ? '1 document was' : `${added} documents were`;
	return new RetrievalError(error.code, `${error.message}. ${count} added; roll back to undo that.`, {cause: error});
}
