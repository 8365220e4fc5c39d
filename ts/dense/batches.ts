/** What crosses to the addon in slices, so that the event loop goes on. */
import {isSharedArrayBuffer} from 'node:util/types';
import {checkArray, checkFloats, checkId, checkVectors, isWellFormed} from '../core/checks.ts';
import {type Binding, callNative, callSync, native} from '../core/native/native.ts';
import {waitForTime, yieldToEventLoop} from '../core/event-loop.ts';
import type {Vectors} from '../core/types.ts';

/** Copied at once: some tenths of a millisecond. */
const BYTES_A_SLICE = 1 << 19;
const IDS_A_SLICE = 1000;

/** A view that no other thread writes to: of shared memory, a copy. */
export function unshared(values: Float32Array): Float32Array {
	return isSharedArrayBuffer(values.buffer) ? values.slice() : values;
}

/** Copies ids. Throws if one is not a well-formed string. */
export async function idBatch(what: string, ids: readonly string[], signal?: AbortSignal): Promise<Binding.VectorBatch> {
	const batch = new native.VectorBatch();
	await copyIds(what, ids, batch, signal);
	return batch;
}

/** Copies vectors of dimension `dim` with one id each. */
export async function vectorBatch(
	what: string,
	ids: readonly string[],
	vectors: Vectors,
	dim: number,
	signal?: AbortSignal,
): Promise<Binding.VectorBatch> {
	checkArray(`${what}: ids`, ids, 'strings');
	checkVectors(what, vectors, dim, ids.length);
	const batch = await withRoom(vectors, signal);
	await copyIds(`${what}: ids`, ids, batch, signal);
	if (ids.length > IDS_A_SLICE) {
		await time(signal);
	}
	await copyRows(what, vectors, batch, signal);
	return batch;
}

/** Copies queries of dimension `dim`, without names. */
export async function queryBatch(what: string, queries: Vectors, dim: number, signal?: AbortSignal): Promise<Binding.VectorBatch> {
	checkVectors(what, queries, dim);
	const batch = await withRoom(queries, signal);
	await copyRows(what, queries, batch, signal);
	return batch;
}

/** Room for much is made on another thread: the system takes longer to give out memory than it takes to copy into it. */
async function withRoom({rows, dim}: Vectors, signal?: AbortSignal): Promise<Binding.VectorBatch> {
	if (4 * rows * dim > BYTES_A_SLICE) {
		return callNative({signal}, async () => native.batchWithRoom(rows, dim));
	}
	const batch = new native.VectorBatch();
	callSync(() => batch.reserve(rows, dim));
	return batch;
}

async function copyRows(what: string, vectors: Vectors, batch: Binding.VectorBatch, signal?: AbortSignal): Promise<void> {
	const {rows, dim} = vectors;
	const slice = Math.max(1, Math.floor(BYTES_A_SLICE / (4 * dim)));
	for (let from = 0; from < rows; from += slice) {
		if (from > 0) {
			await time(signal);
		}
		// A buffer may have been detached meanwhile.
		checkFloats(`${what}: data`, vectors.data, rows * dim);
		batch.push(unshared(vectors.data.subarray(from * dim, Math.min(from + slice, rows) * dim)));
	}
}

async function copyIds(what: string, ids: readonly string[], batch: Binding.VectorBatch, signal?: AbortSignal): Promise<void> {
	checkArray(what, ids, 'strings');
	const count = ids.length;
	for (let from = 0; from < count; from += IDS_A_SLICE) {
		if (from > 0) {
			await time(signal);
		}
		copySlice(what, ids, from, Math.min(from + IDS_A_SLICE, count), batch);
	}
}

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

/** Lets others have their turn after each slice, and waits for one that has time left: other calls have slices too. */
async function time(signal?: AbortSignal): Promise<void> {
	await yieldToEventLoop();
	await waitForTime();
	signal?.throwIfAborted();
}
