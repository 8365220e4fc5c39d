/** Checks vectors that the caller passes, and collects the vectors of documents that are added. */
import {isFloat32Array} from 'node:util/types';
import {isArray, kindOf, shown} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';

/** The vector of a passage: finite numbers, one for each dimension of the collection's vectors. */
export type VectorInput = Float32Array | readonly number[];

/** Minimum capacity of a non-empty array, in rows. */
const MIN_CAPACITY_ROWS = 16;

/** Checked vectors in one growing array, `[rows, dim]`, row-major, which is much cheaper than an array per vector. */
export class VectorRows {
	readonly #dim: number | undefined;
	readonly #nonzero: boolean;
	#data = new Float32Array(0);
	#count = 0;

	/** `dim` is the dimension of the vectors; `undefined` if there must be none. With `nonzero`, a vector of zeros is refused. */
	constructor(dim: number | undefined, {nonzero}: {readonly nonzero: boolean}) {
		this.#dim = dim;
		this.#nonzero = nonzero;
	}

	/** Checks a vector, appends a copy, and returns its row. `what` is the start of error messages. */
	push(what: string, vector: unknown): number {
		const checked = checkedShape(what, vector, this.#dim);
		const dim = checked.length;
		const start = this.#count * dim;
		if (start + dim > this.#data.length) {
			const grown = new Float32Array(Math.max(MIN_CAPACITY_ROWS * dim, 2 * this.#data.length));
			grown.set(this.#data);
			this.#data = grown;
		}
		copyFinite(what, checked, this.#data, start);
		if (this.#nonzero && this.#data.subarray(start, start + dim).every(value => value === 0)) {
			throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a vector with a direction, for the cosine similarity, got only zeros`);
		}
		return this.#count++;
	}

	/** Returns a view of the rows from `from` (included) to `to` (excluded). */
	slice(from: number, to: number): Float32Array {
		const dim = this.#dim ?? 0;
		return this.#data.subarray(from * dim, to * dim);
	}
}

/** Checks a vector and returns a copy, because the caller may change the array before the vector is used. */
export function checkedVector(what: string, vector: unknown, dim: number | undefined): Float32Array {
	const checked = checkedShape(what, vector, dim);
	const copy = new Float32Array(checked.length);
	copyFinite(what, checked, copy, 0);
	return copy;
}

function checkedShape(what: string, vector: unknown, dim: number | undefined): VectorInput {
	if (dim === undefined) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected none, since the collection has no vectors, got ${kindOf(vector)}`);
	}
	if (!isFloat32Array(vector) && !isArray(vector)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a Float32Array or an array of numbers, got ${kindOf(vector)}`);
	}
	if (vector.length !== dim) {
		throw new RetrievalError('ERR_DIMENSION', `${what}: expected ${dim} numbers, got ${vector.length}`);
	}
	return vector as VectorInput;
}

/** Copies a vector to `target`, starting at index `start`. Fails if a number is not finite. */
function copyFinite(what: string, vector: VectorInput, target: Float32Array, start: number): void {
	if (isFloat32Array(vector)) {
		target.set(vector, start);
		// x · 0 is NaN exactly for the numbers that are not finite.
		let sum = 0;
		for (let i = start; i < start + vector.length; i++) {
			sum += target[i]! * 0;
		}
		if (sum === 0) {
			return;
		}
	}
	for (let i = 0; i < vector.length; i++) {
		const value: unknown = vector[i];
		if (!Number.isFinite(value)) {
			throw new RetrievalError('ERR_ARGUMENT', `${what}[${i}]: expected a finite number, got ${shown(value)}`);
		}
		if (!Number.isFinite(Math.fround(value as number))) {
			throw new RetrievalError('ERR_ARGUMENT', `${what}[${i}]: expected a number in the range of 32-bit floats, got ${shown(value)}`);
		}
		target[start + i] = value as number;
	}
}
