// Trains an MPNet, which has relative position biases and no token types.
import {copyFile, mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {OnnxEncoder, type TrainEncoderOptions, type TrainingExample, trainEncoder, trainReader} from '../../ts/index.ts';
import {readTensorFile, writeTensorFile} from '../support/safetensors.ts';

const RELATIVE_POSITION_BIASES = 'encoder.relative_attention_bias.weight';
const HEADS = 4;
const BUCKETS = 32;

const options: TrainEncoderOptions = {
	pooling: 'mean',
	similarity: 'cosine',
	maxTokens: 32,
	batchSize: 4,
	learningRate: 1e-3,
	threads: 2,
	seed: 1,
	precision: 'float32',
};

const examples: TrainingExample[] = ['red', 'green', 'white', 'black', 'blue', 'brown', 'gold', 'silver'].map((color, i) => ({
	question: `what color is house number ${i}?`,
	answers: [color],
	positives: [{id: `p${i}`, text: `this house with the number ${i} is ${color}`}],
	hardNegatives: [{id: `n${i}`, title: 'houses', text: `the house beside number ${i} has no color`}],
	negatives: [],
}));

async function folder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-mpnet-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

/** Writes an MPNet with the weights of the tiny encoder, and with biases of its own. */
async function writeMpnet(path: string): Promise<string> {
	const bert = join(path, 'bert');
	await trainEncoder(examples, 'tiny-encoder', bert, {...options, epochs: 0});
	const renamed = [
		[/attention\.self\.(q|k|v)\w+/u, 'attention.attn.$1'],
		['attention.output.dense', 'attention.attn.o'],
		['attention.output.LayerNorm', 'attention.LayerNorm'],
	] as const;
	const tensors = new Map(
		[...(await readTensorFile(join(bert, 'model.safetensors')))]
			.filter(([name]) => !name.includes('token_type_embeddings'))
			.map(([name, tensor]) => [renamed.reduce((changed, [from, to]) => changed.replace(from, to), name), tensor]),
	);
	const biases = Float32Array.from({length: BUCKETS * HEADS}, (_, i) => Math.sin(i));
	tensors.set(RELATIVE_POSITION_BIASES, {dtype: 'F32', shape: [BUCKETS, HEADS], bytes: Buffer.from(biases.buffer)});
	const mpnet = join(path, 'mpnet');
	await mkdir(mpnet);
	await writeTensorFile(join(mpnet, 'model.safetensors'), tensors);
	const {type_vocab_size: _, ...config} = JSON.parse(await readFile(join(bert, 'config.json'), 'utf8')) as Record<string, unknown>;
	await writeFile(join(mpnet, 'config.json'), JSON.stringify({...config, model_type: 'mpnet', relative_attention_num_buckets: BUCKETS}));
	await copyFile(join(bert, 'tokenizer.json'), join(mpnet, 'tokenizer.json'));
	return mpnet;
}

function range(start: number, end: number): number[] {
	return Array.from({length: end - start}, (_, i) => start + i);
}

async function biasesOf(model: string): Promise<Float32Array> {
	const {bytes} = (await readTensorFile(join(model, 'model.safetensors'))).get(RELATIVE_POSITION_BIASES)!;
	return new Float32Array(new Uint8Array(bytes).buffer);
}

test('an MPNet is trained, biases included, and both runtimes compute the same vectors with it', async t => {
	const path = await folder(t);
	const mpnet = await writeMpnet(path);
	const output = join(path, 'trained');
	const {epochs} = await trainEncoder(examples, mpnet, output, {...options, epochs: 4});
	t.true(epochs.at(-1)!.loss! < epochs[1]!.loss!);
	const config = JSON.parse(await readFile(join(output, 'config.json'), 'utf8')) as Record<string, unknown>;
	t.like(config, {model_type: 'mpnet', architectures: ['MPNetModel'], relative_attention_num_buckets: BUCKETS});
	const [before, after] = [await biasesOf(mpnet), await biasesOf(output)];
	const isChanged = (bucket: number): boolean => before.some((bias, i) => Math.floor(i / HEADS) === bucket && bias !== after[i]);
	const changed = range(0, BUCKETS).filter(isChanged);
	// No text has more than 12 tokens, so distances above 11, from the bucket 9 on, do not occur. The bucket 16 would be for keys after the
	// query at a distance of 0.
	t.deepEqual(changed, [...range(0, 9), ...range(17, 25)]);

	// Long enough for buckets of several distances.
	const texts = ['a house', 'the color of a house '.repeat(5)];
	await using own = await OnnxEncoder.load(output, {runtime: 'passagekit'});
	await using other = await OnnxEncoder.load(output, {runtime: 'onnxruntime'});
	const [vectors, expected] = [await own.encode(texts), await other.encode(texts)];
	for (const [i, value] of vectors.data.entries()) {
		const difference = Math.abs(value - expected.data[i]!);
		t.true(difference < 1e-5, `${i}: ${value}, with ONNX Runtime: ${expected.data[i]}`);
	}
	t.is(own.runtime, 'passagekit');

	// Without a configuration, the architecture follows from the weights in the ONNX file.
	const onnx = join(path, 'onnx');
	await mkdir(onnx);
	await Promise.all(['model.onnx', 'tokenizer.json'].map(async name => copyFile(join(output, name), join(onnx, name))));
	const again = join(path, 'again');
	await trainEncoder(examples, onnx, again, {...options, epochs: 0});
	t.like(JSON.parse(await readFile(join(again, 'config.json'), 'utf8')), {model_type: 'mpnet', architectures: ['MPNetModel']});
	t.deepEqual(await biasesOf(again), after);
});

test('a reader that starts from an MPNet is trained', async t => {
	const path = await folder(t);
	const mpnet = await writeMpnet(path);
	const output = join(path, 'reader');
	const settings = {maxTokens: 64, batchSize: 4, passagesPerQuestion: 2, learningRate: 1e-3, threads: 2, epochs: 3};
	const {epochs} = await trainReader(examples, mpnet, output, settings);
	t.true(epochs.at(-1)!.loss! < epochs[1]!.loss!);
	const config = JSON.parse(await readFile(join(output, 'config.json'), 'utf8')) as Record<string, unknown>;
	t.like(config, {model_type: 'mpnet', architectures: ['MPNetForQuestionAnswering']});
});
