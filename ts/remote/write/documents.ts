/**
Adds and replaces documents. A document is not changed in one step: its passages become visible one after another, and a call that
fails may leave some documents changed and one of them in part. The call that failed can be repeated with `upsert`.

The first passage of a document, `d#0`, stores how many passages the document has, and later calls find the others by this number. So at any
time it must be at least the number of passages that are stored: a document that grows gets its first passage before the others, and one that
shrinks gets it after the surplus passages were deleted. Then no failure leaves a passage that later calls do not find.
*/
import {awaitUnlessAborted} from '../../core/callbacks.ts';
import {checkIterable, isArray, isObject} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {documentOf} from '../../core/filters/document-id.ts';
import type {CallOptions} from '../../core/types.ts';
import {type DocumentContent, type PreparedDocument, prepared} from '../../collection/live/documents.ts';
import {encodePassages} from '../../collection/live/encoders.ts';
import {VectorRows} from '../../collection/live/vector-rows.ts';
import type {RemoteIndex} from '../index/remote-index.ts';
import {names} from '../index/schema.ts';
import {unit} from '../search/retrieval.ts';
import {type BulkWriter, RemoteWriteError, type Write, removal} from './bulk.ts';
import {checkFieldSizes, checkPassageId} from './limits.ts';
import {type RemotePassage, newWriteId, nextAdded, sourceJson} from './passages.ts';
import {keptVectors, storedPassages} from './stored.ts';

/** A batch ends when it has this number of documents, or of UTF-16 code units of text. */
const BATCH_DOCUMENTS = 1024;
const BATCH_UNITS = 1 << 22;

/** Where documents are written. */
export interface WriteTarget {
	readonly index: RemoteIndex;
	readonly bulk: BulkWriter;
}

/** Adds documents, or with `upsert` also replaces those that have the same ids, and returns their number. Progress counts documents. */
export async function putDocuments(
	target: WriteTarget,
	source: DocumentContent | Iterable<DocumentContent> | AsyncIterable<DocumentContent>,
	upsert: boolean,
	{signal, onProgress}: CallOptions,
): Promise<number> {
	const name = upsert ? 'upsert' : 'add';
	const isOne = isObject(source) && !isArray(source) && 'id' in source && ('text' in source || 'passages' in source);
	const documents = isOne ? [source as DocumentContent] : (source as Iterable<DocumentContent>);
	checkIterable(`${name}: documents`, documents, 'documents');
	return target.index.toCurrent(async concrete => putTo(concrete, target, documents, {name, upsert, signal, onProgress}), signal);
}

async function putTo(
	concrete: string,
	target: WriteTarget,
	documents: Iterable<DocumentContent> | AsyncIterable<DocumentContent>,
	{name, upsert, signal, onProgress}: CallOptions & {readonly name: string; readonly upsert: boolean},
): Promise<number> {
	const {index} = target;
	const {split} = index.parts.schema.settings;
	const total = isArray(documents) ? documents.length : 0;
	let batch: PreparedDocument[] = [];
	const nonzero = index.parts.schema.settings.similarity === 'cosine';
	let vectors = new VectorRows(index.dim, {nonzero});
	let [units, read, added] = [0, 0, 0];
	const flush = async (): Promise<void> => {
		await putBatch(target, concrete, batch, vectors, upsert, signal);
		added += batch.length;
		batch = [];
		vectors = new VectorRows(index.dim, {nonzero});
		units = 0;
		await awaitUnlessAborted(onProgress?.({done: added, total}), signal);
		signal?.throwIfAborted();
	};
	try {
		for await (const document of documents) {
			signal?.throwIfAborted();
			const what = `${name}: documents[${read}]`;
			const one = prepared(what, document, split, vectors);
			checkPassageId(`${what}: id`, `${one.id}#${one.passages.length - 1}`);
			checkFieldSizes(`${what}: fields`, one.fields);
			read += 1;
			batch.push(one);
			units += one.passages.reduce((sum, {text}) => sum + text.length, 0);
			if (batch.length >= BATCH_DOCUMENTS || units >= BATCH_UNITS) {
				await flush();
			}
			await yieldIfOverBudget();
		}
		if (batch.length > 0) {
			await flush();
		}
	} catch (error) {
		if (added === 0 || !(error instanceof RetrievalError)) {
			throw error;
		}
		const message = `${error.message}. The documents before it (${added}) were added.`;
		throw error instanceof RemoteWriteError
			? new RemoteWriteError(message, error.refused, {cause: error})
			: new RetrievalError(error.code, message, {cause: error});
	}
	return added;
}

