// Reads and writes safetensors files.
import {readFile, writeFile} from 'node:fs/promises';

/** A tensor of a file. */
export interface StoredTensor {
	readonly dtype: string;
	readonly shape: readonly number[];
	readonly bytes: Buffer;
}

/** Reads all tensors of a file, by their names. */
export async function readTensorFile(path: string): Promise<Map<string, StoredTensor>> {
	const file = await readFile(path);
	const headerEnd = 8 + Number(file.readBigUInt64LE());
	const header = JSON.parse(file.toString('utf8', 8, headerEnd)) as Record<
		string,
		{dtype: string; shape: number[]; data_offsets: number[]}
	>;
	const tensors = Object.entries(header).filter(([name]) => name !== '__metadata__');
	return new Map(
		tensors.map(([name, {dtype, shape, data_offsets: offsets}]) => {
			const [start, end] = offsets.map(offset => headerEnd + offset);
			return [name, {dtype, shape, bytes: file.subarray(start, end)}];
		}),
	);
}

/** Writes tensors to a file. */
export async function writeTensorFile(path: string, tensors: ReadonlyMap<string, StoredTensor>): Promise<void> {
	// The library `transformers` requires the format.
	const header: Record<string, unknown> = {__metadata__: {format: 'pt'}};
	let end = 0;
	for (const [name, {dtype, shape, bytes}] of tensors) {
		header[name] = {dtype, shape, data_offsets: [end, (end += bytes.length)]};
	}
	const text = JSON.stringify(header);
	// Data begins at a multiple of eight bytes.
	const head = Buffer.from(text.padEnd(Math.ceil(Buffer.byteLength(text) / 8) * 8));
	const length = Buffer.alloc(8);
	length.writeBigUInt64LE(BigInt(head.length));
	await writeFile(path, Buffer.concat([length, head, ...[...tensors.values()].map(({bytes}) => bytes)]));
}
