// Runs small training studies (Karpukhin et al., 2020), and repeats parts of them with other functions.
import {cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {
	OnnxEncoder,
	type Passage,
	type Question,
	RetrievalError,
	encyclopedia,
	evaluate,
	mineNegatives,
	readPassages,
	readQrels,
	readQuestions,
	readTrainingExamples,
	readTrecRun,
	topKAccuracy,
	trainEncoder,
} from '../../../ts/index.ts';
import {type TrainingStudyOptions, studyTraining} from '../../../ts/studies/index.ts';
import {trainingPlan} from '../../../ts/studies/training/protocol/plan.ts';
import {trainingStudy} from '../../support/training-study.ts';

/** The options of a small study. Short inputs make training fast. */
const options: TrainingStudyOptions = {
	name: 'Encyclopedia',
	encoder: 'tiny-encoder',
	epochs: 2,
	batchSize: 8,
	maxTokens: 24,
	learningRate: 1e-3,
	maxTrainingQuestions: 36,
	maxQuestions: 20,
	examples: [1000, 16],
	goldField: 'passage',
	threads: 2,
	seed: 7,
};

async function temporaryFolder(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-training-study-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	return folder;
}

/** Creates a folder with a data set: articles, training questions and test questions. */
async function dataset(t: ExecutionContext): Promise<{data: string; folder: string}> {
	const folder = await temporaryFolder(t);
	const data = join(folder, 'data');
	await mkdir(data);
	await cp(encyclopedia().articles, join(data, 'articles'), {recursive: true});
	for (const split of ['train', 'test']) {
		await cp(join(encyclopedia().articles, '..', `questions.${split}.jsonl`), join(data, `questions.${split}.jsonl`));
	}
	return {data, folder};
}

/** Creates a folder with another data set: 24 passages, 12 training and 8 test questions about colors. */
async function otherDataset(folder: string, name = 'colors', answersFor = (color: string) => [color]): Promise<string> {
	const data = join(folder, name);
	await mkdir(data);
	const colors = ['red', 'green', 'blue', 'white', 'black', 'brown', 'gold', 'pink'];
	const passages = Array.from({length: 24}, (_, i) => `p${i}\tThe house with number ${i} is ${colors[i % 8]}.\tHouse ${i}`);
	await writeFile(join(data, 'passages.tsv'), `id\ttext\ttitle\n${passages.join('\n')}\n`);
	for (const [split, from, to] of [
		['train', 0, 12],
		['test', 12, 20],
	] as const) {
		const questions = Array.from({length: to - from}, (_, i) =>
			JSON.stringify({
				id: `${split}${i}`,
				question: `which color has house ${from + i}?`,
				answers: answersFor(colors[(from + i) % 8]!),
				passage: `p${from + i}`,
			}),
		);
		await writeFile(join(data, `questions.${split}.jsonl`), `${questions.join('\n')}\n`);
	}
	return data;
}

/** Reads the output files that must be identical each time the study is repeated. */
async function contentsOf(output: string): Promise<Record<string, string>> {
	const runs = (await readdir(join(output, 'runs'))).map(name => `runs/${name}`);
	const names = ['results.json', 'report.md', 'report.html', 'configuration.json', 'examples/examples.json', ...runs];
	return Object.fromEntries(await Promise.all(names.map(async name => [name, await readFile(join(output, name), 'utf8')])));
}

/** Returns `count` questions of a file, taken at equal intervals as in a study. */
async function sampledQuestions(path: string, count: number): Promise<Question[]> {
	const all: Question[] = [];
	for await (const question of readQuestions(path, {goldField: 'passage'})) {
		all.push(question);
	}
	return Array.from({length: count}, (_, i) => all[Math.floor((i * all.length) / count)]!);
}

async function collected<T>(values: AsyncIterable<T>): Promise<T[]> {
	const all: T[] = [];
	for await (const value of values) {
		all.push(value);
	}
	return all;
}

test('a study has the conditions of all tables, and its results can be repeated with other functions', async t => {
	t.timeout(180_000);
	const {data, folder} = await dataset(t);
	const output = join(folder, 'study');
	const study = await studyTraining(data, output, options);
	const {tables} = study;
	t.deepEqual(tables.schemes, ['random-7', 'bm25-7', 'gold-7', 'in-batch-8', 'in-batch-32', 'in-batch-32-bm25-1', 'in-batch-32-bm25-2']);
	// There are 36 examples.
	t.deepEqual(tables.schemesLeftOut, [
		{condition: 'in-batch-128', because: 'examples'},
		{condition: 'in-batch-128-bm25-1', because: 'examples'},
	]);
	const baseline = 'in-batch-8-bm25-1';
	t.deepEqual(tables.curve, [
		{examples: 16, condition: 'examples-16'},
		{examples: 36, condition: baseline},
	]);
	t.is(tables.supervision.at(-1), 'distant-positives');
	t.deepEqual(tables.similarities, [baseline, 'dot-triplet', 'l2-nll', 'l2-triplet', 'cosine-nll']);
	t.like(study.examples, {count: 36, positives: {ids: 36, contexts: 0, answers: 0}, dropped: 0});

	// The examples are those of `mineNegatives`, with seven negatives of each kind.
	const training = await sampledQuestions(join(data, 'questions.train.jsonl'), 36);
	const mined = await mineNegatives(training, join(data, 'articles'), {hardNegatives: 7, randomNegatives: 7, goldNegatives: 7, seed: 7});
	t.deepEqual(await collected(readTrainingExamples(join(output, 'examples', 'examples.jsonl.gz'))), [...mined.examples]);

	// Training with the documented options gives the bits of the encoder that the study keeps.
	t.deepEqual(await readdir(join(output, 'encoders')), [baseline]);
	const shared = {epochs: 2, maxTokens: 24, learningRate: 1e-3, threads: 2, seed: 7} as const;
	const repeated = join(folder, 'repeated');
	const {steps, epochs} = await trainEncoder(mined.examples, 'tiny-encoder', repeated, {...shared, batchSize: 8, similarity: 'dot'});
	const weights = async (path: string): Promise<Buffer> => readFile(join(path, 'model.safetensors'));
	t.true((await weights(repeated)).equals(await weights(join(output, 'encoders', baseline))));
	const outcomeOf = (condition: string) => study.rows.find(row => row.condition === condition)!.training!;
	t.like(outcomeOf(baseline), {steps, examples: 36, losses: {first: epochs[1]!.loss, last: epochs[2]!.loss}});
	t.deepEqual([outcomeOf('examples-16').steps, outcomeOf('in-batch-32').steps, outcomeOf('gold-7').steps], [4, 2, 8]);

	const passages = await collected(readPassages(join(data, 'articles')));
	const questions = await sampledQuestions(join(data, 'questions.test.jsonl'), 20);
	const runOf = async (condition: string) => readTrecRun(join(output, 'runs', `${condition}.trec`));
	await assertSearched(t, await OnnxEncoder.load(repeated), passages, questions, await runOf(baseline), dot);
	// The same for schemes with other negatives, and for another similarity.
	const gold = mined.examples.map(example => ({...example, negatives: example.negatives.slice(7)}));
	for (const [condition, examples, change, similarity] of [
		['gold-7', gold, {batchSize: 8, similarity: 'dot', inBatch: false, hardNegatives: 0, negatives: 7}, dot],
		['l2-triplet', mined.examples, {batchSize: 8, similarity: 'l2', loss: 'triplet'}, negatedSquaredDistance],
	] as const) {
		const path = join(folder, condition);
		await trainEncoder(examples, 'tiny-encoder', path, {...shared, ...change});
		await assertSearched(t, await OnnxEncoder.load(path), passages, questions, await runOf(condition), similarity);
	}

	// A passage is relevant if it contains an answer.
	t.is(study.questions.measuredBy, 'answers');
	t.deepEqual(study.measures, ['top-1', 'top-5', 'top-20', 'top-100', 'MRR']);
	const texts = new Map(passages.map(passage => [passage.id, passage]));
	for (const {condition, values} of study.rows) {
		const {accuracy} = await topKAccuracy(await runOf(condition), questions, texts, [1, 5, 20, 100]);
		t.deepEqual(values.slice(0, 4), [...accuracy.values()], condition);
	}
	t.is(new Set(study.rows.map(({condition}) => condition)).size, study.rows.length, 'each condition is trained once');
});

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
const negatedSquaredDistance = (a: Float32Array, b: Float32Array): number => -a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2, 0);