/** Writes the documents of one batch. */
async function putBatch(
	{index, bulk}: WriteTarget,
	concrete: string,
	documents: readonly PreparedDocument[],
	vectors: VectorRows,
	upsert: boolean,
	signal: AbortSignal | undefined,
): Promise<void> {
	const {connection, analyzer} = index.parts;
	checkDistinct(documents);
	const old = await oldPassages(
		index,
		concrete,
		documents.map(({id}) => id),
		signal,
		upsert,
	);
	const existing = documents.find(({id}) => old.get(id)!.length > 0);
	if (!upsert && existing !== undefined) {
		throw alreadyExists(existing.id);
	}
	const passages = await withVectors(index, concrete, documents, vectors, old, signal);
	const write = newWriteId();
	const writes: Write[] = [];
	for (const passage of passages) {
		const isFirst = passage.number === 0;
		const source = sourceJson(passage, analyzer, write);
		writes.push({action: isFirst && !upsert ? 'create' : 'index', id: passage.id, routing: documentOf(passage.id), source});
		await yieldIfOverBudget();
	}
	const removed: string[] = [];
	const shrinking = new Set<string>();
	for (const {id, passages: parts} of documents) {
		const surplus = old.get(id)!.filter(passage => !isKept(id, passage, parts.length));
		removed.push(...surplus);
		// The passage with the id of its document is not one of the numbered passages.
		if (surplus.some(passage => passage !== id)) {
			shrinking.add(id);
		}
	}
	const firsts = writes.filter((_, i) => passages[i]!.number === 0);
	const early = firsts.filter(({routing}) => !shrinking.has(routing));
	// The first passage of a document also decides which of two concurrent calls adds it.
	const outcomes = await bulk.write(concrete, early, {signal});
	const refused = early.filter((_, i) => outcomes[i] === 'exists').map(({id}) => id);
	// If an attempt was done but its answer was lost, the passage exists because of this call.
	const stored = await storedPassages(connection, concrete, refused, {parts: [names.write], latest: true, signal});
	const others = new Set(refused.filter(id => stored.get(id)?.write !== write).map(documentOf));
	const rest = writes.filter(({routing}, i) => passages[i]!.number > 0 && !others.has(routing));
	await bulk.write(concrete, [...rest, ...removed.map(removal)], {signal});
	const late = firsts.filter(({routing}) => shrinking.has(routing));
	await bulk.write(concrete, late, {signal});
	const [other] = others;
	if (other !== undefined) {
		throw alreadyExists(other);
	}
}

/** Returns the ids of the stored passages of documents, by the id of the document. */
export async function oldPassages(
	{parts: {connection}}: RemoteIndex,
	concrete: string,
	documents: readonly string[],
	signal: AbortSignal | undefined,
	isComplete = true,
): Promise<Map<string, readonly string[]>> {
	// Passages that were pushed from a corpus may be documents of their own, whose passage has the same id.
	const firsts = documents.flatMap(id => (id === '' ? [] : [`${id}#0`, id]));
	const stored = await storedPassages(connection, concrete, firsts, {parts: [names.count], latest: true, signal});
	return new Map(
		documents.map(id => {
			const first = stored.get(`${id}#0`);
			const count = first === undefined ? 0 : isComplete ? first.count : 1;
			return [id, [...(stored.has(id) ? [id] : []), ...Array.from({length: count}, (_, n) => `${id}#${n}`)]];
		}),
	);
}

