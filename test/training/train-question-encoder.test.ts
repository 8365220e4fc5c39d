// Trains the tiny question encoder for an index of the bundled encyclopedia, alone and together with the tiny reader.
import {mkdtemp, readFile, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import anyTest, {type TestFn} from 'ava';
import {
	Collection,
	DenseSearcher,
	ExtractiveReader,
	FlatIndex,
	HnswIndex,
	OnnxEncoder,
	type Progress,
	type Question,
	type TrainQuestionEncoderOptions,
	encyclopedia,
	trainQuestionEncoder,
} from '../../ts/index.ts';
import {candidatesOf} from '../../ts/training/question-encoder/candidates.ts';
import {firstNegatives, firstPositives} from '../../ts/training/question-encoder/retrieval.ts';
import {passagekit} from '../support/command.ts';

interface Context {
	readonly folder: string;
	readonly collection: Collection;
	readonly index: FlatIndex;
	readonly train: readonly Question[];
	readonly dev: readonly Question[];
}

const test = anyTest as TestFn<Context>;

test.before(async t => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-question-encoder-'));
	const {articles, questions} = encyclopedia();
	const collection = await Collection.build(articles, join(folder, 'collection'), {encoder: 'tiny-encoder', dense: 'flat'});
	const [train, dev] = [await questions('train'), await questions('dev')];
	Object.assign(t.context, {folder, collection, index: await collection.flat(), train, dev});
});

test.after.always(async t => {
	await t.context.collection?.close();
	await rm(t.context.folder, {recursive: true, force: true});
});

const options: TrainQuestionEncoderOptions = {epochs: 3, learningRate: 3e-4, batchSize: 16, depth: 50, threads: 2, seed: 7};

const corpusOf = ({collection, index}: Context) => ({index, passages: collection.passages});

async function bytes(folder: string, name: string): Promise<string> {
	return (await readFile(join(folder, name))).toString('base64');
}

test('questions learn to find their passages in an index that does not change, which accepts the trained encoder', async t => {
	const {folder, index, train} = t.context;
	const corpus = corpusOf(t.context);
	const output = join(folder, 'learns');
	const [passage] = await corpus.passages.slice(0, 1);
	const before = await index.get(passage!.id);
	const result = await trainQuestionEncoder(train, corpus, 'tiny-encoder', output, {...options, dev: train, epochs: 6, learningRate: 1e-3});
	t.is(result.folder, output);
	t.is(result.readerFolder, undefined);
	t.is(result.questions + result.skipped, train.length);
	t.true(result.bestEpoch > 0);
	const [first, best] = [result.epochs[0]!.validation!, result.epochs[result.bestEpoch]!.validation!];
	t.true(best.meanReciprocalRank > first.meanReciprocalRank + 0.02, `${first.meanReciprocalRank} → ${best.meanReciprocalRank}`);
	t.is(best.exactMatch, undefined);
	t.deepEqual(await index.get(passage!.id), before);

	await using encoder = await OnnxEncoder.load(output);
	t.is(encoder.passageEncoder, index.metadata.encoder);
	t.not(encoder.identity, index.metadata.encoder);
	const hits = await new DenseSearcher({encoder, index}).search(train[0]!.text, {k: 3});
	t.is(hits.length, 3);
	await using collection = await Collection.open(join(folder, 'collection'), {questionEncoder: output});
	t.deepEqual(
		(await (await collection.searcher('dense')).search(train[0]!.text, {k: 3})).map(({id}) => id),
		hits.map(({id}) => id),
	);
	// With other settings, its vectors are not those that were trained.
	await using short = await OnnxEncoder.load(output, {maxTokens: 8});
	t.is(short.passageEncoder, undefined);
	t.throws(() => new DenseSearcher({encoder: short, index}), {code: 'ERR_ENCODER_MISMATCH'});
	// Another encoder with the same dimension is still refused.
	const other = {...encoder, dim: encoder.dim, identity: encoder.identity, passageEncoder: 'another', encode: encoder.encode.bind(encoder)};
	t.throws(() => new DenseSearcher({encoder: other, index}), {code: 'ERR_ENCODER_MISMATCH'});
});