/** Asserts that a run has the most similar passages of each question. */
async function assertSearched(
	t: ExecutionContext,
	encoder: OnnxEncoder,
	passages: readonly Passage[],
	questions: readonly Question[],
	run: Awaited<ReturnType<typeof readTrecRun>>,
	similarity: (a: Float32Array, b: Float32Array) => number,
): Promise<void> {
	await using opened = encoder;
	const rowsOf = async (inputs: ReadonlyArray<string | Passage>): Promise<Float32Array[]> => {
		const {data, dim} = await opened.encode(inputs);
		return inputs.map((_, i) => data.slice(i * dim, (i + 1) * dim));
	};
	const [vectors, queries] = [await rowsOf(passages), await rowsOf(questions.map(({text}) => text))];
	t.is(run.size, questions.length);
	for (const [i, {id}] of questions.entries()) {
		const scores = vectors.map(vector => similarity(queries[i]!, vector)).sort((a, b) => b - a);
		const found = run.get(id)!.map(({score}) => score);
		t.is(found.length, 100);
		t.true(
			found.every((score, rank) => Math.abs(score - scores[rank]!) <= 1e-4 * Math.max(1, Math.abs(score))),
			id,
		);
	}
}

test('a study gives the same results when it is run again or resumed, and measures the encoder on other data sets', async t => {
	t.timeout(180_000);
	const {data, folder} = await dataset(t);
	const other = await otherDataset(folder);
	const some: TrainingStudyOptions = {...options, schemes: false, similarities: false, transfer: [other]};
	const uninterrupted = join(folder, 'uninterrupted');
	const stages = new Set<string>();
	const study = await studyTraining(data, uninterrupted, {...some, onProgress: ({stage}) => stages.add(stage)});
	t.true(
		['mine negatives', 'train in-batch-8-bm25-1', 'encode examples-16', 'search untrained', 'colors: search main'].every(stage =>
			stages.has(stage),
		),
		[...stages].join(', '),
	);
	const contents = await contentsOf(uninterrupted);
	t.deepEqual(JSON.parse(contents['results.json']!), JSON.parse(JSON.stringify(study)));

	// Repeating the study trains nothing and changes nothing.
	stages.clear();
	t.deepEqual(await studyTraining(data, uninterrupted, {...some, onProgress: ({stage}) => stages.add(stage)}), study);
	t.false(
		[...stages].some(stage => /train|encode|mine/u.test(stage)),
		[...stages].join(', '),
	);
	t.deepEqual(await contentsOf(uninterrupted), contents);

	// In another folder, the study is stopped while it trains, while it encodes, and while it trains on the other data set.
	const stopped = join(folder, 'stopped');
	for (const stoppingStage of ['train in-batch-8-bm25-1', 'encode examples-16', 'colors: train own', 'train multi']) {
		const controller = new AbortController();
		const reason = new Error(`stopped in stage ${stoppingStage}`);
		await t.throwsAsync(
			studyTraining(data, stopped, {
				...some,
				signal: controller.signal,
				onProgress({stage, done, total}) {
					if (stage === stoppingStage && done > 0 && done < total) {
						controller.abort(reason);
					}
				},
			}),
			{is: reason},
		);
		await t.throwsAsync(readFile(join(stopped, 'results.json')), {code: 'ENOENT'});
	}
	t.deepEqual(await studyTraining(data, stopped, some), study);
	t.deepEqual(await contentsOf(stopped), contents);

	t.deepEqual(study.tables.schemes, []);
	const [colors] = study.transfer;
	t.like(colors!, {dataset: 'colors', examples: 12, test: 8, measuredBy: 'answers'});
	// The property with gold positives is read in all data sets.
	const summary = join(uninterrupted, 'transfer', 'colors', 'examples', 'examples.json');
	t.like(JSON.parse(await readFile(summary, 'utf8')), {positives: {ids: 12, contexts: 0, answers: 0}});
	t.deepEqual(
		colors!.rows.map(({condition, training}) => [condition, training?.examples]),
		[
			['bm25', undefined],
			['untrained', undefined],
			['main', 36],
			['own', 12],
			['multi', 48],
		],
	);
	t.is(study.rows.at(-1)!.condition, 'multi');
	t.deepEqual(
		study.tests.transfer.map(({a, b, measure}) => `${a} − ${b}, ${measure}`),
		['main − bm25', 'main − own', 'multi − own'].flatMap(pair => ['top-5', 'top-20'].map(measure => `${pair}, ${measure} on colors`)),
	);
	t.deepEqual(await readdir(join(uninterrupted, 'encoders')), ['in-batch-8-bm25-1']);

	// A folder with the run of another configuration is refused.
	const error = await t.throwsAsync(studyTraining(data, uninterrupted, {...some, epochs: 3}), {code: 'ERR_ARGUMENT'});
	t.regex(error.message, /expected a run of this configuration, got one with a different settings\.epochs: 2 there, 3 here/u);
});

