/** Checks the vectors that a function of the user returned, and copies them into the result of `encode`. */
import {isFloat32Array} from 'node:util/types';
import {isArray, kindOf, shown} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';

/** Allowed deviation from length 1 of vectors that are declared as normalized. APIs round some vectors to 16 bits or to few digits. */
const UNIT_TOLERANCE = 0.01;

/** What the vectors of an encoder must be like. */
export interface VectorForm {
	readonly dim: number;
	/** Whether the vectors must have length 1. */
	readonly normalized: boolean;
}

/** Accepts an array of `count` elements. `what` names its source, and `texts` the texts, as in "the batch of 2 texts from inputs[5]". */
export function checkReturned(what: string, texts: string, returned: unknown, count: number): asserts returned is readonly unknown[] {
	if (!isArray(returned)) {
		throw new RetrievalError('ERR_ENCODER', `${what}: expected an array of ${count} vectors for ${texts}, got ${kindOf(returned)}`);
	}
	if (returned.length !== count) {
		throw new RetrievalError('ERR_ENCODER', `${what}: expected ${count} vectors for ${texts}, got ${returned.length}`);
	}
}

/**
Copies the vector of `inputs[position]` to row `position` of `data`. Fails with `ERR_DIMENSION` if its length is not `dim`, and with
`ERR_ENCODER` if it is not an array of finite numbers, or not of length 1 although the encoder is declared as normalized.
*/
export function copyVector(what: string, vector: unknown, position: number, {dim, normalized}: VectorForm, data: Float32Array): void {
	const isPlainArray = isArray(vector);
	if (!isPlainArray && !isFloat32Array(vector)) {
		const got = kindOf(vector);
		throw new RetrievalError('ERR_ENCODER', `${what}: expected an array of numbers or a Float32Array for inputs[${position}], got ${got}`);
	}
	if (vector.length !== dim) {
		const message = `${what}: expected a vector of dimension ${dim} for inputs[${position}], got ${vector.length} values`;
		throw new RetrievalError('ERR_DIMENSION', message);
	}
	const start = position * dim;
	let squares = 0;
	for (let i = 0; i < dim; i++) {
		const value = vector[i];
		// A value of another type is not converted, and a number that is too large for 32 bits becomes infinite.
		const stored = typeof value === 'number' ? Math.fround(value) : Number.NaN;
		if (!Number.isFinite(stored)) {
			throw new RetrievalError(
				'ERR_ENCODER',
				`${what}: expected finite 32-bit floats for inputs[${position}], got ${shown(value)} at index ${i} of its vector`,
			);
		}
		data[start + i] = stored;
		squares += stored * stored;
	}
	const length = Math.sqrt(squares);
	if (normalized && Math.abs(length - 1) > UNIT_TOLERANCE) {
		throw new RetrievalError(
			'ERR_ENCODER',
			`${what}: expected a vector of length 1 for inputs[${position}], got one of length ${length.toPrecision(4)}. Scale the vectors, or leave out the option normalized.`,
		);
	}
}