test('with a reader, both are trained on what the encoder retrieves, and both folders can be opened', async t => {
	const {folder, index, train, dev} = t.context;
	const corpus = corpusOf(t.context);
	const output = join(folder, 'joint');
	const losses: number[] = [];
	const result = await trainQuestionEncoder(train.slice(0, 48), corpus, 'tiny-encoder', output, {
		...options,
		reader: 'tiny-encoder',
		passagesPerQuestion: 4,
		epochs: 2,
		dev: dev.slice(0, 30),
		onProgress({loss, done, total}) {
			losses.push(loss);
			t.true(done <= total);
		},
	});
	t.is(losses.length, result.steps);
	t.true(losses.every(Number.isFinite));
	for (const {validation} of result.epochs) {
		t.true(validation!.exactMatch! >= 0 && validation!.f1! >= validation!.exactMatch!);
	}
	t.true(result.epochs[2]!.loss! < result.epochs[1]!.loss!, 'the models learn');
	t.is(result.folder, join(output, 'question-encoder'));
	t.is(result.readerFolder, join(output, 'reader'));
	t.deepEqual((await readdir(output)).toSorted(), ['question-encoder', 'reader', 'training.json']);
	await using encoder = await OnnxEncoder.load(result.folder);
	await using reader = await ExtractiveReader.load(result.readerFolder!);
	const hits = await new DenseSearcher({encoder, index}).search(train[0]!.text, {k: 3});
	const passages = await corpus.passages.get(hits.map(({id}) => id));
	const answers = await reader.read(
		train[0]!.text,
		passages.map((passage, i) => ({...passage, score: hits[i]!.score})),
	);
	t.true(answers.length > 0);
});

test('a run that was stopped is resumed with the same bits, and a finished one is not repeated', async t => {
	const {folder, train, dev} = t.context;
	const corpus = corpusOf(t.context);
	const both = {
		...options,
		reader: 'tiny-encoder',
		passagesPerQuestion: 3,
		batchSize: 12,
		epochs: 2,
		dev: dev.slice(0, 10),
		checkpointSteps: 1,
	};
	const few = train.slice(0, 48);
	const expected = await trainQuestionEncoder(few, corpus, 'tiny-encoder', join(folder, 'whole'), both);
	const output = join(folder, 'stopped');
	for (const stopAt of [2, 5]) {
		const controller = new AbortController();
		await t.throwsAsync(
			trainQuestionEncoder(few, corpus, 'tiny-encoder', output, {
				...both,
				signal: controller.signal,
				onProgress({done}) {
					if (done === stopAt) {
						controller.abort(new Error(`step ${stopAt}`));
					}
				},
			}),
			{message: `step ${stopAt}`},
		);
		const files = await readdir(output);
		t.is(files.filter(name => name.startsWith('checkpoint')).length, 2, `${files}`);
	}
	const result = await trainQuestionEncoder(few, corpus, 'tiny-encoder', output, both);
	t.deepEqual(result.epochs, expected.epochs);
	// Aborted at arbitrary times, also between the steps of the encoder and of the reader.
	const anytime = join(folder, 'anytime');
	let isDone = false;
	// The delay grows by a factor, so that a slow machine, which needs long to start, does not need many calls.
	for (let delay = 150; !isDone; delay = Math.ceil(1.3 * delay)) {
		const settings = {...both, checkpointSteps: 100, signal: AbortSignal.timeout(delay)};
		isDone = await trainQuestionEncoder(few, corpus, 'tiny-encoder', anytime, settings).then(
			() => true,
			(error: Error) => {
				t.is(error.name, 'TimeoutError', error.stack);
				return false;
			},
		);
	}
	for (const part of ['question-encoder', 'reader']) {
		t.is(await bytes(join(output, part), 'model.onnx'), await bytes(join(folder, 'whole', part), 'model.onnx'));
		t.is(await bytes(join(anytime, part), 'model.onnx'), await bytes(join(folder, 'whole', part), 'model.onnx'));
	}
	let steps = 0;
	const again = await trainQuestionEncoder(few, corpus, 'tiny-encoder', output, {...both, onProgress: () => (steps += 1)});
	t.deepEqual(again, result);
	t.is(steps, 0);
	// An index with the same ids and settings but other vectors is another training run.
	await using other = new FlatIndex({dim: corpus.index.dim, metadata: corpus.index.metadata});
	const ids: string[] = [];
	for await (const id of corpus.index.ids()) {
		ids.push(id);
	}
	await other.add(ids, await corpus.index.vectors(ids.toReversed()));
	await t.throwsAsync(trainQuestionEncoder(few, {...corpus, index: other}, 'tiny-encoder', output, both), {
		code: 'ERR_ARGUMENT',
		message: /expected the same model, examples and options/u,
	});
	await t.throwsAsync(trainQuestionEncoder(few.slice(1), corpus, 'tiny-encoder', output, both), {
		code: 'ERR_ARGUMENT',
		message: /expected the same model, examples and options/u,
	});
});

