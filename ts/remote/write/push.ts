/**
Writes the passages of a corpus, or of another collection, with their ids and in their order. The call can be repeated after a stop: it
recognizes the passages that it has already written by a hash of their contents, and neither encodes nor writes them again.

A stored passage keeps its place in the order, also if its contents change, and a new passage gets the place that it has in the source. The
places are consecutive numbers from an origin. It is the time of the first push, and later pushes compute it from the place of an unchanged
passage near the start of the source. So a push that was stopped continues with the same places.
*/
import {createHash} from 'node:crypto';
import {awaitUnlessAborted} from '../../core/callbacks.ts';
import {checkPassage} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {documentOf} from '../../core/filters/document-id.ts';
import {fieldsJson} from '../../core/filters/fields.ts';
import type {CallOptions, Passage} from '../../core/types.ts';
import {encodePassages} from '../../collection/live/encoders.ts';
import {type VectorInput, checkedVector} from '../../collection/live/vector-rows.ts';
import type {RemoteIndex} from '../index/remote-index.ts';
import {names} from '../index/schema.ts';
import {unit} from '../search/retrieval.ts';
import {type BulkWriter, type Write, removal} from './bulk.ts';
import {checkFieldSizes, checkPassageId} from './limits.ts';
import {type RemotePassage, type Source, nextAdded, noteAdded, sourceJson} from './passages.ts';
import {keptVectors, storedPassages} from './stored.ts';

/** A passage with its vector, if it has one already. */
export interface PassageWithVector extends Passage {
	/** @default the vector that the encoder computes */
	readonly vector?: VectorInput | undefined;
}

/** The options of `OpenSearchCollection.push`. */
export interface PushOptions extends CallOptions {
	/** Number of batches that are encoded and written at the same time. @default 2 */
	readonly workers?: number | undefined;
	/** Number of passages, for progress. @default 0, which means unknown */
	readonly total?: number | undefined;
}

/** The result of `OpenSearchCollection.push`. */
export interface PushResult {
	/** Number of passages that were read. */
	readonly passages: number;
	/** Number of passages that were written. The index already had the others. */
	readonly written: number;
}

/** Number of passages per batch. */
const BATCH_PASSAGES = 512;

/** A passage before its vector is known, with the hash of its contents. */
interface PushedPassage extends Omit<RemotePassage, 'vector' | 'added'> {
	/** `undefined` if the encoder computes it. */
	readonly vector: Float32Array | undefined;
	/** The position in the source, from 0. */
	readonly position: number;
	readonly hash: string;
}

/** Writes passages. Progress counts passages. */
export async function pushPassages(
	{index, bulk}: {readonly index: RemoteIndex; readonly bulk: BulkWriter},
	source: Iterable<PassageWithVector> | AsyncIterable<PassageWithVector>,
	{workers = 2, total = 0, signal, onProgress}: PushOptions,
): Promise<PushResult> {
	return index.toCurrent(async concrete => pushTo(concrete, {index, bulk}, source, {workers, total, signal, onProgress}), signal);
}

async function pushTo(
	concrete: string,
	{index, bulk}: {readonly index: RemoteIndex; readonly bulk: BulkWriter},
	source: Iterable<PassageWithVector> | AsyncIterable<PassageWithVector>,
	{workers, total, signal, onProgress}: PushOptions & {readonly workers: number; readonly total: number},
): Promise<PushResult> {
	const reader = batchesOf(source, index.dim);
	let [passages, written, isFailed] = [0, 0, false];
	let origin: number | undefined;
	let reading: Promise<unknown> = Promise.resolve();
	/** Returns the next batch. A generator runs one step at a time, so the workers wait for each other here. */
	const nextBatch = async (): Promise<PushedPassage[] | undefined> => {
		const next = reading.then(async () => (isFailed ? undefined : ((await reader.next()).value ?? undefined)));
		reading = next.catch(() => {});
		return next;
	};
	const work = async (maxBatches: number): Promise<void> => {
		try {
			for (let done = 0; done < maxBatches; done++) {
				const batch = await nextBatch();
				if (batch === undefined) {
					return;
				}
				signal?.throwIfAborted();
				const stored = await storedPassages(
					index.parts.connection,
					concrete,
					batch.map(({id}) => id),
					{parts: [names.write, names.count, names.added], latest: true, signal},
				);
				origin ??= originOf(batch, stored);
				const count = await pushBatch(index, bulk, concrete, batch, {stored, origin, signal});
				written += count;
				passages += batch.length;
				await awaitUnlessAborted(onProgress?.({done: passages, total}), signal);
			}
		} catch (error) {
			isFailed = true;
			throw error;
		}
	};
	try {
		// The first batch is written before the others, so that a call that continues after a stop finds the origin.
		await work(1);
		const results = await Promise.allSettled(Array.from({length: workers}, async () => work(Infinity)));
		const failure = results.find(({status}) => status === 'rejected');
		if (failure !== undefined) {
			throw (failure as PromiseRejectedResult).reason;
		}
	} catch (error) {
		await reader.return();
		throw error;
	}
	return {passages, written};
}

/** Returns the place of the first passage of the source. */
function originOf(batch: readonly PushedPassage[], stored: ReadonlyMap<string, Source>): number {
	const known = batch.find(({id, hash}) => stored.get(id)?.write === hash);
	return known === undefined ? nextAdded(1) : stored.get(known.id)!.added - known.position;
}

