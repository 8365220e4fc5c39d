/** What crosses to the addon in slices, so that the event loop goes on. */
import {checkFloats, checkString, checkVectors, kindOf} from '../check.ts';
import {RetrievalError} from '../errors.ts';
import {type Binding, native, nextTurn} from '../native.ts';
import type {Vectors} from '../types.ts';

/** Copied in one turn of the event loop: under a millisecond. */
const BYTES_A_TURN = 1 << 20;
const IDS_A_TURN = 2000;

/** A view that no other thread writes to: of shared memory, a copy. */
export function unshared(values: Float32Array): Float32Array {
	return values.buffer instanceof SharedArrayBuffer ? values.slice() : values;
}

/** Copies ids, each a string, and refuses others. */
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
	checkArray(`${what}: ids`, ids);
	checkVectors(what, vectors, dim, ids.length);
	const batch = new native.VectorBatch();
	const count = ids.length;
	await copyIds(`${what}: ids`, ids, batch, signal);
	const rows = Math.max(1, Math.floor(BYTES_A_TURN / (4 * dim)));
	for (let from = 0; from < count; from += rows) {
		if (from > 0 || count > IDS_A_TURN) {
			await turn(signal);
		}
		// A buffer may have been detached or written to meanwhile, but not made another.
		checkFloats(`${what}: data`, vectors.data, count * dim);
		batch.push(unshared(vectors.data.subarray(from * dim, Math.min(from + rows, count) * dim)));
	}
	return batch;
}

async function copyIds(what: string, ids: readonly string[], batch: Binding.VectorBatch, signal?: AbortSignal): Promise<void> {
	checkArray(what, ids);
	const count = ids.length;
	for (let from = 0; from < count; from += IDS_A_TURN) {
		if (from > 0) {
			await turn(signal);
		}
		const slice: string[] = [];
		for (let at = from; at < Math.min(from + IDS_A_TURN, count); at++) {
			const id = ids[at];
			if (typeof id !== 'string') {
				checkString(`${what}[${at}]`, id);
			}
			slice.push(id!);
		}
		if (!batch.pushJoined(slice.length, slice.join('\0'))) {
			batch.pushIds(slice);
		}
	}
}

function checkArray(what: string, ids: unknown): void {
	if (!Array.isArray(ids)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected an array of strings, got ${kindOf(ids)}`);
	}
}

async function turn(signal?: AbortSignal): Promise<void> {
	await nextTurn();
	signal?.throwIfAborted();
}