test('given positives count instead of answers, and questions without any positive are skipped', async t => {
	const {folder, train} = t.context;
	const corpus = corpusOf(t.context);
	const all = await corpus.passages.slice(0, 8);
	const questions = [
		...all.map(({id, title}, i) => ({id: `g${i}`, text: `what is ${title}?`, positives: ['unknown', id]})),
		{id: 'unknown', text: 'what is not there?', positives: ['unknown']},
		{id: 'nothing', text: 'what has no answer?'},
		{id: 'absent', text: 'who?', answers: ['xyzzy plugh']},
	];
	const reports: Progress[] = [];
	const result = await trainQuestionEncoder(questions, corpus, 'tiny-encoder', join(folder, 'given'), {
		...options,
		epochs: 1,
		batchSize: 4,
		onPreparation(progress) {
			reports.push(progress);
		},
	});
	// The question with neither answers nor positives is not looked at.
	t.deepEqual(reports, [{done: 10, total: 10}]);
	t.is(result.questions, 8);
	t.is(result.skipped, 3);
	t.is(result.steps, 2);
	await t.throwsAsync(trainQuestionEncoder(questions.slice(8), corpus, 'tiny-encoder', join(folder, 'none'), options), {
		code: 'ERR_ARGUMENT',
		message:
			'questions: expected at least 1 question with a positive (an id in positives that the index has, or an answer in its 50 best passages), got 0 of 3',
	});
	await t.throwsAsync(
		trainQuestionEncoder(train, corpus, 'tiny-encoder', join(folder, 'none'), {...options, dev: [{id: 'a', text: 'b'}]}),
		{code: 'ERR_ARGUMENT', message: 'dev: expected at least 1 question with answers or positives, got none'},
	);
});

test('every search of an HNSW index has the given efSearch', async t => {
	const {folder, train, index: flat} = t.context;
	const ids: string[] = [];
	for await (const id of flat.ids()) {
		ids.push(id);
	}
	await using index = new HnswIndex({dim: flat.dim, metadata: flat.metadata});
	await index.add(ids, await flat.vectors(ids));
	const searched: unknown[] = [];
	const searchRun = index.searchRun.bind(index);
	index.searchRun = async (queryIds, queries, search, ...rest) => {
		searched.push(search.efSearch);
		return searchRun(queryIds, queries, search, ...rest);
	};
	const settings = {...options, epochs: 1, batchSize: 8, efSearch: 60};
	const output = join(folder, 'graph');
	const corpus = {...corpusOf(t.context), index};
	const {steps} = await trainQuestionEncoder(train.slice(0, 16), corpus, 'tiny-encoder', output, settings);
	t.true(steps > 0);
	// One search finds the positives, and there is one per step.
	t.deepEqual(
		searched,
		Array.from({length: steps + 1}, () => 60),
	);
	await t.throwsAsync(trainQuestionEncoder(train.slice(0, 16), corpus, 'tiny-encoder', output, {...settings, efSearch: 61}), {
		code: 'ERR_ARGUMENT',
		message: /expected the same model, examples and options/u,
	});
});