/** Encodes and writes the passages of a batch that the index does not have yet, and returns their number. */
async function pushBatch(
	index: RemoteIndex,
	bulk: BulkWriter,
	concrete: string,
	batch: readonly PushedPassage[],
	{
		stored,
		origin,
		signal,
	}: {readonly stored: ReadonlyMap<string, Source>; readonly origin: number; readonly signal: AbortSignal | undefined},
): Promise<number> {
	const {connection, analyzer, schema} = index.parts;
	noteAdded(origin + batch.at(-1)!.position);
	const changed = batch.filter(({id, hash}) => stored.get(id)?.write !== hash);
	const {dim} = index;
	const missing = dim === undefined ? [] : changed.filter(({vector}) => vector === undefined);
	const vectors = await keptVectors(
		connection,
		concrete,
		missing.filter(({id}) => stored.has(id)),
		signal,
	);
	const toEncode = missing.filter(({id}) => !vectors.has(id));
	if (dim !== undefined && toEncode.length > 0) {
		const data = await encodePassages(await index.encoders().passages(), toEncode, {signal});
		for (const [row, {id}] of toEncode.entries()) {
			vectors.set(id, data.subarray(row * dim, (row + 1) * dim));
		}
	}
	const isCosine = schema.settings.similarity === 'cosine';
	const surplus = await surplusPassages(index, concrete, batch, stored, signal);
	// See `documents.ts` for why the first passage of a document is written before or after the others.
	const [early, others, late]: [Write[], Write[], Write[]] = [[], surplus.map(removal), []];
	for (const passage of changed) {
		const {id, hash, position, number, count} = passage;
		const vector = passage.vector ?? vectors.get(id);
		const scaled = vector !== undefined && isCosine ? unit(vector) : vector;
		const added = stored.get(id)?.added ?? origin + position;
		const source = sourceJson({...passage, vector: scaled, added}, analyzer, hash);
		const isShrinking = (stored.get(id)?.count ?? 0) > count;
		const step = number > 0 || (count === 1 && !isShrinking) ? others : isShrinking ? late : early;
		step.push({action: 'index', id, routing: documentOf(id), source});
		await yieldIfOverBudget();
	}
	for (const step of [early, others, late]) {
		await bulk.write(concrete, step, {signal});
	}
	return changed.length;
}

/** Returns the stored passages of the documents of a batch that the documents no longer have. */
async function surplusPassages(
	{parts: {connection}}: RemoteIndex,
	concrete: string,
	batch: readonly PushedPassage[],
	stored: ReadonlyMap<string, Source>,
	signal: AbortSignal | undefined,
): Promise<string[]> {
	const ids = new Set(batch.map(({id}) => id));
	const numbers = new Map<string, number>();
	for (const {id, count} of batch) {
		const document = documentOf(id);
		const before = id === `${document}#0` ? (stored.get(id)?.count ?? 0) : 0;
		for (let number = count; number < before; number++) {
			if (!ids.has(`${document}#${number}`)) {
				numbers.set(`${document}#${number}`, number);
			}
		}
	}
	const found = await storedPassages(connection, concrete, [...numbers.keys()], {parts: [names.number], latest: true, signal});
	// A passage with another number was pushed apart from the others, as a document of its own.
	return [...found].filter(([id, {number}]) => number === numbers.get(id)).map(([id]) => id);
}

/**
Reads passages in batches. Consecutive passages `d#0`, `d#1`, … are the passages of one document; any other passage is a document of its own.
*/
async function* batchesOf(
	source: Iterable<PassageWithVector> | AsyncIterable<PassageWithVector>,
	dim: number | undefined,
): AsyncGenerator<PushedPassage[], void, undefined> {
	let batch: PushedPassage[] = [];
	let document: PassageWithVector[] = [];
	let [position, read] = [0, 0];
	let ids = new Set<string>();
	const endDocument = async (): Promise<void> => {
		for (const [number, passage] of document.entries()) {
			batch.push(pushed(passage, {number, count: document.length, position}, dim));
			position += 1;
			await yieldIfOverBudget();
		}
		document = [];
	};
	for await (const passage of source) {
		const what = `passages[${read}]`;
		checkPassage(what, passage);
		checkPassageId(`${what}: id`, passage.id);
		read += 1;
		if (ids.has(passage.id)) {
			throw new RetrievalError('ERR_DUPLICATE_ID', `push: expected distinct ids, got "${passage.id}" twice`);
		}
		ids.add(passage.id);
		if (document.length > 0 && !isNext(document, passage)) {
			await endDocument();
		}
		document.push(passage);
		if (batch.length >= BATCH_PASSAGES) {
			yield batch;
			batch = [];
			// A set of all ids would not fit in memory for large corpora. An id that occurs again later replaces its passage.
			ids = new Set(document.map(({id}) => id));
		}
	}
	await endDocument();
	if (batch.length > 0) {
		yield batch;
	}
}

/** Whether a passage continues the document of the passages before it. */
function isNext(document: readonly PassageWithVector[], {id}: PassageWithVector): boolean {
	const [first] = document as readonly [PassageWithVector];
	const name = documentOf(first.id);
	return first.id === `${name}#0` && id === `${name}#${document.length}`;
}

function pushed(
	{id, title, text, fields, vector: given}: PassageWithVector,
	{position, ...place}: {readonly number: number; readonly count: number; readonly position: number},
	dim: number | undefined,
): PushedPassage {
	const passage = {id, title: title ?? '', text, fields: fields === undefined ? '' : fieldsJson(`"${id}": fields`, fields), ...place};
	checkFieldSizes(`"${id}": fields`, passage.fields);
	// The position is not part of the hash. Otherwise a passage that is inserted would change all passages after it.
	const hash = createHash('sha256').update(JSON.stringify(passage));
	const vector = given === undefined ? undefined : checkedVector(`"${id}": vector`, given, dim);
	if (vector !== undefined) {
		hash.update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
	}
	return {...passage, position, vector, hash: hash.digest('base64url').slice(0, 22)};
}
