import {readFile} from 'node:fs/promises';
import {writeWhole} from '../storage/run-folder.ts';
import type {Encoder, EncoderInput, Vectors} from '../../core/types.ts';

/** The vectors of a part, from its file where that is whole. */
export async function encodedPart(
	path: string,
	inputs: readonly EncoderInput[],
	encoder: Encoder,
	signal: AbortSignal | undefined,
): Promise<Vectors> {
	const [rows, {dim}] = [inputs.length, encoder];
	const bytes = await readFile(path).catch(() => undefined);
	if (bytes?.length === 4 * rows * dim) {
		// A copy of its own: what is read may not begin at a multiple of four bytes.
		return {data: new Float32Array(Uint8Array.from(bytes).buffer), rows, dim};
	}
	// Each text alone, so that no vector of an int8 model depends on which texts share its batch.
	const vectors = await encoder.encode(inputs, {signal, batchTokens: 1});
	const {buffer, byteOffset, byteLength} = vectors.data;
	await writeWhole(path, new Uint8Array(buffer, byteOffset, byteLength));
	return vectors;
}
