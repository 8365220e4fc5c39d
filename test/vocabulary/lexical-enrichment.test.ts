// Tests lexical enrichment: lexical vectors, token weights, whitening, the optimization that finds the vectors of tokens, and the
// identities of enriched encoders. In comments, "optimization" is what the API calls `search`.
import {cp, mkdtemp, readFile, readdir, rm, stat, writeFile} from 'node:fs/promises';
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

/** The folder of the model whose masked-language-model head projects vectors onto a vocabulary of 8,000 word pieces. */
const headFolder = join(packageRoot, 'models/tiny-encoder');
const projection = await VocabularyProjection.load(headFolder);
const DIM = 128;

/** An encoder whose vectors depend only on the length of the text: it is the first number, and the others are 0. */
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

/** Creates a folder that is removed when the test ends. */
async function temporaryFolder(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-enrichment-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	return folder;
}

/**
Fits an enrichment with λ = 2 whose token vectors are the unchanged rows of the decoder, which is the head's output layer. The tests can
compute the results of this enrichment by hand.
*/
async function fitStatic(idf: TokenWeights, options: LexicalEnrichmentOptions = {}): Promise<LexicalEnrichment> {
	return LexicalEnrichment.fit({encoder, projection, idf}, {tokens: 'static', whitening: false, normalize: false, lambda: 2, ...options});
}

/** Reads the decoder from the head's safetensors file. Returns a function that maps a word piece to its row of the decoder. */
async function decoderRow(): Promise<(piece: string) => Float32Array> {
	const file = await readFile(join(headFolder, 'mlm_head.safetensors'));
	// The file consists of 8 bytes with the length of the header, the header, which is JSON, and the data.
	const length = Number(file.readBigUInt64LE(0));
	const table = JSON.parse(file.toString('utf8', 8, 8 + length)) as Record<string, {data_offsets: [number, number]}>;
	const [from, to] = table['decoder.weight']!.data_offsets;
	const rows = new Float32Array(file.buffer.slice(file.byteOffset + 8 + length + from, file.byteOffset + 8 + length + to));
	const {model} = JSON.parse(await readFile(join(headFolder, 'tokenizer.json'), 'utf8')) as {model: {vocab: Record<string, number>}};
	return piece => rows.subarray(model.vocab[piece]! * DIM, (model.vocab[piece]! + 1) * DIM);
}

/** Asserts that two vectors differ by less than 1e-5 in every component. */
const assertNear = (t: ExecutionContext, actual: Float32Array, expected: readonly number[] | Float32Array, message?: string): void => {
	t.is(actual.length, expected.length);
	const error = Math.max(...actual.map((value, i) => Math.abs(value - expected[i]!)));
	t.true(error < 1e-5, `${message ?? ''} differs by ${error}`);
};

test('a lexical vector is the weighted sum of the vectors of all tokens, divided by their number', async t => {
	const row = await decoderRow();
	const [fox, hen] = [row('fox'), row('hen')];
	const weights = new Map([
		['fox', 3],
		['hen', 0.5],
	]);
	const enriched = await fitStatic(weights);
	const {data, rows, dim} = await enriched.encode(['Fox hen fox', {title: 'Hen', text: 'fox'}, 'the', '']);
	t.deepEqual([rows, dim, enriched.dim, enriched.lambda], [4, DIM, DIM, 2]);
	// Repeated tokens and those of the title count. The lexical vector of the first text is (3 fox + 0.5 hen + 3 fox) / 3, and λ is 2.
	// The first number of the encoder's vector is the length of the text, without the title.
	assertNear(
		t,
		data.subarray(0, DIM),
		fox.map((value, i) => 2 * ((6 * value + 0.5 * hen[i]!) / 3) + (i === 0 ? 11 : 0)),
	);
	assertNear(
		t,
		data.subarray(DIM, 2 * DIM),
		fox.map((value, i) => 2 * ((3 * value + 0.5 * hen[i]!) / 2) + (i === 0 ? 3 : 0)),
	);
	// The lexical vector is 0 for a text whose only token has weight 0, and for a text without tokens.
	assertNear(
		t,
		data.subarray(2 * DIM, 3 * DIM),
		Array.from({length: DIM}, (_, i) => (i === 0 ? 3 : 0)),
	);
	assertNear(t, data.subarray(3 * DIM), new Float32Array(DIM));

	// Without weights: 2 · (fox + hen) / 2.
	const {data: unweighted} = await (await fitStatic(false)).encode(['fox hen']);
	assertNear(
		t,
		unweighted,
		fox.map((value, i) => value + hen[i]! + (i === 0 ? 7 : 0)),
	);
});

