// Compares the vectors, or the token ids, that two systems made from the same texts and wrote to files.
import {readFileSync} from 'node:fs';

/** Returns the minimum (`least`) and the mean cosine between the vectors of two files, each with f32 values `[texts, dim]`. */
export function cosines(a: string, b: string, texts: number): {readonly least: number; readonly mean: number} {
	const [left, right] = [readVectors(a), readVectors(b)];
	if (left.length !== right.length || left.length % texts !== 0 || left.length === 0) {
		throw new Error(`expected two files of ${texts} vectors with the same dim, got ${left.length} and ${right.length} values`);
	}
	const dim = left.length / texts;
	let [least, sum] = [1, 0];
	for (let at = 0; at < left.length; at += dim) {
		let [product, leftSquares, rightSquares] = [0, 0, 0];
		for (let i = at; i < at + dim; i++) {
			product += left[i]! * right[i]!;
			leftSquares += left[i]! ** 2;
			rightSquares += right[i]! ** 2;
		}
		const cosine = product / Math.sqrt(leftSquares * rightSquares);
		least = Math.min(least, cosine);
		sum += cosine;
	}
	return {least, mean: sum / texts};
}

/** Returns the number of texts with the same token ids in two files. */
export function sameTokens(a: string, b: string): number {
	const [left, right] = [readIds(a), readIds(b)];
	return left.filter((ids, text) => ids.length === right[text]?.length && ids.every((id, i) => id === right[text]![i])).length;
}

/** Returns the number of token ids in a file. */
export const tokenCount = (file: string): number => readIds(file).reduce((sum, ids) => sum + ids.length, 0);

/** Reads a file of f32 values. */
function readVectors(file: string): Float32Array {
	const bytes = readFileSync(file);
	return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/** Reads the token ids of each text. In the file, the number of ids precedes the ids. */
function readIds(file: string): Uint32Array[] {
	const bytes = readFileSync(file);
	const numbers = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
	const lists: Uint32Array[] = [];
	for (let at = 0; at < numbers.length; at += numbers[at]! + 1) {
		lists.push(numbers.subarray(at + 1, at + 1 + numbers[at]!));
	}
	return lists;
}