test('with a reader, joint training is compared with training one after the other, also when the study is resumed', async t => {
	t.timeout(180_000);
	const {data, folder} = await dataset(t);
	const output = join(folder, 'study');
	const few = {
		...options,
		schemes: false,
		curve: false,
		supervision: false,
		similarities: false,
		reader: 'tiny-encoder',
		passagesPerQuestion: 3,
	};
	const stages: string[] = [];
	const controller = new AbortController();
	await t.throwsAsync(
		studyTraining(data, output, {
			...few,
			signal: controller.signal,
			onProgress({stage, done}) {
				if (stage === 'train reader-joint' && done >= 1) {
					controller.abort(new Error('stopped'));
				}
			},
		}),
		{message: 'stopped'},
	);
	const study = await studyTraining(data, output, {...few, onProgress: ({stage}) => stages.push(stage)});
	t.false(stages.includes('train reader-separate'), 'what is stored is not repeated');
	t.true(stages.includes('train reader-joint'));
	const {rows} = study.joint!;
	t.deepEqual(
		rows.map(({condition}) => condition),
		['reader-separate', 'reader-joint'],
	);
	t.true(rows.every(({examples}) => examples > 16 && examples <= 36));
	const [separate, joint] = [rows[0]!, rows[1]!];
	// The encoder of the reference condition does not change, and its reader starts from the same weights.
	t.deepEqual(separate.values, study.rows.find(({condition}) => condition === 'in-batch-8-bm25-1')!.values);
	t.is(separate.training.steps, joint.training.steps);
	for (const {exactMatch, training} of rows) {
		t.true(exactMatch >= 0 && exactMatch <= 1);
		t.true(training.losses.first > 0 && training.losses.last > 0);
	}
	// Joint losses are the sums of those of the encoder and the reader.
	t.true(joint.training.losses.first > separate.training.losses.first);
	t.deepEqual(
		study.tests.joint.map(({a, b, measure}) => [a, b, measure]),
		[
			['reader-joint', 'reader-separate', 'exact match'],
			['reader-joint', 'reader-separate', 'top-20'],
		],
	);
	t.deepEqual(await readdir(join(output, 'encoders')), ['in-batch-8-bm25-1']);
	t.deepEqual(await readdir(join(output, 'vectors')).catch(() => []), []);
	t.regex(study.command!, /--reader tiny-encoder --passages-per-question 3/u);
	t.true((await readFile(join(output, 'report.md'), 'utf8')).includes('| Joint |'));
	const whole = await studyTraining(data, join(folder, 'whole'), few);
	t.deepEqual(whole, study);
});

