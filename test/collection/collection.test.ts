// Tests how collections are built, opened, searched and asked, and what failed builds leave.
import {cp, mkdtemp, readFile, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, relative} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {type BuildProgress, Collection, type FlatStorage, OnnxEncoder, type Passage, RetrievalError} from '../../ts/index.ts';

const passages: Passage[] = [
	{id: 'suez', title: 'Suez Canal', text: 'The Suez Canal was opened to shipping in November 1869 after ten years of digging.'},
	{id: 'panama', title: 'Panama Canal', text: 'The Panama Canal was opened in August 1914, and lifts ships by locks.'},
	{id: 'piano', title: 'Piano', text: 'Bartolomeo Cristofori built the first pianos in Florence about 1700.'},
];

/** Makes a temporary folder that is removed after the test. */
async function folder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-collection-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

test('a collection can be built, opened, searched in three ways, and asked a question', async t => {
	const path = join(await folder(t), 'index');
	const stages: string[] = [];
	const built = await Collection.build(passages, path, {onStage: ({stage}) => stages.push(stage)});
	await built.close();
	t.deepEqual(stages, ['read', 'bm25', 'encode', 'hnsw']);

	await using collection = await Collection.open(path);
	t.is(collection.manifest.passages, 3);
	for (const retriever of ['bm25', 'dense', 'hybrid'] as const) {
		const searcher = await collection.searcher(retriever);
		const hits = await searcher.search('Who built the first pianos?', {k: 2});
		t.is(hits[0]!.id, 'piano', retriever);
		const run = await searcher.searchMany([{id: 'q', text: 'Who built the first pianos?'}], {k: 2});
		t.deepEqual(run.get('q'), hits, `${retriever}: searchMany returns the same hits as search, bit for bit`);
	}
	const hnsw = await collection.searcher('dense', {vectorIndex: 'hnsw'});
	t.deepEqual(await hnsw.search('canal'), await (await collection.searcher('dense')).search('canal'));

	for (const retriever of ['bm25', 'dense', 'hybrid'] as const) {
		const searcher = await collection.searcher(retriever);
		const filter = {not: {ids: ['piano', 'nobody']}};
		const question = 'Which canal or piano was opened in August 1914?';
		const hits = await searcher.search(question, {filter});
		t.deepEqual(hits.map(({id}) => id).toSorted(), ['panama', 'suez'], retriever);
		t.deepEqual((await searcher.searchMany([{id: 'q', text: question}], {filter})).get('q'), hits);
		const found = await collection.search(question, {retriever, filter});
		t.deepEqual(
			found.hits.map(({id}) => id),
			hits.map(({id}) => id),
		);
		await t.throwsAsync(searcher.search(question, {filter: {year: 1914}}), {
			code: 'ERR_ARGUMENT',
			message: 'filter.year: expected no condition on fields, because no passage of the index has fields, got "year"',
		});
	}
	const asked = await collection.ask('In which month was the Panama Canal opened?', {filter: {ids: ['suez', 'piano']}});
	t.false(asked.passages.some(({id}) => id === 'panama'));

	const {answers, passages: read, retriever} = await collection.ask('In which month was the Panama Canal opened?');
	t.is(retriever, 'hybrid');
	t.is(answers[0]!.text, 'August 1914');
	const {text} = read.find(({id}) => id === answers[0]!.passageId)!;
	t.is(text.slice(answers[0]!.start, answers[0]!.end), answers[0]!.text);
});