test('normalized lexical vectors have length 1, and λ times a lexical vector is added to the vector of the encoder', async t => {
	const enriched = await fitStatic(false, {normalize: true, lambda: 0.75});
	const {lexical} = await enriched.parts(['fox hen fox']);
	t.true(Math.abs(Math.hypot(...lexical.data) - 1) < 1e-6);
	const [original, withLexical] = [(await encoder.encode(['fox hen fox'])).data, (await enriched.encode(['fox hen fox'])).data];
	t.true(Math.abs(Math.hypot(...withLexical.map((value, i) => value - original[i]!)) - 0.75) < 1e-6);
});

test('the lexical vectors are multiplied by the λ that withLambda sets, and λ = 0 leaves the vectors of the encoder unchanged', async t => {
	const enriched = await fitStatic(false);
	const {data: none} = await enriched.withLambda(0).encode(['fox hen']);
	const {data: one} = await enriched.withLambda(1).encode(['fox hen']);
	const {data: three} = await enriched.withLambda(3).encode(['fox hen']);
	t.deepEqual(none, (await encoder.encode(['fox hen'])).data);
	assertNear(
		t,
		three,
		one.map((value, i) => none[i]! + 3 * (value - none[i]!)),
	);
});

test('inverse document frequencies equal those of BM25, whether they come from an index of word pieces or from passages', async t => {
	const passages = [
		{id: 'a', title: 'Hen', text: 'a red fox and a fox'},
		{id: 'b', text: 'a hen'},
		{id: 'c', text: 'a river'},
	];
	const row = await decoderRow();
	const analyzer = {type: 'wordpiece', tokenizer: headFolder} as const;
	const index = await Bm25Index.build(join(await temporaryFolder(t), 'bm25'), passages, {analyzer});
	t.teardown(() => index.close());
	for (const idf of [index, passages]) {
		const {lexical} = await (await fitStatic(idf)).parts(['fox', 'hen', 'bridge']);
		// fox is in 1 of 3 passages, hen in 2 of 3 because of the title, bridge in none: ln(1 + (3 − df + 0.5) / (df + 0.5)).
		for (const [i, [piece, weight]] of (
			[
				['fox', Math.log(1 + 2.5 / 1.5)],
				['hen', Math.log(1 + 1.5 / 2.5)],
				['bridge', Math.log(1 + 3.5 / 0.5)],
			] as const
		).entries()) {
			assertNear(
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

test('whitening changes the inner products of lexical vectors, and both whitening methods give the same inner products', async t => {
	const products = async (whitening: 'principal' | 'aligned' | false): Promise<number[]> => {
		const {lexical} = await (await fitStatic(false, {whitening})).parts(['fox', 'hen', 'the river']);
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

test('the optimization of token vectors ends when losses are low or steps are used up, is cached, and continues after an abort', async t => {
	const [uninterrupted, interrupted] = [await temporaryFolder(t), await temporaryFolder(t)];
	// With `stopping: 'each'`, each token stops as soon as its own loss is low enough.
	const fit = async (cacheFolder: string, options: LexicalEnrichmentOptions = {}): Promise<LexicalEnrichment> =>
		LexicalEnrichment.fit({encoder, projection, idf: false}, {cacheFolder, stopping: 'each', maxSteps: 6, loss: 0.2, ...options});
	const seen: Array<{done: number; total: number}> = [];
	const first = await fit(uninterrupted, {onProgress: progress => seen.push(progress)});
	// Progress counts the tokens that are done.
	t.deepEqual(seen.at(-1), {done: 8000, total: 8000});
	// `bounds` are lower bounds of the losses: no vector can give a token a lower loss.
	const {losses, bounds, steps} = first.search!;
	t.deepEqual([losses.length, bounds.length, steps.length], [8000, 8000, 8000]);
	t.true(steps.every(count => count <= 6));
	// A token stops before the sixth step only if its loss is below 0.2, or within 0.2 of its lower bound.
	t.true(losses.every((loss, i) => steps[i] === 6 || loss < 0.2 || loss - bounds[i]! < 0.2));
	t.true(losses.some(loss => loss < 0.2));

	const controller = new AbortController();
	const stopped = fit(interrupted, {
		signal: controller.signal,
		onProgress({done}) {
			if (done > 0) {
				controller.abort(new Error('enough'));
			}
		},
	});
	await t.throwsAsync(stopped, {message: 'enough'});
	// The second call continues the interrupted work. Its file and its vectors are the same as those of the uninterrupted call.
	const second = await fit(interrupted);
	const files = await Promise.all([uninterrupted, interrupted].map(async folder => readdir(join(folder, 'enrichments'))));
	t.is(files[0]!.length, 1);
	t.deepEqual(files[0], files[1]);
	const bytes = await Promise.all([uninterrupted, interrupted].map(async folder => readFile(join(folder, 'enrichments', files[0]![0]!))));
	t.true(bytes[0]!.equals(bytes[1]!));
	t.deepEqual(await second.encode(['a fox']), await first.encode(['a fox']));
	t.is(second.identity, first.identity);

	// Whitening comes after the optimization, so a fit without whitening reads the same file. A new optimization would write the file
	// again, which would change its inode or its modification time.
	const cacheFile = join(uninterrupted, 'enrichments', files[0]![0]!);
	const {ino: inode, mtimeMs: modified} = await stat(cacheFile);
	const progressFromCache: Array<{done: number; total: number}> = [];
	await fit(uninterrupted, {whitening: false, onProgress: progress => progressFromCache.push(progress)});
	t.deepEqual(progressFromCache.at(-1), {done: 8000, total: 8000});
	const {ino: inodeAfter, mtimeMs: modifiedAfter} = await stat(cacheFile);
	t.deepEqual([inodeAfter, modifiedAfter], [inode, modified]);
	t.is((await readdir(join(uninterrupted, 'enrichments'))).length, 1);
	// The rows of the decoder need no optimization.
	t.is((await fitStatic(false)).search, undefined);
});

// By default, the optimization runs twice: the first run finds the number of steps of the slowest token, and in the second run all tokens
// take this number of steps.
test('by default all tokens take the same number of steps, and both runs are cached and continue after an abort', async t => {
	const [uninterrupted, interrupted] = [await temporaryFolder(t), await temporaryFolder(t)];
	const fit = async (cacheFolder: string, options: LexicalEnrichmentOptions = {}): Promise<LexicalEnrichment> =>
		LexicalEnrichment.fit({encoder, projection, idf: false}, {cacheFolder, maxSteps: 5, loss: 0.2, ...options});
	const seen: Array<{done: number; total: number}> = [];
	const first = await fit(uninterrupted, {onProgress: progress => seen.push(progress)});
	// At least one token needs all five steps. Progress counts 8,000 tokens in the first run, and 5 · 8,000 steps in the second.
	t.deepEqual(seen.at(-1), {done: 48_000, total: 48_000});
	t.true(first.search!.steps.every(count => count === 5));
	// Each of the two runs has a file.
	t.is((await readdir(join(uninterrupted, 'enrichments'))).length, 2);
	// If each token stops on its own but must take five steps, the vectors are the same and come from the file of the second run.
	const fixedSteps = await fit(uninterrupted, {stopping: 'each', minSteps: 5});
	t.is(fixedSteps.identity, first.identity);
	t.is((await readdir(join(uninterrupted, 'enrichments'))).length, 2);
	// Without a minimum of steps, some tokens stop earlier.
	const separate = await fit(uninterrupted, {stopping: 'each'});
	t.not(separate.identity, first.identity);
	t.true(separate.search!.steps.some(count => count < 5));

	// Aborts in the first run, which ends at a progress of 8,000, then in the second, which ends at 48,000.
	for (const stopAt of [1, 20_000]) {
		const controller = new AbortController();
		const stopped = fit(interrupted, {
			signal: controller.signal,
			onProgress({done}) {
				if (done > stopAt) {
					controller.abort(new Error('enough'));
				}
			},
		});
		await t.throwsAsync(stopped, {message: 'enough'});
	}
	t.deepEqual(await (await fit(interrupted)).encode(['a fox']), await first.encode(['a fox']));
});

/** An encoder with unit vectors that depend only on the length of the text. */
const unitEncoder: Encoder = {
	dim: DIM,
	identity: 'unit vectors',
	async encode(inputs) {
		const data = new Float32Array(inputs.length * DIM);
		for (const [i, input] of inputs.entries()) {
			const angle = (typeof input === 'string' ? input : input.text).length;
			data.set([Math.cos(angle), Math.sin(angle)], i * DIM);
		}
		return {data, rows: inputs.length, dim: DIM};
	},
};

test('by default, enriched vectors are scaled to unit length only if those of the encoder have unit length', async t => {
	const fit = async (fitted: Encoder, options: LexicalEnrichmentOptions = {}): Promise<LexicalEnrichment> =>
		LexicalEnrichment.fit({encoder: fitted, projection, idf: false}, {tokens: 'static', lambda: 0.75, ...options});
	const [scaled, sums] = [await fit(unitEncoder), await fit(unitEncoder, {renormalize: false})];
	t.deepEqual([scaled.renormalize, sums.renormalize, (await fit(encoder)).renormalize], [true, false, false]);
	t.not(scaled.identity, sums.identity);
	const texts = ['a fox', {title: 'Hen', text: 'the river'}, ''];
	const [{data: scaledVectors}, {data: sumVectors}] = [await scaled.encode(texts), await sums.encode(texts)];
	for (const row of texts.keys()) {
		const sum = sumVectors.subarray(row * DIM, (row + 1) * DIM);
		const length = Math.hypot(...sum);
		// Scaling changes the vectors, except that of the empty text (row 2), whose lexical vector is 0.
		t.true(row === 2 || Math.abs(length - 1) > 1e-3);
		assertNear(
			t,
			scaledVectors.subarray(row * DIM, (row + 1) * DIM),
			sum.map(value => value / length),
		);
	}
	// With λ = 0, the vectors equal those of the encoder bit for bit, unless `renormalize` is set for an encoder without unit vectors.
	t.deepEqual(await scaled.withLambda(0).encode(texts), await unitEncoder.encode(texts));
	const {data: renormalized} = await (await fit(encoder, {renormalize: true, lambda: 0})).encode(['a fox']);
	t.is(renormalized[0], 1);
});

test('the default learning rate is 0.001 for a head of MPNet and 0.01 for other heads, as in Ram et al. (2023)', async t => {
	t.is(projection.modelType, 'bert');
	const cacheFolder = await temporaryFolder(t);
	// A copy of the head, with a configuration that says that the model is an MPNet.
	const folder = join(cacheFolder, 'mpnet');
	await cp(headFolder, folder, {recursive: true});
	const config = JSON.parse(await readFile(join(headFolder, 'config.json'), 'utf8')) as object;
	await writeFile(join(folder, 'config.json'), JSON.stringify({...config, model_type: 'mpnet'}));
	const mpnetProjection = await VocabularyProjection.load(folder);
	t.is(mpnetProjection.modelType, 'mpnet');
	/** Returns the losses after one step. They depend on the learning rate. */
	const losses = async (fitted: VocabularyProjection, learningRate?: number): Promise<Float32Array> => {
		const options = {cacheFolder, minSteps: 1, maxSteps: 1, learningRate};
		return (await LexicalEnrichment.fit({encoder, projection: fitted, idf: false}, options)).search!.losses;
	};
	const [bert, mpnet] = [await losses(projection), await losses(mpnetProjection)];
	t.notDeepEqual(bert, mpnet);
	t.deepEqual(await losses(projection, 0.01), bert);
	t.deepEqual(await losses(mpnetProjection, 0.001), mpnet);
});

test('options that change vectors change the identity, and an index refuses an encoder with another identity', async t => {
	const all = await Promise.all([
		fitStatic(false),
		fitStatic(false, {lambda: 1}),
		fitStatic(false, {whitening: 'principal'}),
		fitStatic(false, {whitening: 'aligned'}),
		fitStatic(false, {normalize: true}),
		fitStatic(false, {renormalize: true}),
		fitStatic(new Map([['fox', 1]])),
		fitStatic(new Map([['fox', 2]])),
	]);
	t.is(new Set(all.map(({identity}) => identity)).size, all.length);
	t.is((await fitStatic(false)).identity, all[0]!.identity);
	t.true(all[0]!.identity!.startsWith('lengths+lexical:'));

	const index = new FlatIndex({dim: DIM, metadata: {encoder: all[0]!.identity!}});
	await index.add(['a', 'b'], await all[0]!.encode(['a fox', 'a hen']));
	const [best] = await new DenseSearcher({index, encoder: all[0]!}).search('fox', {k: 1});
	t.is(best!.id, 'a');
	t.throws(() => new DenseSearcher({index, encoder: all[1]!}), {code: 'ERR_ENCODER_MISMATCH'});
	// If the encoder has no identity, neither has the enriched encoder.
	const {identity: _, ...withoutIdentity} = encoder;
	t.is((await LexicalEnrichment.fit({encoder: withoutIdentity, projection, idf: false}, {tokens: 'static'})).identity, undefined);
});

test('a real model can be enriched, and the passage that contains the words of a question is found first', async t => {
	const cacheFolder = await temporaryFolder(t);
	await using model = await OnnxEncoder.load('tiny-encoder');
	const passages = ['The fox ran over the bridge.', 'A hen sat by the river.', 'The council met in the old town hall.'];
	const idf = passages.map((text, i) => ({id: String(i), text}));
	// λ is so large that the lexical vectors decide the ranking. Four steps keep the test short.
	const enriched = await LexicalEnrichment.fit({encoder: model, projection, idf}, {cacheFolder, maxSteps: 4, lambda: 30});
	const {vectors, lexical} = await enriched.parts(passages);
	t.deepEqual(vectors, await model.encode(passages));
	const question = await enriched.parts(['river hen']);
	/** Returns the inner product of the lexical vectors of a passage and the question. */
	const lexicalScore = (row: number): number => {
		const vector = lexical.data.subarray(row * DIM, (row + 1) * DIM);
		return vector.reduce((sum, value, i) => sum + value * question.lexical.data[i]!, 0);
	};
	t.true(lexicalScore(1) > lexicalScore(0) + 0.2 && lexicalScore(1) > lexicalScore(2) + 0.2);
	const index = new FlatIndex({dim: DIM});
	await index.add(['0', '1', '2'], await enriched.encode(passages));
	const [best] = await new DenseSearcher({index, encoder: enriched}).search('river hen', {k: 1});
	t.is(best!.id, '1');
});

test('invalid arguments are refused, with errors that say what was expected', async t => {
	const refused = async (work: Promise<unknown>, code: ErrorCode, message: RegExp): Promise<void> => {
		const error = (await t.throwsAsync(work, {instanceOf: RetrievalError})) as RetrievalError;
		t.is(error.code, code);
		t.regex(error.message, message);
	};
	await refused(fitStatic(false, {lambda: -1}), 'ERR_ARGUMENT', /^lambda: expected a number of at least 0, got -1$/u);
	await refused(
		fitStatic(false, {whitening: 'zca' as 'aligned'}),
		'ERR_ARGUMENT',
		/^whitening: expected one of principal, aligned, got "zca"$/u,
	);
	await refused(
		fitStatic(false, {learningRate: 0, tokens: 'enriched'}),
		'ERR_ARGUMENT',
		/learning rate: expected a number above 0, got 0/u,
	);
	await refused(fitStatic(false, {minSteps: 5, maxSteps: 4}), 'ERR_ARGUMENT', /^maxSteps: expected a whole number of at least 5, got 4$/u);
	await refused(fitStatic(false, {stopping: 'some' as 'all'}), 'ERR_ARGUMENT', /^stopping: expected one of all, each, got "some"$/u);
	await refused(fitStatic(false, {renormalize: 1 as never}), 'ERR_ARGUMENT', /^renormalize: expected a boolean, got 1$/u);
	await refused(
		fitStatic(new Map([['zyzzyvas', 1]])),
		'ERR_ARGUMENT',
		/^idf: expected word pieces of the head's tokenizer, got "zyzzyvas"$/u,
	);
	await refused(fitStatic(new Map([['fox', -1]])), 'ERR_ARGUMENT', /^idf: weight of "fox": expected a number of at least 0, got -1$/u);
	await refused(
		fitStatic(7 as unknown as false),
		'ERR_ARGUMENT',
		/^idf: expected a Bm25Index, passages, a map of weights or false, got number$/u,
	);
	await refused(fitStatic([{id: 'a'}] as never), 'ERR_ARGUMENT', /^idf: passages\[0\]: text: expected a string, got undefined$/u);
	await refused(
		LexicalEnrichment.fit({encoder: {...encoder, dim: 64}, projection, idf: false}, {tokens: 'static'}),
		'ERR_DIMENSION',
		/^projection: expected one for vectors of the encoder's dimension 64, got 128$/u,
	);
	await refused(LexicalEnrichment.fit({encoder: {} as Encoder, projection, idf: false}), 'ERR_ARGUMENT', /^encoder: expected an encoder/u);
	await refused(
		LexicalEnrichment.fit({encoder, projection: 'tiny-encoder' as never, idf: false}),
		'ERR_ARGUMENT',
		/^projection: expected a VocabularyProjection, got string$/u,
	);
	const index = await Bm25Index.build(join(await temporaryFolder(t), 'bm25'), [{id: 'a', text: 'a fox'}]);
	t.teardown(() => index.close());
	await refused(
		fitStatic(index),
		'ERR_ANALYZER_MISMATCH',
		/^idf: expected an index of the head's word pieces, got one with the analyzer english$/u,
	);
});