test('the encoder of the reference condition is kept and trained once if its training scheme is also one of Table 3', async t => {
	const {data, folder} = await dataset(t);
	const other = await otherDataset(folder);
	const output = join(folder, 'study');
	let firstSteps = 0;
	const study = await studyTraining(data, output, {
		...options,
		epochs: 1,
		batchSize: 32,
		transfer: [other],
		curve: false,
		supervision: false,
		similarities: false,
		onProgress({stage, done}) {
			firstSteps += stage === 'train in-batch-32-bm25-1' && done === 1 ? 1 : 0;
		},
	});
	t.true(study.tables.schemes.includes('in-batch-32-bm25-1'));
	t.deepEqual(await readdir(join(output, 'encoders')), ['in-batch-32-bm25-1']);
	t.is(firstSteps, 1);
	t.deepEqual(
		study.transfer[0]!.rows.map(({condition}) => condition),
		['bm25', 'untrained', 'main'],
	);
});

test('the row “before training” is the model that training starts from, even if its folder has only model.safetensors', async t => {
	const {data, folder} = await dataset(t);
	const start = join(folder, 'start');
	const questions = await sampledQuestions(join(data, 'questions.train.jsonl'), 16);
	const {examples} = await mineNegatives(questions, join(data, 'articles'), {seed: 1});
	await trainEncoder(examples, 'tiny-encoder', start, {epochs: 1, batchSize: 8, learningRate: 1e-2, maxTokens: 24, similarity: 'dot'});
	const weights = join(folder, 'weights');
	await mkdir(weights);
	for (const name of ['model.safetensors', 'config.json', 'tokenizer.json']) {
		await cp(join(start, name), join(weights, name));
	}
	const output = join(folder, 'study');
	const few = {epochs: 1, schemes: false, curve: false, supervision: false, similarities: false};
	const study = await studyTraining(data, output, {...options, ...few, encoder: weights});
	t.is(study.encoder.name, 'weights');
	const passages = await collected(readPassages(join(data, 'articles')));
	const tests = await sampledQuestions(join(data, 'questions.test.jsonl'), 20);
	const run = await readTrecRun(join(output, 'runs', 'untrained.trec'));
	await assertSearched(t, await OnnxEncoder.load(start), passages, tests, run, dot);
	t.deepEqual(await readdir(join(output, 'encoders')), ['in-batch-8-bm25-1']);
});