/** Whether a stored passage is replaced by one of the new passages, of which there are `length`. */
function isKept(document: string, passage: string, length: number): boolean {
	return passage !== document && Number(passage.slice(document.length + 1)) < length;
}

/** Returns the passages of documents with their vectors. A stored passage with the same title and text keeps its vector. */
async function withVectors(
	index: RemoteIndex,
	concrete: string,
	documents: readonly PreparedDocument[],
	vectors: VectorRows,
	old: ReadonlyMap<string, readonly string[]>,
	signal: AbortSignal | undefined,
): Promise<RemotePassage[]> {
	const {connection, schema} = index.parts;
	const count = documents.reduce((sum, {passages}) => sum + passages.length, 0);
	let added = nextAdded(count);
	const passages = documents.flatMap(({id, fields, passages: parts}) =>
		parts.map(({title, text, row}, number) => ({
			id: `${id}#${number}`,
			number,
			count: parts.length,
			title,
			text,
			fields,
			added: added++,
			vector: row === -1 ? undefined : vectors.slice(row, row + 1),
		})),
	);
	if (index.dim === undefined) {
		return passages;
	}
	const missing = passages.filter(({vector}) => vector === undefined);
	const ids = new Set([...old.values()].flat());
	const stored = missing.filter(({id}) => ids.has(id));
	const kept = await keptVectors(connection, concrete, stored, signal);
	const toEncode = missing.filter(({id}) => !kept.has(id));
	if (toEncode.length > 0) {
		const {dim} = index;
		const data = await encodePassages(await index.encoders().passages(), toEncode, {signal});
		for (const [i, {id}] of toEncode.entries()) {
			kept.set(id, data.subarray(i * dim, (i + 1) * dim));
		}
	}
	const scaled = schema.settings.similarity === 'cosine' ? unit : (vector: Float32Array) => vector;
	return passages.map(passage => ({...passage, vector: scaled(passage.vector ?? kept.get(passage.id)!)}));
}

/** Replaces the fields of a document. */
export async function setDocumentFields({index, bulk}: WriteTarget, document: string, fields: string): Promise<void> {
	checkFieldSizes('setFields: fields', fields);
	await index.toCurrent(async concrete => setFieldsIn(concrete, {index, bulk}, document, fields));
}

async function setFieldsIn(concrete: string, {index, bulk}: WriteTarget, document: string, fields: string): Promise<void> {
	const {connection, analyzer} = index.parts;
	const ids = (await oldPassages(index, concrete, [document], undefined)).get(document)!;
	if (ids.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', `setFields: expected the id of a document of the index, got "${document}"`);
	}
	const parts = [names.number, names.count, names.added, names.title, names.text, names.vector];
	const stored = await storedPassages(connection, concrete, ids, {parts, latest: true});
	const write = newWriteId();
	const writes = [...stored].map(([id, {title = '', vector, ...passage}]): Write => {
		const changed = {...passage, id, title, fields, vector: vector === undefined ? undefined : Float32Array.from(vector)};
		return {action: 'index', id, routing: documentOf(id), source: sourceJson(changed, analyzer, write)};
	});
	await bulk.write(concrete, writes);
}

function checkDistinct(documents: readonly PreparedDocument[]): void {
	const ids = new Set<string>();
	for (const {id} of documents) {
		if (ids.has(id)) {
			throw new RetrievalError('ERR_DUPLICATE_ID', `documents: expected distinct ids, got "${id}" twice`);
		}
		ids.add(id);
	}
}

function alreadyExists(id: string): RetrievalError {
	return new RetrievalError(
		'ERR_DUPLICATE_ID',
		`add: expected documents with new ids, got "${id}", which the index has; replace it with upsert`,
	);
}
