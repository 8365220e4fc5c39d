/**
Writes the passages of a corpus, or of another collection, with their ids and in their order. The call can be repeated after a stop: it
recognizes the passages that it has already written by a hash of their contents, and neither encodes nor writes them again.
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
import type {BulkWriter, Write} from './bulk.ts';
import {type RemotePassage, sourceJson} from './passages.ts';
import {storedPassages} from './stored.ts';

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
interface PushedPassage extends Omit<RemotePassage, 'vector'> {
	readonly vector: VectorInput | undefined;
	readonly hash: string;
}

/** Writes passages. Progress counts passages. */
export async function pushPassages(
	{index, bulk}: {readonly index: RemoteIndex; readonly bulk: BulkWriter},
	source: Iterable<PassageWithVector> | AsyncIterable<PassageWithVector>,
	{workers = 2, total = 0, signal, onProgress}: PushOptions,
): Promise<PushResult> {
	const concrete = await index.current(signal);
	const reader = batchesOf(source);
	let [passages, written, isFailed] = [0, 0, false];
	let reading: Promise<unknown> = Promise.resolve();
	/** Returns the next batch. A generator runs one step at a time, so the workers wait for each other here. */
	const nextBatch = async (): Promise<PushedPassage[] | undefined> => {
		const next = reading.then(async () => (isFailed ? undefined : ((await reader.next()).value ?? undefined)));
		reading = next.catch(() => {});
		return next;
	};
	const work = async (): Promise<void> => {
		try {
			for (let batch = await nextBatch(); batch !== undefined; batch = await nextBatch()) {
				signal?.throwIfAborted();
				const count = await pushBatch(index, bulk, concrete, batch, signal);
				written += count;
				passages += batch.length;
				await awaitUnlessAborted(onProgress?.({done: passages, total}), signal);
			}
		} catch (error) {
			isFailed = true;
			throw error;
		}
	};
	const results = await Promise.allSettled(Array.from({length: workers}, work));
	const failure = results.find(({status}) => status === 'rejected');
	if (failure !== undefined) {
		await reader.return();
		throw (failure as PromiseRejectedResult).reason;
	}
	return {passages, written};
}

/** Encodes and writes the passages of a batch that the index does not have yet, and returns their number. */
async function pushBatch(
	index: RemoteIndex,
	bulk: BulkWriter,
	concrete: string,
	batch: readonly PushedPassage[],
	signal: AbortSignal | undefined,
): Promise<number> {
	const {connection, analyzer, schema} = index.parts;
	const stored = await storedPassages(
		connection,
		concrete,
		batch.map(({id}) => id),
		{parts: [names.write], latest: true, signal},
	);
	const changed = batch.filter(({id, hash}) => stored.get(id)?.write !== hash);
	const toEncode = index.dim === undefined ? [] : changed.filter(({vector}) => vector === undefined);
	const {dim = 0} = index;
	const data =
		toEncode.length === 0 ? new Float32Array(0) : await encodePassages(await index.encoders().passages(), toEncode, dim, {signal});
	const rows = new Map(toEncode.map(({id}, row) => [id, data.subarray(row * dim, (row + 1) * dim)]));
	const isCosine = schema.settings.similarity === 'cosine';
	const writes: Write[] = [];
	for (const passage of changed) {
		const {id, vector: given} = passage;
		const vector = given === undefined ? rows.get(id) : checkedVector(`"${id}": vector`, given, index.dim);
		const scaled = vector !== undefined && isCosine ? unit(vector) : vector;
		writes.push({
			action: 'index',
			id,
			routing: documentOf(id),
			source: sourceJson({...passage, vector: scaled}, analyzer, passage.hash),
		});
		await yieldIfOverBudget();
	}
	await bulk.write(concrete, writes, {signal});
	return writes.length;
}

/**
Reads passages in batches. Consecutive passages `d#0`, `d#1`, … are the passages of one document; any other passage is a document of its own.
*/
async function* batchesOf(
	source: Iterable<PassageWithVector> | AsyncIterable<PassageWithVector>,
): AsyncGenerator<PushedPassage[], void, undefined> {
	let batch: PushedPassage[] = [];
	let document: PassageWithVector[] = [];
	let [added, read] = [0, 0];
	let ids = new Set<string>();
	const endDocument = (): void => {
		for (const [number, passage] of document.entries()) {
			added += 1;
			batch.push(pushed(passage, {number, count: document.length, added}));
		}
		document = [];
	};
	for await (const passage of source) {
		checkPassage(`passages[${read}]`, passage);
		read += 1;
		if (ids.has(passage.id)) {
			throw new RetrievalError('ERR_DUPLICATE_ID', `push: expected distinct ids, got "${passage.id}" twice`);
		}
		ids.add(passage.id);
		if (document.length > 0 && !isNext(document, passage)) {
			endDocument();
		}
		document.push(passage);
		if (batch.length >= BATCH_PASSAGES) {
			yield batch;
			batch = [];
			// A set of all ids would not fit in memory for large corpora. An id that occurs again later replaces its passage.
			ids = new Set(document.map(({id}) => id));
		}
	}
	endDocument();
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
	{id, title, text, fields, vector}: PassageWithVector,
	place: {readonly number: number; readonly count: number; readonly added: number},
): PushedPassage {
	const passage = {id, title: title ?? '', text, fields: fields === undefined ? '' : fieldsJson(`"${id}": fields`, fields), ...place};
	const hash = createHash('sha256').update(JSON.stringify(passage));
	if (vector !== undefined) {
		const numbers = Float32Array.from(vector);
		hash.update(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
	}
	return {...passage, vector, hash: hash.digest('base64url').slice(0, 22)};
}