test('models and options that do not fit are refused', async t => {
	const {folder, train} = t.context;
	const corpus = corpusOf(t.context);
	await using wide = new FlatIndex({dim: 7});
	await wide.add(['a'], {data: new Float32Array(7), rows: 1, dim: 7});
	const run = async (more: object, index: FlatIndex = corpus.index) =>
		trainQuestionEncoder(train, {...corpus, index}, 'tiny-encoder', join(folder, 'refused'), {...options, ...more});
	await t.throwsAsync(run({}, wide), {
		code: 'ERR_DIMENSION',
		message: /^init: expected vectors of dimension 7, as the index has, got a model of dimension \d+$/u,
	});
	await t.throwsAsync(run({passagesPerQuestion: 4}), {message: 'passagesPerQuestion: expected the option reader, got none'});
	await t.throwsAsync(run({reader: 'tiny-encoder', answerKind: 'pattern'}), {message: /^answerKind: expected text/u});
	await t.throwsAsync(run({depth: 0}), {code: 'ERR_ARGUMENT'});
	await t.throwsAsync(run({efSearch: 0}), {code: 'ERR_ARGUMENT', message: /^efSearch: expected/u});
	await t.throwsAsync(run({onPreparation: true}), {code: 'ERR_ARGUMENT', message: /^onPreparation: expected/u});
	await t.throwsAsync(trainQuestionEncoder(train, {index: corpus.index} as never, 'tiny-encoder', join(folder, 'refused')), {
		code: 'ERR_ARGUMENT',
		message: /^corpus: passages: expected/u,
	});
});

test('all passages of a batch are candidates once, and each question has its own positives', async t => {
	const none = [false, false, false];
	const retrieved = [
		{ids: ['a', 'b', 'c'], isPositive: [false, true, false], hasAnswer: [true, true, false]},
		{ids: ['b', 'd', 'x'], isPositive: none, hasAnswer: none},
	];
	// The second question has another given positive, c, that only the first one retrieved.
	const {ids, positiveEnds, positives} = await candidatesOf([{positive: 'b'}, {positive: 'e', positives: ['e', 'c', 'y']}], retrieved);
	t.deepEqual(ids, ['b', 'a', 'c', 'e', 'd', 'x']);
	t.deepEqual([...positiveEnds], [1, 3]);
	t.deepEqual([...positives], [0, 3, 2]);
	t.deepEqual(firstPositives(retrieved[0]!, 5), ['b']);
	// A passage that contains an answer is no negative, even if it is not positive.
	t.deepEqual(firstNegatives(retrieved[0]!, 5), ['c']);
	t.deepEqual(firstNegatives(retrieved[1]!, 2), ['b', 'd']);
});

test('the command trains a question encoder for a collection', async t => {
	const {folder} = t.context;
	const output = join(folder, 'command');
	const file = join(folder, 'questions.jsonl');
	const lines = t.context.train.map(({id, text, answers}) => JSON.stringify({id, question: text, answers}));
	await writeFile(file, `${lines.join('\n')}\n`);
	const run = async (collection: string, ...more: string[]) =>
		passagekit([
			'train',
			'question-encoder',
			'--collection',
			collection,
			'--questions',
			file,
			'--init',
			'tiny-encoder',
			'-o',
			output,
			...more,
		]);
	const {stdout, stderr, status} = await run(join(folder, 'collection'), '--epochs', '1', '--depth', '20', '--json');
	t.is(status, 0, stderr);
	const result = JSON.parse(stdout) as {folder: string; steps: number};
	t.is(result.folder, output);
	t.true(result.steps > 0);
	const searched = await passagekit([
		'search',
		'-c',
		join(folder, 'collection'),
		'a bridge',
		'--retriever',
		'dense',
		'--question-encoder',
		output,
	]);
	t.is(searched.status, 0, searched.stderr);
	const refused = await run(folder);
	t.not(refused.status, 0);
	t.regex(refused.stderr, /^passagekit: .*expected a collection|no collection|passagekit\.json/u);
	// Questions with gold passages but without answers.
	const gold = join(folder, 'gold.jsonl');
	const passages = await t.context.collection.passages.slice(0, 6);
	await writeFile(
		gold,
		passages.map(({id, title}, i) => JSON.stringify({id: `g${i}`, question: `what is ${title}?`, gold: id})).join('\n'),
	);
	const withGold = await passagekit([
		'train',
		'question-encoder',
		'-c',
		join(folder, 'collection'),
		'-q',
		gold,
		'--gold-field',
		'gold',
		'--init',
		'tiny-encoder',
		'--epochs',
		'1',
		'-o',
		join(folder, 'gold'),
		'--json',
	]);
	t.is(withGold.status, 0, withGold.stderr);
	t.like(JSON.parse(withGold.stdout), {questions: 6, skipped: 0});
});
