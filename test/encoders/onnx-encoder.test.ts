import {join} from 'node:path';
import test from 'ava';
import {packageRoot} from '../../ts/addon.ts';
import {OnnxEncoder, RetrievalError} from '../../ts/index.ts';

const tiny = {pooling: 'output:embedding', passageForm: 'joined'} as const;

test('vectors come in the order of the inputs, whatever their lengths', async t => {
	const encoder = await OnnxEncoder.load('tiny-encoder', tiny);
	const texts = ['a fox', 'a very long text about foxes and hens '.repeat(20), 'hens', ''];
	const {data, rows, dim} = await encoder.encode(texts, {batchTokens: 1});
	t.deepEqual([rows, dim, data.length], [4, 128, 512]);
	for (const [i, text] of texts.entries()) {
		const alone = await encoder.encode([text]);
		t.deepEqual(alone.data, data.slice(i * dim, (i + 1) * dim), text.slice(0, 10));
	}
	t.deepEqual(await encoder.encode([]), {data: new Float32Array(0), rows: 0, dim: 128});
});

test('a passage is encoded with its title, in the form asked for', async t => {
	const joined = await OnnxEncoder.load('tiny-encoder', tiny);
	const passage = {title: 'Hens', text: 'They lay eggs.'};
	t.deepEqual(await joined.encode([passage]), await joined.encode(['Hens They lay eggs.']));
	const pair = await OnnxEncoder.load('tiny-encoder', {...tiny, passageForm: 'pair'});
	t.notDeepEqual(await pair.encode([passage]), await joined.encode([passage]));
});

test('texts beyond the limit are cut at their end', async t => {
	const encoder = await OnnxEncoder.load('tiny-encoder', {...tiny, maxTokens: 16});
	const long = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen '.repeat(3);
	t.deepEqual(await encoder.encode([long]), await encoder.encode([`${long} and more`]));
});

test("unit length is asked for, or the model's own", async t => {
	const lengths = async (encoder: OnnxEncoder): Promise<number> => Math.hypot(...(await encoder.encode(['a fox'])).data);
	const own = await OnnxEncoder.load(join(packageRoot, 'models/minilm-encoder'));
	t.true(Math.abs((await lengths(own)) - 1) < 1e-5);
	const raw = await OnnxEncoder.load('minilm-encoder', {normalise: false});
	t.true(Math.abs((await lengths(raw)) - 1) > 1e-3);
	t.not(own.identity, raw.identity, 'other vectors, another identity');
	t.is(own.identity, (await OnnxEncoder.load('minilm-encoder')).identity, 'however the model is named');
});

test('progress counts inputs over all calls underneath', async t => {
	const encoder = await OnnxEncoder.load('tiny-encoder', tiny);
	const seen: Array<{done: number; total: number}> = [];
	await encoder.encode(
		Array.from({length: 600}, (_, i) => `text ${i}`),
		{onProgress: progress => seen.push(progress)},
	);
	t.deepEqual(seen.at(-1), {done: 600, total: 600});
	t.true(seen.every(({done}, i) => i === 0 || done >= seen[i - 1]!.done));
});

test("an aborted encoding rejects with the signal's reason", async t => {
	const encoder = await OnnxEncoder.load('tiny-encoder', tiny);
	const controller = new AbortController();
	const reason = new Error('enough');
	const encoding = encoder.encode(
		Array.from({length: 5000}, () => 'a fox and a hen '.repeat(20)),
		{signal: controller.signal},
	);
	setTimeout(() => controller.abort(reason), 30);
	t.is(await t.throwsAsync(encoding), reason);
});

test('what is no model is refused, and a closed encoder says so', async t => {
	const refused = async (model: string, code: string, pattern: RegExp): Promise<void> => {
		const error = await t.throwsAsync(OnnxEncoder.load(model, tiny), {instanceOf: RetrievalError});
		t.is(error.code, code as typeof error.code);
		t.regex(error.message, pattern);
	};
	await refused('no-such-model', 'ERR_MODEL_MISSING', /expected a folder, one of minilm-encoder/u);
	await refused(join(packageRoot, 'ts'), 'ERR_MODEL', /model\.onnx or onnx\/model\.onnx/u);
	await refused('minilm-encoder', 'ERR_MODEL', /an f32 output "embedding", got outputs last_hidden_state/u);
	const encoder = await OnnxEncoder.load('tiny-encoder', tiny);
	await t.throwsAsync(encoder.encode([7 as unknown as string]), {
		code: 'ERR_ARGUMENT',
		message: 'inputs[0]: expected a string or {text, title?}, got number',
	});
	encoder.close();
	await t.throwsAsync(encoder.encode(['a']), {code: 'ERR_CLOSED'});
});
