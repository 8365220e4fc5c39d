// Whether two systems made the same of texts.
import {readFileSync} from 'node:fs';

/** The least and the mean cosine of the vectors of the same texts, `[texts, dim]` of f32 each. */
export function cosines(a: string, b: string, texts: number): {readonly least: number; readonly mean: number} {
	const [left, right] = [vectors(a), vectors(b)];
	if (left.length !== right.length || left.length % texts !== 0 || left.length === 0) {
		throw new Error(`expected vectors of ${texts} texts, of one length, got ${left.length} and ${right.length} numbers`);
	}
	const dim = left.length / texts;
	let [least, sum] = [1, 0];
	for (let at = 0; at < left.length; at += dim) {
		let [product, squares, others] = [0, 0, 0];
		for (let i = at; i < at + dim; i++) {
			product += left[i]! * right[i]!;
			squares += left[i]! ** 2;
			others += right[i]! ** 2;
		}
		const cosine = product / Math.sqrt(squares * others);
		least = Math.min(least, cosine);
		sum += cosine;
	}
	return {least, mean: sum / texts};
}

/** How many of the texts have the same ids. */
export function sameTokens(a: string, b: string): number {
	const [left, right] = [lists(a), lists(b)];
	return left.filter((ids, text) => ids.length === right[text]?.length && ids.every((id, i) => id === right[text]![i])).length;
}

/** How many ids there are. */
export const tokenCount = (file: string): number => lists(file).reduce((sum, ids) => sum + ids.length, 0);

function vectors(file: string): Float32Array {
	const bytes = readFileSync(file);
	return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

function lists(file: string): Uint32Array[] {
	const bytes = readFileSync(file);
	const numbers = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
	const all: Uint32Array[] = [];
	for (let at = 0; at < numbers.length; at += numbers[at]! + 1) {
		all.push(numbers.subarray(at + 1, at + 1 + numbers[at]!));
	}
	return all;
}