test('vectors are stored as the option flat.storage says, and an unknown storage is refused', async t => {
	const home = await folder(t);
	const singlePrecision = await Collection.build(passages, join(home, 'f32'), {dense: 'flat'});
	const query = (await (await singlePrecision.encoder()).encode(['Who built the first pianos?'])).data;
	const expected = await (await singlePrecision.flat()).search(query);
	t.is((await singlePrecision.flat()).storage, 'f32');
	for (const storage of ['f16', 'int8Rescored'] as const) {
		await (await Collection.build(passages, join(home, storage), {flat: {storage}})).close();
		await using collection = await Collection.open(join(home, storage));
		const flat = await collection.flat();
		t.is(flat.storage, storage);
		const hits = await flat.search(query);
		if (storage === 'int8Rescored') {
			// The int8 copy only decides which vectors are scored; the scores are those of the f32 vectors.
			t.deepEqual(hits, expected);
		} else {
			// Rounding to half precision changes scores. The HNSW index is built from the rounded vectors.
			t.notDeepEqual(hits, expected);
			t.deepEqual(await (await collection.hnsw()).search(query), hits);
		}
	}
	await t.throwsAsync(Collection.build(passages, join(home, 'none'), {flat: {storage: 'int4' as FlatStorage}}), {
		instanceOf: RetrievalError,
		code: 'ERR_ARGUMENT',
		message: 'flat: storage: expected one of f32, f16, int8Rescored, got "int4"',
	});
	t.deepEqual((await readdir(home)).toSorted(), ['f16', 'f32', 'int8Rescored']);
	await singlePrecision.close();
});

test('offsets of answers are correct in texts with accents and surrogate pairs', async t => {
	const path = join(await folder(t), 'index');
	const text = '🚀 Die Brücke über die Düna wurde 1872 eröffnet, sagt Zoë.';
	await using collection = await Collection.build([{id: 'b', text}], path);
	// The question repeats two words of the German text, so that the English reader finds answers.
	for (const {text: answer, start, end} of (await collection.ask('When was the bridge opened? 1872 eröffnet', {answers: 5})).answers) {
		t.is(text.slice(start, end), answer);
	}
});

test('builds on one thread with the same seed give the same files', async t => {
	const home = await folder(t);
	for (const name of ['a', 'b']) {
		await (await Collection.build(passages, join(home, name), {threads: 1})).close();
	}
	for (const file of ['passagekit.json', 'passages.pkstore', 'flat.pkflat', 'hnsw.pkhnsw']) {
		t.deepEqual(await readFile(join(home, 'a', file)), await readFile(join(home, 'b', file)), file);
	}
});

test('a failed build leaves no files and changes no collection, and overwriting replaces only collections', async t => {
	const home = await folder(t);
	const path = join(home, 'index');
	await t.throwsAsync(Collection.build([], path, {encoder: false}), {code: 'ERR_FORMAT'});
	await t.throwsAsync(Collection.build([passages[0]!, passages[0]!], path, {encoder: false}), {code: 'ERR_DUPLICATE_ID'});
	t.deepEqual(await readdir(home), []);
	await (await Collection.build(passages, path, {encoder: false})).close();
	await t.throwsAsync(Collection.build(passages, path, {encoder: false}), {code: 'ERR_ARGUMENT'});
	await t.throwsAsync(Collection.build([], path, {encoder: false, overwrite: true}), {code: 'ERR_FORMAT'});
	t.is((await Collection.open(path)).manifest.passages, 3);
	await (await Collection.build(passages.slice(1), path, {encoder: false, overwrite: true})).close();
	t.is((await Collection.open(path)).manifest.passages, 2);
	t.deepEqual(await readdir(home), ['index']);
	await writeFile(join(home, 'file'), 'mine');
	await t.throwsAsync(Collection.build(passages, join(home, 'file'), {encoder: false, overwrite: true}), {code: 'ERR_IO'});
	await t.throwsAsync(
		Collection.build(passages, home, {encoder: false, overwrite: true}),
		{code: 'ERR_IO'},
		'a folder with other files is never overwritten',
	);
});

test('an aborted build rejects with the reason and leaves no files', async t => {
	const home = await folder(t);
	const controller = new AbortController();
	const reason = new Error('enough');
	const seen: BuildProgress[] = [];
	const many = Array.from({length: 3000}, (_, i) => ({...passages[i % 3]!, id: `p${i}`}));
	const building = Collection.build(many, join(home, 'index'), {
		signal: controller.signal,
		onProgress(progress) {
			seen.push(progress);
			if (progress.stage === 'encode') {
				controller.abort(reason);
			}
		},
	});
	t.is(await t.throwsAsync(building), reason);
	// The abort came after the first two stages: the passages and the BM25 index had been written.
	t.true(seen.some(({stage, total}) => stage === 'encode' && total === 3000));
	t.deepEqual(await readdir(home), []);
});

