// Tests projections of vectors onto the vocabulary of a model.
import {appendFile, copyFile, mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {type ErrorCode, OnnxEncoder, RetrievalError, VocabularyProjection} from '../../ts/index.ts';
import {random, slice} from '../support/vectors.ts';

/** The projection of a small model, which maps vectors of dimension 128 onto a vocabulary of 8,000 tokens. */
const tiny = await VocabularyProjection.load('tiny-encoder');

test('the projections of questions start with tokens that are related to the questions', async t => {
	const encoder = await OnnxEncoder.load('minilm-encoder');
	t.teardown(() => encoder.close());
	const projection = await VocabularyProjection.load('minilm-mlm-head');
	t.is(projection.dim, 384);
	t.is(projection.size, 30_522);
	t.is(projection.tokens.length, 30_522);
	const vectors = await encoder.encode(
		['How many judges currently serve on the Supreme court?', 'Which NFL team represented the AFC at Super Bowl 50?'],
		{batchTokens: 1},
	);
	// The expected tokens are those in the documentation of minilm-mlm-head. Their order may differ, so they are compared as sets.
	const expected = [
		['justices', 'judges', 'judicial', 'supreme', 'judge'],
		['afc', 'nfl', 'football', 'bel', 'bay', 'pitt', 'superb', '50', 'steelers', 'brady'],
	];
	const projected = await projection.project(vectors, {k: 10});
	for (const [at, tokens] of expected.entries()) {
		const found = projected[at]!.map(({token}) => token);
		t.deepEqual(found.slice(0, tokens.length).toSorted(), tokens.toSorted());
	}
	const {ids, tokens} = projection.tokenize('Supreme justices, steelers');
	t.deepEqual(tokens, ['supreme', 'justices', ',', 'steelers']);
	const [ranks] = await projection.ranks(vectors, [ids, []]);
	t.deepEqual([ranks![0], ranks![1]], [4, 1]);
	t.true(ranks![3]! > 100);
});

test('tokens, ranks and probabilities agree with the logits of the whole vocabulary', async t => {
	const vectors = random(3, 128);
	const logits = await tiny.logits(vectors);
	const probabilities = await tiny.logits(vectors, {as: 'probabilities'});
	t.is(logits.dim, 8000);
	t.is(logits.rows, 3);
	const tokens = await tiny.project(vectors, {k: 50});
	const ids = [0, 7999, 17, 4242];
	const standings = await tiny.standings(vectors, [ids, Uint32Array.from(ids), []]);
	t.deepEqual(
		(await tiny.ranks(vectors, [ids, ids, []])).map(ranks => [...ranks]),
		standings.map(({ranks}) => [...ranks]),
	);
	t.is(standings[2]!.ranks.length, 0);
	for (const at of [0, 1, 2]) {
		const rowLogits = logits.data.subarray(at * 8000, (at + 1) * 8000);
		const rowProbabilities = probabilities.data.subarray(at * 8000, (at + 1) * 8000);
		// Computes the softmax of these logits by its definition.
		const max = Math.max(...rowLogits);
		const total = rowLogits.reduce((sum, logit) => sum + Math.exp(logit - max), 0);
		const isNear = (got: number, logit: number): boolean => Math.abs(got / (Math.exp(logit - max) / total) - 1) < 1e-5;
		const order = Array.from(rowLogits, (_, id) => id).toSorted((a, b) => rowLogits[b]! - rowLogits[a]! || a - b);
		t.deepEqual(
			tokens[at]!.map(({id}) => id),
			order.slice(0, 50),
		);
		for (const {id, token, logit, probability} of tokens[at]!) {
			t.is(token, tiny.tokens[id]!);
			t.is(logit, rowLogits[id]!);
			t.true(isNear(probability, logit) && isNear(rowProbabilities[id]!, logit));
		}
		// The third list of ids is empty.
		for (const [i, id] of (at < 2 ? ids : []).entries()) {
			t.is(order[standings[at]!.ranks[i]! - 1], id);
			t.is(standings[at]!.logits[i], rowLogits[id]);
			t.true(isNear(standings[at]!.probabilities[i]!, rowLogits[id]!));
		}
	}
});

test('the tokens of a vector do not depend on the other vectors of the call or on the number of threads', async t => {
	// One call of native code takes at most 2^19 values: 4096 vectors of dimension 128, or 4369 lists of 120 tokens.
	const vectors = random(5000, 128);
	const lists = Array.from({length: 5000}, (_, at) => [at % 8000, 7]);
	const tokens = await tiny.project(vectors, {k: 120, threads: 1});
	const ranks = await tiny.ranks(vectors, lists, {threads: 1});
	t.is(tokens.length, 5000);
	t.is(ranks.length, 5000);
	t.deepEqual(await tiny.ranks(vectors, lists, {threads: 3}), ranks);
	for (const at of [0, 1, 4095, 4096, 4369, 4999]) {
		const alone = slice(vectors, at, at + 1);
		t.deepEqual(await tiny.project(alone, {k: 120, threads: 2}), [tokens[at]]);
		t.deepEqual(await tiny.ranks(alone, [lists[at]!]), [ranks[at]]);
		t.deepEqual(
			(await tiny.project(alone)).map(list => list.length),
			[20],
		);
	}
});

test('no vectors give no tokens, and k beyond the vocabulary gives all tokens', async t => {
	const none = {data: new Float32Array(), rows: 0, dim: 128};
	t.deepEqual(await tiny.project(none), []);
	t.deepEqual(await tiny.ranks(none, []), []);
	t.deepEqual(await tiny.logits(none), {data: new Float32Array(), rows: 0, dim: 8000});
	t.deepEqual(await tiny.project(random(1, 128), {k: 0}), [[]]);
	t.is((await tiny.project(random(1, 128), {k: 1_000_000}))[0]!.length, 8000);
});

test('long calls report progress in vectors and can be canceled', async t => {
	const vectors = random(6000, 128);
	const seen: number[] = [];
	await tiny.project(vectors, {
		k: 1,
		onProgress({done, total}) {
			t.is(total, 6000);
			seen.push(done);
		},
	});
	t.is(seen.at(-1), 6000);
	t.deepEqual(
		seen,
		seen.toSorted((a, b) => a - b),
	);
	const controller = new AbortController();
	const work = tiny.project(vectors, {signal: controller.signal});
	controller.abort(new Error('enough'));
	await t.throwsAsync(work, {message: 'enough'});
});

test('mismatched arguments are refused, with errors that say what was expected and what was given', async t => {
	const vectors = random(3, 128);
	const refused = async (work: Promise<unknown>, code: ErrorCode, message: string): Promise<void> => {
		const error = await t.throwsAsync(work, {instanceOf: RetrievalError});
		t.is((error as RetrievalError).code, code);
		t.is(error.message, message);
	};
	await refused(tiny.project(random(3, 64)), 'ERR_DIMENSION', 'vectors: expected vectors of dimension 128, got 64');
	await refused(tiny.project(vectors, {k: -1}), 'ERR_ARGUMENT', 'k: expected a whole number of at least 0, got -1');
	await refused(tiny.ranks(vectors, [[1]]), 'ERR_ARGUMENT', 'tokens: expected an array of ids for each of 3 vectors, got 1');
	await refused(
		tiny.ranks(vectors, [[1], [2, 8000], [3]]),
		'ERR_ARGUMENT',
		'tokens[1][1]: expected a whole number from 0 to 7999, got 8000',
	);
	await refused(
		tiny.ranks(vectors, [[1], 'ab' as unknown as number[], [3]]),
		'ERR_ARGUMENT',
		'tokens[1]: expected an array of ids or a Uint32Array, got "ab"',
	);
	await refused(
		tiny.logits(vectors, {as: 'shares' as 'logits'}),
		'ERR_ARGUMENT',
		'as: expected one of logits, probabilities, got "shares"',
	);
	// The position in the message counts from the first vector of the call, not from the first vector of the second batch.
	const many = random(5000, 128);
	many.data[4500 * 128 + 3] = Number.NaN;
	await refused(tiny.project(many), 'ERR_ARGUMENT', 'vectors[4500]: expected finite numbers, got NaN');
});

test('a model without a head is refused, and each head has an identity', async t => {
	const folder = join(packageRoot, 'models/tiny-encoder');
	t.is((await VocabularyProjection.load(folder)).identity, tiny.identity);
	t.regex(tiny.identity, /^[\da-f]{16}$/u);
	t.not((await VocabularyProjection.load('minilm-mlm-head')).identity, tiny.identity);
	const error = await t.throwsAsync(VocabularyProjection.load('tiny-reader'), {instanceOf: RetrievalError});
	t.is((error as RetrievalError).code, 'ERR_MODEL');
	t.regex(
		error.message,
		/model\.onnx: expected a masked-language-model head before the output "logits", or else before exactly one output, got none before /u,
	);
	await t.throwsAsync(VocabularyProjection.load('no such model'), {code: 'ERR_MODEL_MISSING'});
});

test('a head is read from an ONNX graph, and its identity depends on all files with weights', async t => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-head-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const files = join(packageRoot, 'crates/vocabulary/tests/files');
	await copyFile(join(packageRoot, 'models/tiny-encoder/tokenizer.json'), join(folder, 'tokenizer.json'));
	await copyFile(join(files, 'bert-external.onnx'), join(folder, 'model.onnx'));
	await copyFile(join(files, 'bert-external.onnx_data'), join(folder, 'bert-external.onnx_data'));
	const projection = await VocabularyProjection.load(folder);
	t.is(projection.dim, 8);
	t.is(projection.size, 40);
	const [tokens] = await projection.project(random(1, 8), {k: 3});
	t.is(tokens!.length, 3);
	// The text is appended after the weights, so the weights do not change, but the file does.
	await appendFile(join(folder, 'bert-external.onnx_data'), 'more');
	t.not((await VocabularyProjection.load(folder)).identity, projection.identity);
});
