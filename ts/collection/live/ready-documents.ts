/** A batch of documents whose passages have vectors, ready to be passed to the addon. */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {type Binding, callNative, callSync, native} from '../../core/native/native.ts';
import type {Encoder, EncodeOptions} from '../../core/types.ts';
import type {PreparedDocument, PreparedPassage} from './documents.ts';
import {encodePassages} from './encoders.ts';
import type {VectorRows} from './vector-rows.ts';

/** Number of passages, or of documents, that are copied to the addon at a time. Copying them takes well under a millisecond. */
const PASSAGES_PER_SLICE = 256;

/** The collection to which documents are added. */
export interface Target {
	readonly handle: Binding.NativeCollection;
	/** The dimension of the vectors; `undefined` if the collection has none. */
	readonly dim: number | undefined;
	/** Returns the passage encoder; `undefined` if all vectors come with the documents. Called only if a passage must be encoded. */
	readonly encoder: (() => Promise<Encoder>) | undefined;
	/** Whether documents replace those that have the same ids. */
	readonly upsert: boolean;
}

/** Prepared documents with the vectors of their passages. */
export class ReadyDocuments {
	/** Number of documents. If there is no encoder, these are the documents before the first one that has a passage without a vector. */
	readonly count: number;
	readonly #target: Target;
	readonly #documents: readonly PreparedDocument[];
	readonly #passages: readonly PreparedPassage[];
	/** The vectors that came with the documents. */
	readonly #given: VectorRows;
	/** For each passage, the ord of the committed passage whose vector it takes over, or −1. */
	readonly #sameAs: readonly number[];
	/** The vectors that the encoder returned, row-major, and the row of each passage that has one. */
	readonly #encoded: Float32Array | undefined;
	readonly #rows: ReadonlyMap<number, number>;

	private constructor(
		target: Target,
		documents: readonly PreparedDocument[],
		given: VectorRows,
		vectors: {readonly sameAs: readonly number[]; readonly encoded: Float32Array | undefined; readonly toEncode: readonly number[]},
	) {
		this.#target = target;
		this.#documents = documents;
		this.#passages = documents.flatMap(({passages}) => passages);
		this.#given = given;
		this.#sameAs = vectors.sameAs;
		this.#encoded = vectors.encoded;
		this.#rows = new Map(vectors.toEncode.map((passage, row) => [passage, row]));
		this.count =
			vectors.encoded === undefined && vectors.toEncode.length > 0 ? documentOf(documents, vectors.toEncode[0]!) : documents.length;
	}

	/** Encodes the passages without a vector. `given` has the vectors that came with the documents. */
	static async of(
		target: Target,
		documents: readonly PreparedDocument[],
		given: VectorRows,
		options: EncodeOptions,
	): Promise<ReadyDocuments> {
		const {dim, encoder, upsert} = target;
		const passages = documents.flatMap(({passages}) => passages);
		const sameAs = passages.map(() => -1);
		const needsVector = dim === undefined ? [] : passages.flatMap(({row}, i) => (row === -1 ? [i] : []));
		if (upsert && needsVector.length > 0) {
			const ords = await unchanged(target.handle, documents, options.signal);
			for (const i of needsVector) {
				sameAs[i] = ords[i]!;
			}
		}
		const toEncode = needsVector.filter(i => sameAs[i] === -1);
		const encoded =
			toEncode.length === 0 || encoder === undefined
				? undefined
				: await encodePassages(
						await encoder(),
						toEncode.map(i => passages[i]!),
						options,
					);
		return new ReadyDocuments(target, documents, given, {sameAs, encoded, toEncode});
	}

	/** Adds the documents from `from` (included) to `to` (excluded): all or none. */
	async put(from: number, to: number, signal: AbortSignal | undefined): Promise<void> {
		const {handle, dim, upsert} = this.#target;
		const batch = new native.DocumentBatch();
		for (let start = from; start < to; start += PASSAGES_PER_SLICE) {
			const slice = this.#documents.slice(start, Math.min(to, start + PASSAGES_PER_SLICE));
			callSync(() =>
				batch.pushDocuments(
					slice.map(({id}) => id),
					slice.map(({fields}) => fields),
					slice.map(({passages}) => passages.length),
				),
			);
			await yieldIfOverBudget();
		}
		const end = passagesBefore(this.#documents, to);
		for (let start = passagesBefore(this.#documents, from); start < end; start += PASSAGES_PER_SLICE) {
			const slice = this.#passages.slice(start, Math.min(end, start + PASSAGES_PER_SLICE));
			callSync(() => {
				batch.pushPassages(
					slice.map(({title}) => title),
					slice.map(({text}) => text),
					this.#sameAs.slice(start, start + slice.length),
				);
				for (const rows of rowRangesOf(slice, i => this.#rows.get(start + i))) {
					batch.pushVectors(
						rows.isGiven ? this.#given.slice(rows.start, rows.end) : this.#encoded!.subarray(rows.start * dim!, rows.end * dim!),
					);
				}
			});
			await yieldIfOverBudget();
		}
		await callNative({signal}, async () => handle.put(batch, upsert));
	}
}

/** Returns the number of passages of the first `count` documents. */
function passagesBefore(documents: readonly PreparedDocument[], count: number): number {
	let passages = 0;
	for (let i = 0; i < count; i++) {
		passages += documents[i]!.passages.length;
	}
	return passages;
}

/** Returns the position of the document that has the passage at this position. */
function documentOf(documents: readonly PreparedDocument[], passage: number): number {
	let end = 0;
	return documents.findIndex(({passages}) => {
		end += passages.length;
		return passage < end;
	});
}

/**
Returns, for each passage, the ord of a committed passage of the same document with the same title and text, or −1 if there is none. The
passage takes over the vector of the committed one.
*/
async function unchanged(
	handle: Binding.NativeCollection,
	documents: readonly PreparedDocument[],
	signal: AbortSignal | undefined,
): Promise<number[]> {
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
			handle.unchanged(
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
