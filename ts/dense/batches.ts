/** Copies ids and vectors to the addon in slices, so that the event loop is never blocked for long. */
import {isSharedArrayBuffer} from 'node:util/types';
import {checkArray, checkFloats, checkId, checkVectors, isWellFormed} from '../core/checks.ts';
import {type Binding, callNative, callSync, native} from '../core/native/native.ts';
import {yieldIfOverBudget, yieldToEventLoop} from '../core/event-loop.ts';
import type {Vectors} from '../core/types.ts';

/** Maximum number of bytes per slice of vectors. Copying a slice takes a few tenths of a millisecond. */
const BYTES_PER_SLICE = 1 << 19;
/** Maximum number of ids per slice. */
const IDS_PER_SLICE = 1000;

/** Returns the array itself, or a copy if it is in shared memory, to which another thread could write during a call. */
export function unshared(values: Float32Array): Float32Array {
	return isSharedArrayBuffer(values.buffer) ? values.slice() : values;
}

/** Copies ids to the addon, the first slice before it returns. Fails with `ERR_ARGUMENT` if an id is not a well-formed string. */
export async function idBatch(what: string, ids: readonly string[], signal?: AbortSignal): Promise<Binding.VectorBatch> {
	const batch = new native.VectorBatch();
	await copyIds(what, ids, batch, signal);
	return batch;
}

/** Copies vectors `[ids.length, dim]` and their ids to the addon: before it returns, if there is only one slice of both. */
export async function vectorBatch(
	what: string,
	ids: readonly string[],
	vectors: Vectors,
	dim: number,
	signal?: AbortSignal,
): Promise<Binding.VectorBatch> {
	checkArray(`${what}: ids`, ids, 'strings');
	checkVectors(what, vectors, dim, ids.length);
	if (ids.length <= IDS_PER_SLICE && isOneSlice(vectors)) {
		const batch = smallBatch(vectors);
		copySlice(`${what}: ids`, ids, 0, ids.length, batch);
		batch.push(unshared(vectors.data));
		return batch;
	}
	const batch = await batchWithCapacity(vectors, signal);
	await copyIds(`${what}: ids`, ids, batch, signal);
	if (ids.length > IDS_PER_SLICE) {
		await nextSlice(signal);
	}
	await copyRows(what, vectors, batch, signal);
	return batch;
}

/** Copies query vectors `[rows, dim]`, which have no ids, to the addon: before it returns, if there is only one slice. */
export async function queryBatch(what: string, queries: Vectors, dim: number, signal?: AbortSignal): Promise<Binding.VectorBatch> {
	checkVectors(what, queries, dim);
	if (isOneSlice(queries)) {
		const batch = smallBatch(queries);
		batch.push(unshared(queries.data));
		return batch;
	}
	const batch = await batchWithCapacity(queries, signal);
	await copyRows(what, queries, batch, signal);
	return batch;
}

/** Returns an empty batch. A large batch is allocated on another thread, because allocating it takes longer than copying a slice. */
async function batchWithCapacity(vectors: Vectors, signal?: AbortSignal): Promise<Binding.VectorBatch> {
	const {rows, dim} = vectors;
	return isOneSlice(vectors) ? smallBatch(vectors) : callNative({signal}, async () => native.batchWithRoom(rows, dim));
}

function isOneSlice({rows, dim}: Vectors): boolean {
	return 4 * rows * dim <= BYTES_PER_SLICE;
}

function smallBatch({rows, dim}: Vectors): Binding.VectorBatch {
	const batch = new native.VectorBatch();
	callSync(() => batch.reserve(rows, dim));
	return batch;
}

async function copyRows(what: string, vectors: Vectors, batch: Binding.VectorBatch, signal?: AbortSignal): Promise<void> {
	const {rows, dim} = vectors;
	const slice = Math.max(1, Math.floor(BYTES_PER_SLICE / (4 * dim)));
	for (let from = 0; from < rows; from += slice) {
		if (from > 0) {
			await nextSlice(signal);
		}
		// The buffer may have been detached since the last slice.
		checkFloats(`${what}: data`, vectors.data, rows * dim);
		batch.push(unshared(vectors.data.subarray(from * dim, Math.min(from + slice, rows) * dim)));
	}
}

async function copyIds(what: string, ids: readonly string[], batch: Binding.VectorBatch, signal?: AbortSignal): Promise<void> {
	checkArray(what, ids, 'strings');
	const count = ids.length;
	for (let from = 0; from < count; from += IDS_PER_SLICE) {
		if (from > 0) {
			await nextSlice(signal);
		}
		copySlice(what, ids, from, Math.min(from + IDS_PER_SLICE, count), batch);
	}
}

/**
Copies the ids from position `from` up to `to` as one string joined with U+0000, because one string crosses to the addon faster than many.
If an id contains that character, they are copied as an array.
*/
function copySlice(what: string, ids: readonly string[], from: number, to: number, batch: Binding.VectorBatch): void {
	const slice: string[] = [];
	for (let at = from; at < to; at++) {
		const id = ids[at];
		if (typeof id !== 'string') {
			checkId(`${what}[${at}]`, id);
		}
		slice.push(id!);
	}
	const joined = slice.join('\0');
	if (!isWellFormed(joined)) {
		slice.forEach((id, i) => checkId(`${what}[${from + i}]`, id));
	}
	if (!batch.pushJoined(slice.length, joined)) {
		batch.pushIds(slice);
	}
}

/** Waits for the next iteration of the event loop that has time left: other calls may be copying slices, too. */
async function nextSlice(signal?: AbortSignal): Promise<void> {
	await yieldToEventLoop();
	await yieldIfOverBudget();
	signal?.throwIfAborted();
}
