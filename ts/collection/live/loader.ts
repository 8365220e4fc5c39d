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
	readonly dim: number | undefined;
	readonly encoder: () => Promise<Encoder>;
	readonly upsert: boolean;
}

/** Number of documents, or UTF-16 code units of text, after which the documents of an iterable are passed on. */
const MAX_DOCUMENTS = 1024;
const MAX_UNITS = 1 << 22;
/** Number of passages that are copied to the addon at a time: well under a millisecond. */
const PASSAGES_PER_SLICE = 256;

/**
Loads documents. Those of an array are added whole or not at all. Another iterable is read only as fast as its documents are added; if it or
a document fails, the documents before it remain added, and the error says how many.
*/
export class DocumentLoader {
	readonly #options: LoaderOptions;

	constructor(options: LoaderOptions) {
		this.#options = options;
	}

	/** Returns the number of documents. Progress counts documents. */
	async load(source: DocumentContent | Iterable<DocumentContent> | AsyncIterable<DocumentContent>, call: CallOptions): Promise<number> {
		const {signal, onProgress} = call;
		const name = this.#options.upsert ? 'upsert' : 'add';
		const isOne = isObject(source) && !isArray(source) && 'id' in source && ('text' in source || 'passages' in source);
		const documents = isOne ? [source as DocumentContent] : (source as Iterable<DocumentContent> | AsyncIterable<DocumentContent>);
		checkIterable(`${name}: documents`, documents, 'documents');
		const isWhole = isArray(documents);
		const total = isWhole ? documents.length : 0;
		let batch: PreparedDocument[] = [];
		let vectors = new VectorRows(this.#options.dim);
		let [units, read, added] = [0, 0, 0];
		const flush = async (): Promise<void> => {
			const prior = added;
			await this.#put(batch, vectors, signal, async done => {
				await awaitUnlessAborted(onProgress?.({done: prior + done, total}), signal);
			});
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
				if (!isWhole && (batch.length >= MAX_DOCUMENTS || units >= MAX_UNITS)) {
					await flush();
				}
				await yieldIfOverBudget();
			}
			if (batch.length > 0) {
				await flush();
			}
			return added;
		} catch (error) {
			throw added > 0 ? afterSome(error, added) : error;
		}
	}

	/** Encodes the passages that need it, and passes all documents to the addon. `vectors` are those that came with the documents. */
	async #put(
		documents: readonly PreparedDocument[],
		vectors: VectorRows,
		signal: AbortSignal | undefined,
		report: (done: number) => Promise<void>,
	): Promise<void> {
		const {handle, dim, upsert} = this.#options;
		const passages = documents.flatMap(({passages}) => passages);
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
				const runs = runsOf(slice, i => rows.get(from + i));
				for (const {isGiven, start, end} of runs) {
					batch.pushVectors(isGiven ? vectors.slice(start, end) : encoded!.subarray(start * dim!, end * dim!));
				}
			});
			await yieldIfOverBudget();
		}
		await callNative({signal}, async () => handle.put(batch, upsert));
		await report(documents.length);
	}

	/**
	Returns, for each passage, the ord of a committed passage of its document that has the same title and text, whose vector it keeps, or −1.
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

	/** Returns the vectors of passages, one after another. */
	async #encode(
		passages: readonly PreparedPassage[],
		signal: AbortSignal | undefined,
		documents: number,
		report: (done: number) => Promise<void>,
	): Promise<Float32Array> {
		return encodePassages(await this.#options.encoder(), passages, this.#options.dim!, {
			signal,
			// The documents count as done when the collection has them.
			onProgress: async ({done}) => report(Math.min(documents - 1, Math.floor((documents * done) / passages.length))),
		});
	}
}

/** Consecutive rows of the vectors that came with the documents, or else of those that the encoder returned. */
interface Run {
	readonly isGiven: boolean;
	readonly start: number;
	end: number;
}

/** Returns the rows of the vectors of passages, in order. `encodedRow` returns the row of a passage that was encoded. */
function runsOf(passages: readonly PreparedPassage[], encodedRow: (passage: number) => number | undefined): Run[] {
	const runs: Run[] = [];
	for (const [i, passage] of passages.entries()) {
		const isGiven = passage.row !== -1;
		const row = isGiven ? passage.row : encodedRow(i);
		const last = runs.at(-1);
		if (row === undefined) {
			continue;
		}
		if (last?.isGiven === isGiven && last.end === row) {
			last.end += 1;
		} else {
			runs.push({isGiven, start: row, end: row + 1});
		}
	}
	return runs;
}

/** Adds to an error how many documents were added before it. */
function afterSome(error: unknown, added: number): unknown {
	if (!(error instanceof RetrievalError)) {
		return error;
	}
	const count = added === 1 ? 'The document before it was' : `The ${added} documents before it were`;
	return new RetrievalError(error.code, `${error.message}. ${count} added; roll back to undo that.`, {cause: error});
}
