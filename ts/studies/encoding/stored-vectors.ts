/** Encodes texts, with a file as a cache of their vectors: rows of 32-bit floats, without a header. */
import {readFile} from 'node:fs/promises';
import {writeAtomically} from '../storage/run-folder.ts';
import type {Encoder, EncoderInput, Vectors} from '../../core/types.ts';

/**
Returns the vectors of texts. They are read from the file if it exists and has the right size; otherwise the texts are
encoded and the vectors are written to the file. The caller ensures that a path always belongs to the same texts.
*/
export async function storedVectors(
	path: string,
	inputs: readonly EncoderInput[],
	encoder: Encoder,
	signal: AbortSignal | undefined,
): Promise<Vectors> {
	const [rows, {dim}] = [inputs.length, encoder];
	const bytes = await readFile(path).catch(() => undefined);
	if (bytes?.length === 4 * rows * dim) {
		// Copied, because a Float32Array must start at a multiple of four bytes, and Node's buffer may not.
		return {data: new Float32Array(Uint8Array.from(bytes).buffer), rows, dim};
	}
	// One text per batch, because with ONNX Runtime, the vector of a text depends on the rest of the batch.
	const vectors = await encoder.encode(inputs, {signal, batchTokens: 1});
	const {buffer, byteOffset, byteLength} = vectors.data;
	await writeAtomically(path, new Uint8Array(buffer, byteOffset, byteLength));
	return vectors;
}
