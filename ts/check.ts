/** Checks of arguments: what was expected, and what came. */
import {isFloat32Array} from 'node:util/types';
import {RetrievalError} from './errors.ts';
import type {Vectors} from './types.ts';

export function checkString(what: string, value: unknown): asserts value is string {
	if (typeof value !== 'string') {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a string, got ${kindOf(value)}`);
	}
}

export function checkStrings(what: string, values: unknown): asserts values is readonly string[] {
	if (!Array.isArray(values)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected an array of strings, got ${kindOf(values)}`);
	}
	for (const [i, value] of values.entries()) {
		if (typeof value !== 'string') {
			throw new RetrievalError('ERR_ARGUMENT', `${what}[${i}]: expected a string, got ${kindOf(value)}`);
		}
	}
}

/** A whole number from `least` to `most`. */
export function checkCount(what: string, value: unknown, least: number, most = 0xff_ff_ff_ff): asserts value is number {
	if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
		const range = most === 0xff_ff_ff_ff ? `of at least ${least}` : `from ${least} to ${most}`;
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a whole number ${range}, got ${shown(value)}`);
	}
}

export function checkNumber(what: string, value: unknown): asserts value is number {
	if (typeof value !== 'number' || !Number.isFinite(value)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a finite number, got ${shown(value)}`);
	}
}

export function checkBoolean(what: string, value: unknown): asserts value is boolean {
	if (typeof value !== 'boolean') {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a boolean, got ${shown(value)}`);
	}
}

export function checkOneOf<T extends string>(what: string, value: unknown, choices: readonly T[]): asserts value is T {
	if (!choices.includes(value as T)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected one of ${choices.join(', ')}, got ${shown(value)}`);
	}
}

/** A `Float32Array`, `length` long. `expected` is the length to tell a detached array by, where another is an error of its own. */
export function checkFloats(what: string, value: unknown, length?: number, expected = length): asserts value is Float32Array {
	// Also one that the addon made, which under Jest is of another context than this module.
	if (!isFloat32Array(value)) {
		const hint = Array.isArray(value) || ArrayBuffer.isView(value) ? '; pass Float32Array.from(it)' : '';
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a Float32Array, got ${kindOf(value)}${hint}`);
	}
	// Node 20 has no `detached`: there, no memory where some is expected must do.
	const {detached = value.buffer.byteLength === 0 && expected !== 0} = value.buffer as ArrayBufferLike & {readonly detached?: boolean};
	if (detached) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a Float32Array with its memory, got a detached one`);
	}
	if (length !== undefined && value.length !== length) {
		throw new RetrievalError('ERR_DIMENSION', `${what}: expected vectors of dimension ${length}, got ${value.length} values`);
	}
}

/** `[rows, dim]` of an index's dimension, as many rows as `rows` says. */
export function checkVectors(what: string, vectors: Vectors, dim: number, rows?: number): void {
	if (typeof vectors !== 'object' || vectors === null) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected {data, rows, dim}, got ${kindOf(vectors)}`);
	}
	if (vectors.dim !== dim) {
		throw new RetrievalError('ERR_DIMENSION', `${what}: expected vectors of dimension ${dim}, got ${shown(vectors.dim)}`);
	}
	checkCount(`${what}: rows`, vectors.rows, 0);
	checkFloats(`${what}: data`, vectors.data, undefined, vectors.rows * dim);
	if (vectors.data.length !== vectors.rows * dim) {
		throw new RetrievalError('ERR_DIMENSION', `${what}: expected ${vectors.rows} × ${dim} values, got ${vectors.data.length}`);
	}
	if (rows !== undefined && vectors.rows !== rows) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected one vector for each of ${rows} ids, got ${vectors.rows}`);
	}
}

export function kindOf(value: unknown): string {
	if (value === null) {
		return 'null';
	}
	return typeof value === 'object' ? `a ${value.constructor?.name ?? 'object'}` : typeof value;
}

export function shown(value: unknown): string {
	return typeof value === 'string' ? `"${value}"` : typeof value === 'number' || value === undefined ? String(value) : kindOf(value);
}