test('a dense search is refused if its encoder differs from that of the collection', async t => {
	const path = join(await folder(t), 'index');
	await (await Collection.build(passages, path)).close();
	await using collection = await Collection.open(path, {encoderOptions: {maxTokens: 64}});
	const error = await t.throwsAsync(collection.searcher('dense'), {instanceOf: RetrievalError, code: 'ERR_ENCODER_MISMATCH'});
	t.regex(error.message, /expected the encoder that made the index, \w+:mean:unit:256:joined, got \w+:mean:unit:64:joined/u);
	await using other = await Collection.open(path, {questionEncoder: 'tiny-encoder', encoderOptions: {pooling: 'output:embedding'}});
	await t.throwsAsync(other.searcher('dense'), {code: 'ERR_DIMENSION'});
});

test('the absolute path of a model folder is stored, so that the collection can be opened from any working directory', async t => {
	const path = join(await folder(t), 'index');
	const options = {
		encoder: relative('.', join(packageRoot, 'models/tiny-encoder')),
		encoderOptions: {pooling: 'output:embedding'},
	} as const;
	await using collection = await Collection.build(passages, path, options);
	t.is(collection.manifest.encoder!.model, join(packageRoot, 'models/tiny-encoder'));
	t.false(collection.manifest.encoder!.unit);
});

test('a path without a valid collection is refused, with a code for each cause', async t => {
	const home = await folder(t);
	await t.throwsAsync(Collection.open(join(home, 'none')), {code: 'ERR_IO', message: /passagekit index/u});
	await writeFile(join(home, 'passagekit.json'), '{');
	await t.throwsAsync(Collection.open(home), {code: 'ERR_INDEX_CORRUPT'});
	await writeFile(join(home, 'passagekit.json'), '{"format": "passagekit-collection", "version": 99, "passages": 1, "indexes": []}');
	await t.throwsAsync(Collection.open(home), {code: 'ERR_INDEX_VERSION'});
});

test('without vectors, only BM25 works, and the errors of the other searchers say why', async t => {
	const path = join(await folder(t), 'index');
	await using collection = await Collection.build(passages, path, {encoder: false});
	t.is((await collection.ask('Who built the first pianos?')).retriever, 'bm25');
	await t.throwsAsync(collection.searcher('hybrid'), {code: 'ERR_ARGUMENT', message: /without an encoder/u});
});