test('another data set that cannot be used is refused before anything is trained', async t => {
	const {data, folder} = await dataset(t);
	const other = await otherDataset(folder);
	await writeFile(join(other, 'questions.test.jsonl'), `${JSON.stringify({id: 'a', question: 'who?', answers: ['nobody']})}\n`);
	const stages = new Set<string>();
	await t.throwsAsync(
		studyTraining(data, join(folder, 'study'), {...options, transfer: [other], onProgress: ({stage}) => stages.add(stage)}),
		{code: 'ERR_FORMAT', message: /expected training questions and at least 2 test questions/u},
	);
	t.false([...stages].some(stage => stage.startsWith('train ')));
});

test('judgments of training and test questions in separate files split a single list of questions', async t => {
	const folder = await temporaryFolder(t);
	const colors = await otherDataset(folder);
	const data = join(folder, 'beir');
	await mkdir(join(data, 'qrels'), {recursive: true});
	await cp(join(colors, 'passages.tsv'), join(data, 'passages.tsv'));
	const lines: string[] = [];
	for (const split of ['train', 'test']) {
		const text = await readFile(join(colors, `questions.${split}.jsonl`), 'utf8');
		const questions = text.trim().split('\n');
		lines.push(...questions);
		const judged = questions.map(line => JSON.parse(line) as {id: string; passage: string}).map(({id, passage}) => `${id}\t${passage}\t1`);
		await writeFile(join(data, 'qrels', `${split}.tsv`), `query-id\tcorpus-id\tscore\n${judged.join('\n')}\n`);
	}
	await writeFile(join(data, 'queries.jsonl'), `${lines.join('\n')}\n`);
	const few = {epochs: 1, schemes: false, curve: false, supervision: false, similarities: false, goldField: undefined};
	const study = await studyTraining(data, join(folder, 'study'), {...options, ...few});
	t.like(study.questions, {training: 12, test: 8, split: 'files', relevance: 'qrels', measuredBy: 'qrels'});
	t.like(study.questions.qrels!, {count: 8, name: 'test.tsv'});
	t.like(study.questions.trainingQrels!, {count: 12, name: 'train.tsv'});
	t.deepEqual(study.examples.positives, {ids: 12, contexts: 0, answers: 0});
});

