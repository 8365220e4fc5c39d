// Tests lexical enrichment: lexical vectors, token weights, whitening, the search for token vectors, and identities.
import {cp, mkdtemp, readFile, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {
	Bm25Index,
	DenseSearcher,
	type Encoder,
	type ErrorCode,
	FlatIndex,
	LexicalEnrichment,
	type LexicalEnrichmentOptions,
	OnnxEncoder,
	RetrievalError,
	type TokenWeights,
	VocabularyProjection,
} from '../../ts/index.ts';

const head = join(packageRoot, 'models/tiny-encoder');
const projection = await VocabularyProjection.load(head);
const DIM = 128;

/** An encoder whose vectors depend only on the length of the text. */
const encoder: Encoder = {
	dim: DIM,
	identity: 'lengths',
	async encode(inputs) {
		const data = new Float32Array(inputs.length * DIM);
		for (const [i, input] of inputs.entries()) {
			data[i * DIM] = typeof input === 'string' ? input.length : input.text.length;
		}
		return {data, rows: inputs.length, dim: DIM};
	},
};

async function temporary(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-enrichment-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	return folder;
}

/** Options that use static embeddings unchanged, so that results can be worked out by hand. */
async function plain(idf: TokenWeights, options: LexicalEnrichmentOptions = {}): Promise<LexicalEnrichment> {
	return LexicalEnrichment.fit({encoder, projection, idf}, {tokens: 'static', whitening: false, normalize: false, lambda: 2, ...options});
}

/** Reads the rows of the decoder from the safetensors file: a length, a JSON table, and numbers. */
async function decoderRow(): Promise<(piece: string) => Float32Array> {
	const file = await readFile(join(head, 'mlm_head.safetensors'));
	const length = Number(file.readBigUInt64LE(0));
	const table = JSON.parse(file.toString('utf8', 8, 8 + length)) as Record<string, {data_offsets: [number, number]}>;
	const [from, to] = table['decoder.weight']!.data_offsets;
	const rows = new Float32Array(file.buffer.slice(file.byteOffset + 8 + length + from, file.byteOffset + 8 + length + to));
	const {model} = JSON.parse(await readFile(join(head, 'tokenizer.json'), 'utf8')) as {model: {vocab: Record<string, number>}};
	return piece => rows.subarray(model.vocab[piece]! * DIM, (model.vocab[piece]! + 1) * DIM);
}

const near = (t: ExecutionContext, actual: Float32Array, expected: readonly number[] | Float32Array, message?: string): void => {
	t.is(actual.length, expected.length);
	const off = Math.max(...actual.map((value, i) => Math.abs(value - expected[i]!)));
	t.true(off < 1e-5, `${message ?? ''} off by ${off}`);
};

test('a lexical vector is the weighted mean of the tokens, including repeated tokens and those of the title', async t => {
	const row = await decoderRow();
	const [fox, hen] = [row('fox'), row('hen')];
	const weights = new Map([
		['fox', 3],
		['hen', 0.5],
	]);
	const enriched = await plain(weights);
	const {data, rows, dim} = await enriched.encode(['Fox hen fox', {title: 'Hen', text: 'fox'}, 'the', '']);
	t.deepEqual([rows, dim, enriched.dim, enriched.lambda], [4, DIM, DIM, 2]);
	// The lexical vector is (3 fox + 0.5 hen + 3 fox) / 3; the vector of the encoder is the length.
	near(
		t,
		data.subarray(0, DIM),
		fox.map((value, i) => 2 * ((6 * value + 0.5 * hen[i]!) / 3) + (i === 0 ? 11 : 0)),
	);
	near(
		t,
		data.subarray(DIM, 2 * DIM),
		fox.map((value, i) => 2 * ((3 * value + 0.5 * hen[i]!) / 2) + (i === 0 ? 3 : 0)),
	);
	// A token with weight 0, and a text without tokens.
	near(
		t,
		data.subarray(2 * DIM, 3 * DIM),
		Array.from({length: DIM}, (_, i) => (i === 0 ? 3 : 0)),
	);
	near(t, data.subarray(3 * DIM), new Float32Array(DIM));

	const {data: even} = await (await plain(false)).encode(['fox hen']);
	near(
		t,
		even,
		fox.map((value, i) => value + hen[i]! + (i === 0 ? 7 : 0)),
	);
});

test('normalized lexical vectors have length λ', async t => {
	const enriched = await plain(false, {normalize: true, lambda: 0.75});
	const {lexical} = await enriched.parts(['fox hen fox']);
	t.true(Math.abs(Math.hypot(...lexical.data) - 1) < 1e-6);
	const [with0, with1] = [(await encoder.encode(['fox hen fox'])).data, (await enriched.encode(['fox hen fox'])).data];
	t.true(Math.abs(Math.hypot(...with1.map((value, i) => value - with0[i]!)) - 0.75) < 1e-6);
});

test('another λ needs no new search, and λ = 0 leaves the vectors unchanged', async t => {
	const enriched = await plain(false);
	const {data: none} = await enriched.withLambda(0).encode(['fox hen']);
	const {data: one} = await enriched.withLambda(1).encode(['fox hen']);
	const {data: three} = await enriched.withLambda(3).encode(['fox hen']);
	t.deepEqual(none, (await encoder.encode(['fox hen'])).data);
	near(
		t,
		three,
		one.map((value, i) => none[i]! + 3 * (value - none[i]!)),
	);
});

test('inverse document frequencies equal those of BM25, from an index of word pieces or counted', async t => {
	const passages = [
		{id: 'a', title: 'Hen', text: 'a red fox and a fox'},
		{id: 'b', text: 'a hen'},
		{id: 'c', text: 'a river'},
	];
	const row = await decoderRow();
	const index = await Bm25Index.build(join(await temporary(t), 'bm25'), passages, {analyzer: {type: 'wordpiece', tokenizer: head}});
	t.teardown(() => index.close());
	for (const idf of [index, passages]) {
		const {lexical} = await (await plain(idf)).parts(['fox', 'hen', 'bridge']);
		// fox is in 1 of 3 passages, hen in 2 of 3 because of the title, bridge in none: ln(1 + (3 − df + 0.5) / (df + 0.5)).
		for (const [i, [piece, weight]] of (
			[
				['fox', Math.log(1 + 2.5 / 1.5)],
				['hen', Math.log(1 + 1.5 / 2.5)],
				['bridge', Math.log(1 + 3.5 / 0.5)],
			] as const
		).entries()) {
			near(
				t,
				lexical.data.subarray(i * DIM, (i + 1) * DIM),
				row(piece).map(value => weight * value),
				piece,
			);
		}
	}
	const explained = await index.explain('fox hen', 'a');
	t.true(Math.abs(explained.terms.find(({term}) => term === 'fox')!.idf - Math.log(1 + 2.5 / 1.5)) < 1e-6);
});

test('whitened token vectors have other inner products, the same with both methods', async t => {
	const products = async (whitening: 'principal' | 'aligned' | false): Promise<number[]> => {
		const {lexical} = await (await plain(false, {whitening})).parts(['fox', 'hen', 'the river']);
		const row = (at: number): Float32Array => lexical.data.subarray(at * DIM, (at + 1) * DIM);
		const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
		return [dot(row(0), row(1)), dot(row(0), row(2)), dot(row(1), row(2)), dot(row(0), row(0))];
	};
	const [raw, principal, aligned] = [await products(false), await products('principal'), await products('aligned')];
	for (const [i, value] of principal.entries()) {
		t.true(Math.abs(value - aligned[i]!) < 1e-3 * (1 + Math.abs(value)), `${value} and ${aligned[i]!}`);
		t.true(Math.abs(value - raw[i]!) > 1e-3);
	}
});

test('the search for token vectors is cached, continues after an abort, and follows its options', async t => {
	const [whole, parts] = [await temporary(t), await temporary(t)];
	const fit = async (cacheFolder: string, options: LexicalEnrichmentOptions = {}): Promise<LexicalEnrichment> =>
		LexicalEnrichment.fit({encoder, projection, idf: false}, {cacheFolder, stopping: 'each', maxSteps: 6, loss: 0.2, ...options});
	const seen: Array<{done: number; total: number}> = [];
	const first = await fit(whole, {onProgress: progress => seen.push(progress)});
	t.deepEqual(seen.at(-1), {done: 8000, total: 8000});
	const {losses, bounds, steps} = first.search!;
	t.deepEqual([losses.length, bounds.length, steps.length], [8000, 8000, 8000]);
	t.true(steps.every(count => count <= 6));
	// A token stops before the last step if its loss is low or close to its minimum.
	t.true(losses.every((loss, i) => steps[i] === 6 || loss < 0.2 || loss - bounds[i]! < 0.2));
	t.true(losses.some(loss => loss < 0.2));

	const controller = new AbortController();
	const stopped = fit(parts, {
		signal: controller.signal,
		onProgress({done}) {
			if (done > 0) {
				controller.abort(new Error('enough'));
			}
		},
	});
	await t.throwsAsync(stopped, {message: 'enough'});
	const second = await fit(parts);
	const files = await Promise.all([whole, parts].map(async folder => readdir(join(folder, 'enrichments'))));
	t.is(files[0]!.length, 1);
	t.deepEqual(files[0], files[1]);
	const bytes = await Promise.all([whole, parts].map(async folder => readFile(join(folder, 'enrichments', files[0]![0]!))));
	t.true(bytes[0]!.equals(bytes[1]!));
	t.deepEqual(await second.encode(['a fox']), await first.encode(['a fox']));
	t.is(second.identity, first.identity);

	const cached: Array<{done: number; total: number}> = [];
	await fit(whole, {whitening: false, onProgress: progress => cached.push(progress)});
	t.deepEqual(cached.at(-1), {done: 8000, total: 8000});
	t.is((await plain(false)).search, undefined);
});

test('by default all tokens take the same number of steps, and both searches are cached and continue after an abort', async t => {
	const [whole, parts] = [await temporary(t), await temporary(t)];
	const fit = async (cacheFolder: string, options: LexicalEnrichmentOptions = {}): Promise<LexicalEnrichment> =>
		LexicalEnrichment.fit({encoder, projection, idf: false}, {cacheFolder, maxSteps: 5, loss: 0.2, ...options});
	const seen: Array<{done: number; total: number}> = [];
	const first = await fit(whole, {onProgress: progress => seen.push(progress)});
	// Some token takes all five steps on its own. Progress counts 8,000 tokens once, and five times.
	t.deepEqual(seen.at(-1), {done: 48_000, total: 48_000});
	t.true(first.search!.steps.every(count => count === 5));
	t.is((await readdir(join(whole, 'enrichments'))).length, 2);
	// Only the number of steps matters: five steps for each token on its own give the same vectors, from the same file.
	const even = await fit(whole, {stopping: 'each', minSteps: 5});
	t.is(even.identity, first.identity);
	t.is((await readdir(join(whole, 'enrichments'))).length, 2);
	const each = await fit(whole, {stopping: 'each'});
	t.not(each.identity, first.identity);
	t.true(each.search!.steps.some(count => count < 5));

	for (const stopAt of [1, 20_000]) {
		const controller = new AbortController();
		const stopped = fit(parts, {
			signal: controller.signal,
			onProgress({done}) {
				if (done > stopAt) {
					controller.abort(new Error('enough'));
				}
			},
		});
		await t.throwsAsync(stopped, {message: 'enough'});
	}
	t.deepEqual(await (await fit(parts)).encode(['a fox']), await first.encode(['a fox']));
});

/** An encoder with unit vectors that depend only on the length of the text. */
const units: Encoder = {
	dim: DIM,
	identity: 'units',
	async encode(inputs) {
		const data = new Float32Array(inputs.length * DIM);
		for (const [i, input] of inputs.entries()) {
			const angle = (typeof input === 'string' ? input : input.text).length;
			data.set([Math.cos(angle), Math.sin(angle)], i * DIM);
		}
		return {data, rows: inputs.length, dim: DIM};
	},
};

test('enriched vectors are scaled to unit length only for an encoder with unit vectors', async t => {
	const fit = async (of: Encoder, options: LexicalEnrichmentOptions = {}): Promise<LexicalEnrichment> =>
		LexicalEnrichment.fit({encoder: of, projection, idf: false}, {tokens: 'static', lambda: 0.75, ...options});
	const [scaled, sums] = [await fit(units), await fit(units, {renormalize: false})];
	t.deepEqual([scaled.renormalize, sums.renormalize, (await fit(encoder)).renormalize], [true, false, false]);
	t.not(scaled.identity, sums.identity);
	const texts = ['a fox', {title: 'Hen', text: 'the river'}, ''];
	const [{data: ofScaled}, {data: ofSums}] = [await scaled.encode(texts), await sums.encode(texts)];
	for (const row of texts.keys()) {
		const sum = ofSums.subarray(row * DIM, (row + 1) * DIM);
		const length = Math.hypot(...sum);
		t.true(row === 2 || Math.abs(length - 1) > 1e-3);
		near(
			t,
			ofScaled.subarray(row * DIM, (row + 1) * DIM),
			sum.map(value => value / length),
		);
	}
	// Without enrichment, the vectors are bit-identical to those of the encoder, unless normalization was requested for an encoder without unit vectors.
	t.deepEqual(await scaled.withLambda(0).encode(texts), await units.encode(texts));
	const {data: raw} = await (await fit(encoder, {renormalize: true, lambda: 0})).encode(['a fox']);
	t.is(raw[0], 1);
});

test('the default learning rate is the one of the paper for the head', async t => {
	t.is(projection.modelType, 'bert');
	const cacheFolder = await temporary(t);
	const folder = join(cacheFolder, 'mpnet');
	await cp(head, folder, {recursive: true});
	const config = JSON.parse(await readFile(join(head, 'config.json'), 'utf8')) as object;
	await writeFile(join(folder, 'config.json'), JSON.stringify({...config, model_type: 'mpnet'}));
	const ofMpnet = await VocabularyProjection.load(folder);
	t.is(ofMpnet.modelType, 'mpnet');
	const fit = async (of: VocabularyProjection, learningRate?: number): Promise<LexicalEnrichment> =>
		LexicalEnrichment.fit({encoder, projection: of, idf: false}, {cacheFolder, minSteps: 1, maxSteps: 1, learningRate});
	const losses = async (...of: Parameters<typeof fit>): Promise<Float32Array> => (await fit(...of)).search!.losses;
	const [bert, mpnet] = [await losses(projection), await losses(ofMpnet)];
	t.notDeepEqual(bert, mpnet);
	t.deepEqual(await losses(projection, 0.01), bert);
	t.deepEqual(await losses(ofMpnet, 0.001), mpnet);
});

test('every setting that changes vectors changes the identity, and an index refuses another encoder', async t => {
	const all = await Promise.all([
		plain(false),
		plain(false, {lambda: 1}),
		plain(false, {whitening: 'principal'}),
		plain(false, {whitening: 'aligned'}),
		plain(false, {normalize: true}),
		plain(false, {renormalize: true}),
		plain(new Map([['fox', 1]])),
		plain(new Map([['fox', 2]])),
	]);
	t.is(new Set(all.map(({identity}) => identity)).size, all.length);
	t.is((await plain(false)).identity, all[0]!.identity);
	t.true(all[0]!.identity!.startsWith('lengths+lexical:'));

	const index = new FlatIndex({dim: DIM, metadata: {encoder: all[0]!.identity!}});
	await index.add(['a', 'b'], await all[0]!.encode(['a fox', 'a hen']));
	const [best] = await new DenseSearcher({index, encoder: all[0]!}).search('fox', {k: 1});
	t.is(best!.id, 'a');
	t.throws(() => new DenseSearcher({index, encoder: all[1]!}), {code: 'ERR_ENCODER_MISMATCH'});
	const {identity: _, ...nameless} = encoder;
	t.is((await LexicalEnrichment.fit({encoder: nameless, projection, idf: false}, {tokens: 'static'})).identity, undefined);
});

test('a real model can be enriched, and the tokens of a question gain weight', async t => {
	const cacheFolder = await temporary(t);
	await using model = await OnnxEncoder.load('tiny-encoder');
	const passages = ['The fox ran over the bridge.', 'A hen sat by the river.', 'The council met in the old town hall.'];
	const idf = passages.map((text, i) => ({id: String(i), text}));
	const enriched = await LexicalEnrichment.fit({encoder: model, projection, idf}, {cacheFolder, maxSteps: 4, lambda: 30});
	const {vectors, lexical} = await enriched.parts(passages);
	t.deepEqual(vectors, await model.encode(passages));
	const question = await enriched.parts(['river hen']);
	const score = (row: number): number => {
		const at = lexical.data.subarray(row * DIM, (row + 1) * DIM);
		return at.reduce((sum, value, i) => sum + value * question.lexical.data[i]!, 0);
	};
	t.true(score(1) > score(0) + 0.2 && score(1) > score(2) + 0.2);
	const index = new FlatIndex({dim: DIM});
	await index.add(['0', '1', '2'], await enriched.encode(passages));
	const [best] = await new DenseSearcher({index, encoder: enriched}).search('river hen', {k: 1});
	t.is(best!.id, '1');
});

test('mismatched arguments are refused with the expected value', async t => {
	const refused = async (work: Promise<unknown>, code: ErrorCode, message: RegExp): Promise<void> => {
		const error = (await t.throwsAsync(work, {instanceOf: RetrievalError})) as RetrievalError;
		t.is(error.code, code);
		t.regex(error.message, message);
	};
	await refused(plain(false, {lambda: -1}), 'ERR_ARGUMENT', /^lambda: expected a number of at least 0, got -1$/u);
	await refused(
		plain(false, {whitening: 'zca' as 'aligned'}),
		'ERR_ARGUMENT',
		/^whitening: expected one of principal, aligned, got "zca"$/u,
	);
	await refused(plain(false, {learningRate: 0, tokens: 'enriched'}), 'ERR_ARGUMENT', /learning rate: expected a number above 0, got 0/u);
	await refused(plain(false, {minSteps: 5, maxSteps: 4}), 'ERR_ARGUMENT', /^maxSteps: expected a whole number of at least 5, got 4$/u);
	await refused(plain(false, {stopping: 'some' as 'all'}), 'ERR_ARGUMENT', /^stopping: expected one of all, each, got "some"$/u);
	await refused(plain(false, {renormalize: 1 as never}), 'ERR_ARGUMENT', /^renormalize: expected a boolean, got 1$/u);
	await refused(plain(new Map([['zyzzyvas', 1]])), 'ERR_ARGUMENT', /^idf: expected word pieces of the head's tokenizer, got "zyzzyvas"$/u);
	await refused(plain(new Map([['fox', -1]])), 'ERR_ARGUMENT', /^weights: expected numbers of at least 0, got -1$/u);
	await refused(
		plain(7 as unknown as false),
		'ERR_ARGUMENT',
		/^idf: expected a Bm25Index, passages, a map of weights or false, got number$/u,
	);
	await refused(plain([{id: 'a'}] as never), 'ERR_ARGUMENT', /^idf: passages\[0\]: text: expected a string, got undefined$/u);
	await refused(
		LexicalEnrichment.fit({encoder: {...encoder, dim: 64}, projection, idf: false}, {tokens: 'static'}),
		'ERR_DIMENSION',
		/^projection: expected one of vectors of dimension 64, as the encoder's, got 128$/u,
	);
	await refused(LexicalEnrichment.fit({encoder: {} as Encoder, projection, idf: false}), 'ERR_ARGUMENT', /^encoder: expected an encoder/u);
	await refused(
		LexicalEnrichment.fit({encoder, projection: 'tiny-encoder' as never, idf: false}),
		'ERR_ARGUMENT',
		/^projection: expected a VocabularyProjection, got string$/u,
	);
	const index = await Bm25Index.build(join(await temporary(t), 'bm25'), [{id: 'a', text: 'a fox'}]);
	t.teardown(() => index.close());
	await refused(
		plain(index),
		'ERR_ANALYZER_MISMATCH',
		/^idf: expected an index of the head's word pieces, got one of the analyzer english$/u,
	);
});