test('passages and questions can have separate encoders, as in DPR', async t => {
	const home = await folder(t);
	/**
	Copies the tiny encoder and gives it the settings of DPR: the vector of a text is that of the token [CLS], not normalized. The maximum
	number of tokens makes the two encoders differ.
	*/
	const copyEncoder = async (name: string, maxTokens: number): Promise<string> => {
		const path = join(home, name);
		await cp(join(packageRoot, 'models/tiny-encoder'), path, {recursive: true});
		const config = JSON.parse(await readFile(join(path, 'config.json'), 'utf8')) as object;
		const settings = {pooling: 'cls', normalize: false, max_tokens: maxTokens};
		await writeFile(join(path, 'config.json'), JSON.stringify({...config, passagekit: settings}));
		return path;
	};
	const [passageEncoder, questionEncoder] = [await copyEncoder('context', 200), await copyEncoder('question', 40)];
	const path = join(home, 'index');
	await using built = await Collection.build(passages, path, {encoder: passageEncoder, questionEncoder, dense: 'flat'});
	t.is(built.manifest.encoder!.unit, false);
	t.is(built.manifest.encoder!.questions!.model, questionEncoder);

	// After reopening, too, a score is the inner product of a vector of the question encoder and a vector of the passage encoder.
	await using opened = await Collection.open(path);
	const question = 'Who built the first pianos?';
	const hits = await (await opened.searcher('dense')).search(question, {k: 3});
	const [forPassages, forQuestions] = [await OnnxEncoder.load(passageEncoder), await OnnxEncoder.load(questionEncoder)];
	const [q, p] = [(await forQuestions.encode([question])).data, await forPassages.encode(passages)];
	for (const {id, score} of hits) {
		const row = passages.findIndex(passage => passage.id === id);
		const product = q.reduce((sum, value, i) => sum + value * p.data[row * p.dim + i]!, 0);
		t.true(Math.abs(product - score) < 1e-5 * Math.abs(product), `${id}: ${product}, ${score}`);
	}
	t.is(hits.length, 3);
	forPassages.close();
	forQuestions.close();

	await using wrong = await Collection.open(path, {questionEncoder: passageEncoder});
	const error = await t.throwsAsync(wrong.searcher('dense'), {code: 'ERR_ENCODER_MISMATCH'});
	t.regex(error.message, /expected the encoder that goes with the index/u);
	await t.throwsAsync(
		Collection.build(passages, join(home, 'other'), {encoder: passageEncoder, questionEncoder: 'minilm-encoder', dense: 'flat'}),
		{
			code: 'ERR_DIMENSION',
			message: /^questionEncoder: expected vectors of dimension 128/u,
		},
	);
});

test('a collection with a part of another one is refused, and so is a part that was replaced while its collection was open', async t => {
	const home = await folder(t);
	const options = {encoder: join(packageRoot, 'models/tiny-encoder'), threads: 1};
	// Both collections have the same number of passages.
	const others = passages.map(passage => ({...passage, text: `${passage.text} Again.`}));
	await (await Collection.build(passages, join(home, 'a'), options)).close();
	await (await Collection.build(others, join(home, 'b'), options)).close();
	for (const part of ['passages.pkstore', 'bm25', 'flat.pkflat', 'hnsw.pkhnsw']) {
		const mixed = join(home, `mixed-${part}`);
		await cp(join(home, 'a'), mixed, {recursive: true});
		await rm(join(mixed, part), {recursive: true});
		await cp(join(home, 'b', part), join(mixed, part), {recursive: true});
		const open = async (): Promise<void> => {
			await using collection = await Collection.open(mixed);
			await collection.flat();
			await collection.hnsw();
		};
		await t.throwsAsync(open(), {instanceOf: RetrievalError, code: 'ERR_INDEX_CORRUPT'}, part);
	}
	await using opened = await Collection.open(join(home, 'a'));
	await (await Collection.build(others, join(home, 'a'), {...options, overwrite: true})).close();
	t.is((await opened.bm25.search('piano'))[0]!.id, 'piano', 'an index that is already open stays open');
	await t.throwsAsync(opened.flat(), {code: 'ERR_INDEX_CORRUPT', message: /open it again/u});
	const live = await Collection.open(join(home, 'live'), {create: true, encoder: false});
	await live.close();
	await t.throwsAsync(Collection.build(passages, join(home, 'live'), {...options, overwrite: true}), {
		code: 'ERR_ARGUMENT',
		message: /Collection\.open created/u,
	});
});

test('closing a built collection waits for the calls in progress, and later calls fail', async t => {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-closing-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	const built = await Collection.build([{id: 'a', text: 'The Suez Canal was opened in 1869.'}], join(path, 'index'));
	const searcher = await built.searcher('hybrid');
	const calls = [
		built.search('canal'),
		built.ask('When was the canal opened?'),
		searcher.search('canal'),
		searcher.searchMany([{id: 'q', text: 'canal'}]),
		built.encoder(),
		built.flat(),
	];
	const closing = built.close();
	await t.notThrowsAsync(Promise.all(calls));
	await closing;
	for (const call of [
		async () => built.search('canal'),
		async () => searcher.search('canal'),
		async () => built.hnsw(),
		async () => built.encoder(),
	]) {
		await t.throwsAsync(call(), {code: 'ERR_CLOSED'});
	}
});
