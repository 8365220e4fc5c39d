// Makes a smaller model from the first layers of one with the architecture of BERT.
import {copyFile, mkdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';

/** A tensor in the header of a safetensors file. */
interface Tensor {
	readonly dtype: string;
	readonly shape: readonly number[];
	/** First and last byte, counted from the end of the header. */
	readonly data_offsets: readonly [number, number];
}

/** Writes a model with the first `layers` layers of the model in the folder `from` to the folder `to`. The vector of a text is the mean. */
export async function writeFirstLayers(from: string, to: string, layers: number): Promise<void> {
	const file = await readFile(join(from, 'model.safetensors'));
	const headerEnd = 8 + Number(file.readBigUInt64LE());
	const {__metadata__: metadata, ...tensors} = JSON.parse(file.toString('utf8', 8, headerEnd)) as Record<string, Tensor>;
	const header: Record<string, unknown> = {__metadata__: metadata};
	const parts: Buffer[] = [];
	let end = 0;
	for (const [
		name,
		{
			dtype,
			shape,
			data_offsets: [start, stop],
		},
	] of Object.entries(tensors)) {
		const layer = /\blayer\.(\d+)\./u.exec(name);
		if (layer !== null && Number(layer[1]) >= layers) {
			continue;
		}
		parts.push(file.subarray(headerEnd + start, headerEnd + stop));
		header[name] = {dtype, shape, data_offsets: [end, (end += stop - start)]};
	}
	const text = JSON.stringify(header);
	// Data begins at a multiple of eight bytes.
	const head = Buffer.from(text.padEnd(Math.ceil(Buffer.byteLength(text) / 8) * 8));
	const length = Buffer.alloc(8);
	length.writeBigUInt64LE(BigInt(head.length));
	const config = JSON.parse(await readFile(join(from, 'config.json'), 'utf8')) as object;
	await mkdir(to, {recursive: true});
	await writeFile(join(to, 'model.safetensors'), Buffer.concat([length, head, ...parts]));
	await writeFile(
		join(to, 'config.json'),
		JSON.stringify({...config, num_hidden_layers: layers, passagekit: {pooling: 'mean'}}, undefined, '\t'),
	);
	await copyFile(join(from, 'tokenizer.json'), join(to, 'tokenizer.json'));
}
