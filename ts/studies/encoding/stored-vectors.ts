import {readFile} from 'node:fs/promises';
import {writeAtomically} from '../storage/run-folder.ts';
import type {Encoder, EncoderInput, Vectors} from '../../core/types.ts';

/** The vectors of some texts, read from a file if it exists and is complete; otherwise they are encoded and written to the file. */
export async function storedVectors(
	path: string,
	inputs: readonly EncoderInput[],
	encoder: Encoder,
	signal: AbortSignal | undefined,
): Promise<Vectors> {
	const [rows, {dim}] = [inputs.length, encoder];
	const bytes = await readFile(path).catch(() => undefined);
	if (bytes?.length === 4 * rows * dim) {
		// Copied, because the buffer may not start at a multiple of four bytes.
		return {data: new Float32Array(Uint8Array.from(bytes).buffer), rows, dim};
	}
	// Each text alone, because vectors of int8 models depend on their batch.
	const vectors = await encoder.encode(inputs, {signal, batchTokens: 1});
	const {buffer, byteOffset, byteLength} = vectors.data;
	await writeAtomically(path, new Uint8Array(buffer, byteOffset, byteLength));
	return vectors;
}
