/** Checks the vectors that the user's function or cache returned, and copies them into the result of `encode`. */
import {isFloat32Array} from 'node:util/types';
import {isArray, kindOf, shown} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';

/**
Allowed deviation of the Euclidean norm from 1 for vectors that are declared as normalized. APIs round some vectors to 16 bits or to few
digits.
*/
const UNIT_TOLERANCE = 0.01;

/** The required form of an encoder's vectors. */
export interface VectorForm {
	/** Number of dimensions of the vectors. */
	readonly dim: number;
	/** Whether the vectors must have Euclidean norm 1. */
	readonly normalized: boolean;
}

/**
Fails with `ERR_ENCODER` unless `returned` is an array of `count` elements. In the message, `what` says where the array comes from, and
`texts` describes the texts, as in "the 2 texts from inputs[5] to inputs[6]".
*/
export function checkReturned(what: string, texts: string, returned: unknown, count: number): asserts returned is readonly unknown[] {
	if (!isArray(returned)) {
		throw new RetrievalError('ERR_ENCODER', `${what}: expected an array of ${count} vectors for ${texts}, got ${kindOf(returned)}`);
	}
	if (returned.length !== count) {
		throw new RetrievalError('ERR_ENCODER', `${what}: expected ${count} vectors for ${texts}, got ${returned.length}`);
	}
}

/**
Copies the vector of `inputs[position]` to row `position` of `data`. Fails with `ERR_DIMENSION` if it does not have `dim` numbers, and
with `ERR_ENCODER` if it is not an array of finite numbers, or if its norm is not 1 although the encoder is declared as normalized.
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
