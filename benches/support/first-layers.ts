// Makes a smaller model from the first layers of one with the architecture of BERT.
import {copyFile, mkdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {readTensorFile, writeTensorFile} from '../../test/support/safetensors.ts';

/** Writes a model with the first `layers` layers of the model in the folder `from` to the folder `to`. The vector of a text is the mean. */
export async function writeFirstLayers(from: string, to: string, layers: number): Promise<void> {
	const isKept = (name: string): boolean => {
		const layer = /\blayer\.(\d+)\./u.exec(name);
		return layer === null || Number(layer[1]) < layers;
	};
	const tensors = await readTensorFile(join(from, 'model.safetensors'));
	const config = JSON.parse(await readFile(join(from, 'config.json'), 'utf8')) as object;
	await mkdir(to, {recursive: true});
	await writeTensorFile(join(to, 'model.safetensors'), new Map([...tensors].filter(([name]) => isKept(name))));
	await writeFile(
		join(to, 'config.json'),
		JSON.stringify({...config, num_hidden_layers: layers, passagekit: {pooling: 'mean'}}, undefined, '\t'),
	);
	await copyFile(join(from, 'tokenizer.json'), join(to, 'tokenizer.json'));
}