test('answers that are regular expressions are found in passages as texts are, in the data set itself and in others', async t => {
	t.timeout(180_000);
	const folder = await temporaryFolder(t);
	const texts = await otherDataset(folder, 'texts');
	// The second pattern is invalid, as some in CuratedTREC are. It matches nothing.
	const patterns = await otherDataset(folder, 'patterns', color => [
		`${color[0]}[${color[1]}]${color.slice(2)}\\b|rouge`,
		String.raw`Sn\ě`,
	]);
	const some: TrainingStudyOptions = {...options, schemes: false, similarities: false, curve: false, name: 'Colors'};
	const ofTexts = await studyTraining(texts, join(folder, 'a'), {...some, transfer: [patterns], transferPatterns: ['patterns']});
	const withPatterns: TrainingStudyOptions = {...some, transfer: [texts], answerKind: 'pattern'};
	const ofPatterns = await studyTraining(patterns, join(folder, 'b'), withPatterns);
	t.is(ofTexts.questions.measuredBy, 'answers');
	t.true(ofTexts.rows[0]!.values[0]! > 0);
	// Table 5 has distant supervision, which looks for answers too.
	t.is(ofTexts.tables.supervision.length, 2);
	t.deepEqual(ofPatterns.examples, ofTexts.examples);
	t.deepEqual(ofPatterns.rows, ofTexts.rows);
	t.deepEqual(ofPatterns.transfer[0]!.rows, ofTexts.transfer[0]!.rows);
	t.deepEqual(await studyTraining(patterns, join(folder, 'b'), withPatterns), ofPatterns);
	for (const [name, dataset] of [
		['a', 'patterns'],
		['b', 'Colors'],
	] as const) {
		t.regex(await readFile(join(folder, name, 'report.md'), 'utf8'), new RegExp(`Answers that are regular expressions.*${dataset}`, 'u'));
	}
	// Without the option, they are texts, which no passage contains.
	await t.throwsAsync(studyTraining(patterns, join(folder, 'c'), {...some, goldField: undefined}), {instanceOf: RetrievalError});
});

test('without any BM25 negative there is no reference condition', t => {
	const {settings} = trainingStudy();
	const missing = {hardNegatives: 700, randomNegatives: 0, goldNegatives: 0};
	const mined = {count: 100, positives: {ids: 100, contexts: 0, answers: 0}, dropped: 0, missing};
	t.throws(() => trainingPlan(mined, settings), {code: 'ERR_ARGUMENT', message: /^corpus: expected BM25 hits without an answer/u});
	const {tables} = trainingPlan({...mined, missing: {...missing, hardNegatives: 699, goldNegatives: 700}}, settings);
	t.true(tables.schemes.includes('bm25-7'));
	t.deepEqual(
		tables.schemesLeftOut.filter(({because}) => because === 'passages'),
		[{condition: 'gold-7', because: 'passages'}],
	);
});

