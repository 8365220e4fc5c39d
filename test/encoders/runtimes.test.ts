/** Models that passagekit itself runs, compared with the same models in ONNX Runtime. */
import test from 'ava';
import {ExtractiveReader, OnnxEncoder} from '../../ts/index.ts';

const texts = Array.from({length: 40}, (_, at) => `The bridge over the river ${'was opened in 1890 and '.repeat(at)}carries trains.`);

/** Returns the cosine of two vectors. */
function cosine(a: Float32Array, b: Float32Array): number {
	const dot = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, at) => sum + value * y[at]!, 0);
	return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

test('passagekit runs the model of minilm-encoder, and computes nearly the same vectors as ONNX Runtime', async t => {
	await using own = await OnnxEncoder.load('minilm-encoder');
	await using onnx = await OnnxEncoder.load('minilm-encoder', {runtime: 'onnxruntime'});
	t.deepEqual([own.runtime, onnx.runtime], ['passagekit', 'onnxruntime']);
	t.is(own.identity, onnx.identity);
	const [a, b] = [await own.encode(texts), await onnx.encode(texts, {batchTokens: 1})];
	for (const [at, text] of texts.entries()) {
		const range = [at * own.dim, (at + 1) * own.dim] as const;
		const similarity = cosine(a.data.subarray(...range), b.data.subarray(...range));
		t.true(similarity > 0.99, `${similarity} for ${text}`);
	}
});

test('the vector of a text does not depend on the other texts, the batches or the number of threads', async t => {
	await using encoder = await OnnxEncoder.load('minilm-encoder');
	const {data, dim} = await encoder.encode(texts);
	for (const [at, text] of texts.entries()) {
		t.deepEqual((await encoder.encode([text])).data, data.slice(at * dim, (at + 1) * dim));
	}
	await using one = await OnnxEncoder.load('minilm-encoder', {threads: 1});
	t.deepEqual((await one.encode(texts)).data, data);
	await using three = await OnnxEncoder.load('minilm-encoder', {threads: 3});
	t.deepEqual((await three.encode(texts)).data, data);
});

test('passagekit runs the model of minilm-reader, and finds the same answer as ONNX Runtime', async t => {
	await using own = await ExtractiveReader.load('minilm-reader');
	await using onnx = await ExtractiveReader.load('minilm-reader', {runtime: 'onnxruntime'});
	t.deepEqual([own.runtime, onnx.runtime], ['passagekit', 'onnxruntime']);
	const passages = [
		{
			id: 'canal',
			title: 'Suez Canal',
			text: 'The Suez Canal was opened to shipping in November 1869 after ten years of digging.',
			score: 1,
		},
		{id: 'piano', title: 'Piano', text: 'Bartolomeo Cristofori built the first pianos in Florence.', score: 1},
	];
	const question = 'In which year was the Suez Canal opened?';
	const [a, b] = [await own.read(question, passages), await onnx.read(question, passages)];
	t.is(a[0]!.text, b[0]!.text);
	t.true(Math.abs(a[0]!.score - b[0]!.score) < 1, `${a[0]!.score} ${b[0]!.score}`);
});

test('a runtime that cannot run the model, and an unknown runtime, are refused', async t => {
	await t.throwsAsync(OnnxEncoder.load('tiny-encoder', {runtime: 'passagekit'}), {
		code: 'ERR_MODEL',
		message: /tiny-encoder.*: expected a graph that passagekit can run, got /u,
	});
	await using encoder = await OnnxEncoder.load('tiny-encoder');
	t.is(encoder.runtime, 'onnxruntime');
	for (const load of [
		OnnxEncoder.load('minilm-encoder', {runtime: 'cuda' as 'auto'}),
		ExtractiveReader.load('minilm-reader', {runtime: '' as 'auto'}),
	]) {
		await t.throwsAsync(load as Promise<unknown>, {code: 'ERR_ARGUMENT', message: /^runtime: expected /u});
	}
});
