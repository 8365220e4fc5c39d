/** Calls encoders, and checks what they return: an encoder may be an object of the caller's program. */
import {isFloat32Array} from 'node:util/types';
import {isArray, isObject, kindOf, shown} from './checks.ts';
import {RetrievalError} from './errors.ts';
import {yieldIfOverBudget} from './event-loop.ts';
import type {EncodeOptions, Encoder, EncoderInput, Vectors} from './types.ts';

/** Number of numbers that are checked at a time. Checking them takes well under a millisecond. */
const NUMBERS_PER_SLICE = 1 << 16;

/**
Returns the vectors of the inputs. Fails with `ERR_ENCODER` if the encoder does not return vectors, or returns a number that is not finite, and
with `ERR_DIMENSION` if it returns another number of vectors, or vectors of another dimension. An error of the encoder itself is passed on.
*/
export async function encodeChecked(encoder: Encoder, inputs: readonly EncoderInput[], options: EncodeOptions): Promise<Vectors> {
	const returned: unknown = await encoder.encode(inputs, options);
	if (!isObject(returned) || !isFloat32Array(returned['data'])) {
		throw new RetrievalError(
			'ERR_ENCODER',
			`encoder: expected encode to return {data, rows, dim}, data a Float32Array, got ${shape(returned)}`,
		);
	}
	const {data, rows} = returned as unknown as Vectors;
	const {dim} = encoder;
	if (rows !== inputs.length || data.length !== inputs.length * dim) {
		throw new RetrievalError(
			'ERR_DIMENSION',
			`encoder: expected ${inputs.length} vectors of dimension ${dim}, got ${rows} with ${data.length} numbers`,
		);
	}
	for (let from = 0; from < data.length; from += NUMBERS_PER_SLICE) {
		const slice = data.subarray(from, from + NUMBERS_PER_SLICE);
		if (!isFinite(slice)) {
			const at = from + slice.findIndex(value => !Number.isFinite(value));
			const input = inputs[Math.floor(at / dim)]!;
			const text = shown((typeof input === 'string' ? input : input.text).slice(0, 60));
			throw new RetrievalError(
				'ERR_ENCODER',
				`encoder: expected finite numbers for ${text}, inputs[${Math.floor(at / dim)}], got ${data[at]}`,
			);
		}
		if (from > 0) {
			await yieldIfOverBudget();
		}
	}
	return {data, rows, dim};
}

function isFinite(numbers: Float32Array): boolean {
	// x · 0 is NaN exactly for the numbers that are not finite.
	let sum = 0;
	for (let i = 0; i < numbers.length; i++) {
		sum += numbers[i]! * 0;
	}
	return sum === 0;
}

/** Describes a value that is not `Vectors`. */
function shape(value: unknown): string {
	if (isArray(value)) {
		return 'an array (createEncoder makes an encoder from a function that returns an array of vectors)';
	}
	return isObject(value) ? `an object whose data is ${kindOf(value['data'])}` : kindOf(value);
}