test('a single file of questions is split by documents, and relevance judgments give positives and measures', async t => {
	const {data, folder} = await dataset(t);
	const queries = join(data, 'questions.train.jsonl');
	await cp(encyclopedia().qrels, join(data, 'qrels.txt'));
	const study = await studyTraining(data, join(folder, 'study'), {
		...options,
		goldField: undefined,
		queries,
		epochs: 1,
		schemes: false,
		curve: false,
		supervision: false,
		similarities: false,
	});
	t.like(study.questions, {training: 36, test: 20, split: 'documents', relevance: 'qrels', measuredBy: 'qrels'});
	t.deepEqual(study.examples.positives, {ids: 36, contexts: 0, answers: 0});
	t.deepEqual(
		study.rows.map(({condition}) => condition),
		['bm25', 'untrained', 'in-batch-8-bm25-1'],
	);
	const bm25 = await readTrecRun(join(folder, 'study', 'runs', 'bm25.trec'));
	const all = await readQrels(join(data, 'qrels.txt'));
	const {mean} = await evaluate(bm25, new Map([...bm25.keys()].map(id => [id, all.get(id)!])), ['Success@1', 'RR']);
	t.deepEqual([study.rows[0]!.values[0], study.rows[0]!.values[4]], [mean['Success@1'], mean.RR]);
	// No document is in both parts: the id of a question starts with the name of its document.
	const documents = (ids: Iterable<string>): Set<string> => new Set([...ids].map(id => id.replace(/-\d+$/u, '')));
	const examplesOf = await collected(readTrainingExamples(join(folder, 'study', 'examples', 'examples.jsonl.gz')));
	const trained = documents(examplesOf.map(({positives: [first]}) => first!.id!.replace(/\.md#\d+$/u, '-0')));
	t.false([...documents(bm25.keys())].some(document => trained.has(document)));
});

test('invalid data sets and settings are refused, with errors that say what was expected', async t => {
	const {data, folder} = await dataset(t);
	const out = join(folder, 'out');
	await t.throwsAsync(studyTraining(join(folder, 'none'), out), {code: 'ERR_IO'});
	for (const [change, message] of [
		[{epochs: 0}, /^epochs: expected a whole number/u],
		[{batchSize: 1}, /^batchSize: expected/u],
		[{learningRate: 0}, 'learningRate: expected a number above 0, got 0'],
		[{maxTokens: 7}, /^maxTokens: expected/u],
		[{threads: 0}, /^threads: expected/u],
		[{maxTrainingQuestions: 1}, /^maxTrainingQuestions: expected/u],
		[{maxQuestions: 1}, /^maxQuestions: expected/u],
		[{examples: [16, 1]}, /^examples\[1\]: expected/u],
		[{examples: [16, 16]}, 'examples: expected each number once, got 16, 16'],
		[{examples: 16 as never}, /^examples: expected/u],
		[{curve: 'no' as never}, 'curve: expected a boolean, got "no"'],
		[{transfer: data as never}, /^transfer: expected/u],
		[{transfer: [7 as never]}, /^transfer\[0\]: expected a string/u],
		[{answerKind: 'regex' as never}, /^answerKind: expected/u],
		[{answerKind: 'pattern', reader: 'tiny-reader'}, 'answerKind: expected text, because a reader is trained on answer spans, got pattern'],
		[{transferPatterns: ['colors']}, 'transferPatterns: expected names of data sets in transfer (none), got colors'],
		[{transferPatterns: [7 as never]}, /^transferPatterns\[0\]: expected a string/u],
		[{significance: 1}, /^significance: expected a number between 0 and 1/u],
		[{development: 'dev.jsonl'} as never, /got "development"/u],
		[{transfer: [data]}, /^transfer: expected data sets with distinct names, got data twice/u],
		[{train: join(data, 'none.jsonl')}, /none\.jsonl/u],
		[{maxTrainingQuestions: 7}, 'batchSize: expected at most the number of training examples, got 8 with 7 examples'],
	] as ReadonlyArray<readonly [TrainingStudyOptions, string | RegExp]>) {
		// The name of the data set is that of its folder.
		const error = await t.throwsAsync(studyTraining(data, out, {...options, name: undefined, ...change}));
		if (typeof message === 'string') {
			t.is(error.message, message);
		} else {
			t.regex(error.message, message);
		}
	}
	await rm(join(data, 'questions.train.jsonl'));
	await t.throwsAsync(studyTraining(data, out, {train: undefined, test: join(data, 'questions.test.jsonl')}), {
		code: 'ERR_ARGUMENT',
		message: /expected one file with training questions, with "train" in the name/u,
	});
});
