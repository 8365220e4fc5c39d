// Tests ONNX encoders: the order of vectors, titles, token types, truncation, normalization, progress and errors.
import {readdir} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import {InferenceSession, Tensor} from 'onnxruntime-node';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {Collection, OnnxEncoder, RetrievalError, Tokenizer} from '../../ts/index.ts';
import {modelWithConfig, modelWithNumbers} from '../support/onnx.ts';

/** Options for `tiny-encoder`, whose graph pools the token vectors and outputs `embedding`. */
const tiny = {pooling: 'output:embedding', passageForm: 'joined'} as const;

test('vectors are returned in the order of the inputs, although inputs are sorted by length to form batches', async t => {
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

test('a passage is encoded with its title in the requested form', async t => {
	const joined = await OnnxEncoder.load('tiny-encoder', tiny);
	const passage = {title: 'Hens', text: 'They lay eggs.'};
	t.deepEqual(await joined.encode([passage]), await joined.encode(['Hens They lay eggs.']));
	const pair = await OnnxEncoder.load('tiny-encoder', {...tiny, passageForm: 'pair'});
	t.notDeepEqual(await pair.encode([passage]), await joined.encode([passage]));
});

test('DPR encoders get token type 0 for title and text: their vectors equal those of ONNX Runtime with all token types 0', async t => {
	const passage = {title: 'Suez Canal', text: 'It was opened to shipping in November 1869.'};
	const folder = await modelWithConfig(t, 'minilm-encoder', {model_type: 'dpr'});
	const runtime = 'onnxruntime';
	const dpr = await OnnxEncoder.load(folder, {runtime});
	const {data} = await dpr.encode([passage]);

	const tokenizer = await Tokenizer.load(folder);
	const [title, text] = [tokenizer.tokenize(passage.title), tokenizer.tokenize(passage.text)];
	const ids = [101, ...title, 102, ...text, 102]; // [CLS] title [SEP] text [SEP]
	const row = (values: readonly number[]): Tensor => new Tensor('int64', BigInt64Array.from(values, BigInt), [1, ids.length]);
	const session = await InferenceSession.create(join(folder, 'model.onnx'));
	const firstToken = async (types: readonly number[]): Promise<Float32Array> => {
		const output = await session.run({
			input_ids: row(ids),
			attention_mask: row(ids.map(() => 1)),
			token_type_ids: row(types),
		});
		return (output['last_hidden_state']!.data as Float32Array).slice(0, dpr.dim);
	};
	const maxDifference = (a: Float32Array, b: Float32Array): number => Math.max(...a.map((value, i) => Math.abs(value - b[i]!)));
	const zeros = await firstToken(ids.map(() => 0));
	const segments = await firstToken(ids.map((_, i) => (i < title.length + 2 ? 0 : 1)));
	t.true(maxDifference(zeros, segments) > 0.01, 'the model depends on token types');
	t.true(maxDifference(data, zeros) < 1e-5, String(maxDifference(data, zeros)));

	// Other models get segment ids: 0 for the title, 1 for the text. The option `tokenTypes` overrides the model's configuration.
	const bert = await OnnxEncoder.load('minilm-encoder', {pooling: 'cls', passageForm: 'pair', normalize: false, maxTokens: 256, runtime});
	t.true(maxDifference((await bert.encode([passage])).data, segments) < 1e-5);
	const withSegments = await OnnxEncoder.load(folder, {tokenTypes: 'segments', runtime});
	t.deepEqual(await withSegments.encode([passage]), await bert.encode([passage]));
	t.is(withSegments.identity, bert.identity);
	t.not(dpr.identity, bert.identity, 'encoders that give different vectors have different identities');
	await t.throwsAsync(OnnxEncoder.load(folder, {tokenTypes: 'ones' as 'zeros'}), {
		instanceOf: RetrievalError,
		message: /tokenTypes: expected.*segments.*zeros.*got "ones"/u,
	});
});

test('texts with more than maxTokens tokens are truncated at the end', async t => {
	const encoder = await OnnxEncoder.load('tiny-encoder', {...tiny, maxTokens: 16});
	const long = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen '.repeat(3);
	t.deepEqual(await encoder.encode([long]), await encoder.encode([`${long} and more`]));
});

test('normalization follows the option, or by default the configuration of the model', async t => {
	const lengthOfVector = async (encoder: OnnxEncoder): Promise<number> => Math.hypot(...(await encoder.encode(['a fox'])).data);
	const byDefault = await OnnxEncoder.load(join(packageRoot, 'models/minilm-encoder'));
	t.true(Math.abs((await lengthOfVector(byDefault)) - 1) < 1e-5);
	const unnormalized = await OnnxEncoder.load('minilm-encoder', {normalize: false});
	t.true(Math.abs((await lengthOfVector(unnormalized)) - 1) > 1e-3);
	t.not(byDefault.identity, unnormalized.identity, 'encoders that give different vectors have different identities');
	t.is(byDefault.identity, (await OnnxEncoder.load('minilm-encoder')).identity, 'the identity is the same for a path and a name');
});

test('progress counts the inputs of all batches', async t => {
	const encoder = await OnnxEncoder.load('tiny-encoder', tiny);
	const reports: Array<{done: number; total: number}> = [];
	await encoder.encode(
		Array.from({length: 600}, (_, i) => `text ${i}`),
		{onProgress: progress => reports.push(progress)},
	);
	t.deepEqual(reports.at(-1), {done: 600, total: 600});
	t.true(reports.every(({done}, i) => i === 0 || done >= reports[i - 1]!.done));
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

test('an invalid model is refused, and a closed encoder rejects with ERR_CLOSED', async t => {
	const assertRefused = async (model: string, code: string, pattern: RegExp): Promise<void> => {
		const error = await t.throwsAsync(OnnxEncoder.load(model, tiny), {instanceOf: RetrievalError});
		t.is(error.code, code as typeof error.code);
		t.regex(error.message, pattern);
	};
	await assertRefused('no-such-model', 'ERR_MODEL_MISSING', /expected a folder, one of minilm-encoder/u);
	await assertRefused(join(packageRoot, 'ts'), 'ERR_MODEL', /model\.onnx or onnx\/model\.onnx/u);
	await assertRefused('minilm-encoder', 'ERR_MODEL', /an f32 output "embedding", got outputs last_hidden_state/u);
	const encoder = await OnnxEncoder.load('tiny-encoder', tiny);
	await t.throwsAsync(encoder.encode([7 as unknown as string]), {
		code: 'ERR_ARGUMENT',
		message: 'inputs[0]: expected a string or {text, title?}, got number',
	});
	encoder.close();
	await t.throwsAsync(encoder.encode(['a']), {code: 'ERR_CLOSED'});
});

test('vectors that are not finite are refused with the position of the input, and no index is built', async t => {
	// All position embeddings (`c2` in the graph) except the first 40 are set to NaN, so texts of more than 40 tokens get vectors of NaN.
	const model = await modelWithNumbers(t, 'tiny-encoder', 'c2', positions => positions.fill(Number.NaN, 40 * 128));
	const encoder = await OnnxEncoder.load(model, tiny);
	const [short, long] = ['a fox', 'a fox and a hen '.repeat(20)];
	t.true((await encoder.encode([short])).data.every(Number.isFinite));
	const errorOf = async (inputs: readonly string[], batchTokens: number): Promise<string> => {
		const error = await t.throwsAsync(encoder.encode(inputs, {batchTokens}), {instanceOf: RetrievalError, code: 'ERR_MODEL'});
		return error.message;
	};
	t.true((await errorOf([short, long], 1)).endsWith('expected a vector of finite numbers for inputs[1], got NaN'));
	t.regex(await errorOf([long, long, short], 2048), /for inputs\[0\], got NaN$/u);
	const many = [...Array.from({length: 299}, () => short), long];
	t.regex(
		await errorOf(many, 1),
		/for inputs\[299\], got NaN$/u,
		'the position is right even if the inputs are passed to the addon in several parts',
	);
	const folder = join(model, 'built');
	const passages = [short, short, long].map((text, i) => ({id: String(i), text}));
	await t.throwsAsync(Collection.build(passages, folder, {encoder: model, encoderOptions: tiny}), {
		code: 'ERR_MODEL',
		message: /for inputs\[[0-2]\], got NaN$/u,
	});
	await t.throwsAsync(readdir(folder), {code: 'ENOENT'});
});
