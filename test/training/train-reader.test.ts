// Trains the tiny models as readers on made-up animals and colors.
import {mkdtemp, readFile, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {ExtractiveReader, type TrainReaderOptions, type TrainingExample, trainReader, writeTrainingExamples} from '../../ts/index.ts';
import {uniform} from '../../ts/core/random.ts';
import {drawnPassages} from '../../ts/training/reader/batches.ts';
import {readerExample} from '../../ts/training/reader/examples.ts';
import {passagekit} from '../support/command.ts';

async function folder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-reader-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

const animals = ['horse', 'dog', 'bird', 'fish', 'cat', 'cow', 'sheep', 'wolf'];
const colors = ['red', 'green', 'white', 'black', 'blue', 'brown', 'gold', 'silver'];
const places = ['river', 'hill', 'forest'];

/** In each place, each animal has a house of another color. The negatives are about the place, and about another animal in it. */
function examples(placeNumbers: readonly number[]): TrainingExample[] {
	return placeNumbers.flatMap(place =>
		animals.map((animal, i) => {
			const color = colors[(i + place) % 8]!;
			const other = animals[(i + 3) % 8]!;
			return {
				question: `what color is the house of the ${animal}?`,
				answers: [color.toUpperCase(), 'no color'],
				positives: [{id: `p${place}-${i}`, title: places[place]!, text: `near the ${places[place]} the ${animal} has a ${color} house`}],
				hardNegatives: [
					{id: `n${place}-${i}`, title: places[place]!, text: `near the ${places[place]} the ${animal} has no house`},
					{id: `o${place}-${i}`, title: other, text: `the ${other} likes the ${places[place]}`},
				],
				negatives: [],
			};
		}),
	);
}

const train = examples([0, 1]);
const dev = examples([2]);
const options: TrainReaderOptions = {batchSize: 8, passagesPerQuestion: 3, learningRate: 1e-3, maxTokens: 64, threads: 2, seed: 1};

test('a reader learns to select a passage and to find the answer, and ExtractiveReader opens what is written', async t => {
	const output = join(await folder(t), 'reader');
	const epochs: number[] = [];
	const result = await trainReader(train, 'tiny-encoder', output, {
		...options,
		dev,
		epochs: 25,
		onProgress({done, total, epoch, loss, accuracy}) {
			t.is(total, 50);
			t.is(epoch, Math.ceil(done / 2));
			t.true(Number.isFinite(loss) && accuracy >= 0 && accuracy <= 1);
		},
		onEpoch({epoch}) {
			epochs.push(epoch);
		},
	});
	t.deepEqual(
		epochs,
		Array.from({length: 26}, (_, i) => i),
	);
	const {bestEpoch, epochs: finished, folder: path, examples: used, skipped, steps} = result;
	t.deepEqual({path, used, skipped, steps}, {path: output, used: 16, skipped: 0, steps: 50});
	const [before, best] = [finished[0]!.validation!, finished[bestEpoch]!.validation!];
	t.deepEqual([before.questions, before.passages], [8, 24]);
	t.true(best.exactMatch >= 0.75 && before.exactMatch <= 0.25, `${best.exactMatch}, before training ${before.exactMatch}`);
	t.true(best.f1 >= best.exactMatch);
	t.true(
		finished.every(({validation}) => validation!.exactMatch <= best.exactMatch),
		'the best epoch is kept',
	);
	t.true(finished.at(-1)!.loss! < finished[1]!.loss! / 2);
	t.deepEqual((await readdir(output)).sort(), ['config.json', 'model.onnx', 'model.safetensors', 'tokenizer.json', 'training.json']);

	// The written reader answers as in training, up to the rounding of weights to bytes.
	await using reader = await ExtractiveReader.load(output);
	t.deepEqual([reader.runtime, reader.form], ['passagekit', 'dpr']);
	let right = 0;
	for (const {question, answers, positives, hardNegatives} of dev) {
		const passages = [...hardNegatives, ...positives].map(({id, ...passage}) => ({...passage, id: id!, score: 0}));
		const [answer] = await reader.read(question, passages);
		right += Number(answer?.text === answers[0]!.toLowerCase() && answer.passageId.startsWith('p'));
	}
	t.true(Math.abs(right / 8 - best.exactMatch) <= 0.25, `${right} of 8, in training ${best.exactMatch}`);
});

test('epochs tell the share of truncated questions', async t => {
	const path = await folder(t);
	for (const [maxQuestionTokens, expected] of [
		[4, 1],
		[40, 0],
	] as const) {
		const settings = {...options, maxQuestionTokens, epochs: 1};
		const {epochs} = await trainReader(train, 'tiny-encoder', join(path, `${maxQuestionTokens}`), settings);
		t.deepEqual(
			epochs.map(({truncated}) => truncated),
			[undefined, expected],
		);
	}
});

test('a reader can be trained further, and keeps what it has learned', async t => {
	const path = await folder(t);
	const first = await trainReader(train, 'tiny-encoder', join(path, 'first'), {...options, dev, epochs: 25, precision: 'float32'});
	const second = await trainReader(train, first.folder, join(path, 'second'), {...options, dev, epochs: 1});
	t.is(second.epochs[0]!.validation!.exactMatch, first.epochs[first.bestEpoch]!.validation!.exactMatch);
	t.true(second.epochs[1]!.loss! < first.epochs[1]!.loss! / 2);
});

test('an interrupted training resumes from its checkpoint with the same bits', async t => {
	const path = await folder(t);
	const [whole, parts] = [join(path, 'whole'), join(path, 'parts')];
	const settings = {...options, passagesPerQuestion: 2, dev, epochs: 2, checkpointSteps: 1};
	const expected = await trainReader(train, 'tiny-encoder', whole, settings);
	for (const stop of [1, 3]) {
		const controller = new AbortController();
		const run = trainReader(train, 'tiny-encoder', parts, {
			...settings,
			signal: controller.signal,
			onProgress: ({done}) => done === stop && controller.abort(new Error(`step ${stop}`)),
		});
		await t.throwsAsync(run, {message: `step ${stop}`});
	}
	const steps: number[] = [];
	const resumed = await trainReader(train, 'tiny-encoder', parts, {...settings, onProgress: ({done}) => steps.push(done)});
	t.true(steps.length <= 2, `${steps.length} steps were left`);
	t.deepEqual(resumed, {...expected, folder: parts});
	const weights = async (output: string): Promise<Buffer> => readFile(join(output, 'model.safetensors'));
	t.true((await weights(parts)).equals(await weights(whole)));
	// A second call returns the result; another one is refused.
	const again = trainReader(train, 'tiny-encoder', parts, {...settings, onProgress: () => t.fail('no step is made')});
	t.deepEqual(await again, resumed);
	for (const change of [{passagesPerQuestion: 3}, {seed: 2}, {maxTokens: 63}]) {
		await t.throwsAsync(trainReader(train, 'tiny-encoder', parts, {...settings, ...change}), {
			code: 'ERR_ARGUMENT',
			message: /expected the same model, examples and options/u,
		});
	}
	const answers = train.map(example => ({...example, answers: [...example.answers, 'x']}));
	await t.throwsAsync(trainReader(answers, 'tiny-encoder', parts, settings), {code: 'ERR_ARGUMENT', message: /expected the same model/u});
});

test('examples without an answer in a positive are skipped and counted', async t => {
	const path = await folder(t);
	const [first] = train;
	const elsewhere = {...first!, answers: ['purple']};
	const without = {...first!, answers: []};
	const noPositive = {...first!, positives: []};
	// Of several positives, only those with an answer are used.
	const second = {...first!, positives: [{text: 'no house at all'}, ...first!.positives]};
	// The answer is far behind the first window.
	const long = {...first!, positives: [{text: `${'word '.repeat(200)}the house is red`}]};
	const result = await trainReader([first!, elsewhere, without, noPositive, second, long], 'tiny-encoder', join(path, 'a'), {
		...options,
		batchSize: 3,
		epochs: 1,
	});
	t.deepEqual([result.examples, result.skipped, result.steps], [3, 3, 1]);
	const alone = {...first!, hardNegatives: [{text: first!.positives[0]!.text}]};
	await t.throwsAsync(trainReader([alone], 'tiny-encoder', join(path, 'd'), options), {
		code: 'ERR_ARGUMENT',
		message: 'examples: expected some with negatives, because a reader learns to tell the positive from them, got none of 1',
	});
	await t.throwsAsync(trainReader([elsewhere, without], 'tiny-encoder', join(path, 'b'), options), {
		code: 'ERR_ARGUMENT',
		message: 'examples: expected some with a positive that contains an answer, got none of 2',
	});
	await t.throwsAsync(trainReader(train, 'tiny-encoder', join(path, 'c'), {...options, dev: [noPositive, without]}), {
		code: 'ERR_ARGUMENT',
		message: 'dev: expected at least 1 example with a positive and an answer, got none of 2',
	});
});

test('a step draws one positive, and hard negatives before others', t => {
	const passages = (name: string, count: number): Array<{text: string}> => Array.from({length: count}, (_, i) => ({text: `${name}${i}`}));
	const example = {
		question: 'q',
		answers: ['a'],
		positives: passages('p', 2),
		hardNegatives: [...passages('h', 3), {text: 'p1'}, {text: 'h0', id: 'again', score: 1}],
		negatives: [...passages('n', 4), {text: 'h1'}],
	};
	t.is(readerExample({...example, answers: []}), undefined);
	t.deepEqual(readerExample(example, 3)!.negatives, [], 'there are enough hard negatives');
	const reduced = readerExample(example)!;
	t.deepEqual([reduced.hardNegatives, reduced.negatives], [passages('h', 3), passages('n', 4)]);
	const random = uniform(1);
	const seen = new Set<string>();
	for (let i = 0; i < 20; i += 1) {
		const {passages: drawn} = drawnPassages(reduced, 6, random);
		const texts = drawn.map(({text}) => text);
		t.regex(texts[0]!, /^p/u);
		t.deepEqual(texts.slice(1, 4).toSorted(), ['h0', 'h1', 'h2']);
		t.is(new Set(texts.slice(4).filter(text => text.startsWith('n'))).size, 2);
		texts.forEach(text => seen.add(text));
	}
	t.true(seen.has('p0') && seen.has('p1'));
	t.is(drawnPassages(reduced, 3, random).passages.length, 3);
	t.is(drawnPassages(reduced, 50, random).passages.length, 8);
});

test('models and options that cannot be used are refused', async t => {
	const output = join(await folder(t), 'reader');
	const refused = async (init: string, change: object, message: RegExp | string, code = 'ERR_ARGUMENT'): Promise<void> => {
		await t.throwsAsync(trainReader(train, init, output, {...options, ...change}), {code, message});
	};
	await refused('tiny-encoder', {maxTokens: 257}, 'maxTokens: expected at most 256, got 257');
	await refused('tiny-encoder', {maxTokens: 20}, /^maxTokens: expected at least \d+, got 20$/u);
	await refused('tiny-encoder', {passagesPerQuestion: 1}, /^passagesPerQuestion: expected .* got 1$/u);
	await refused('tiny-encoder', {patience: 2}, 'patience: expected examples in dev to validate with, got none');
	await refused('tiny-encoder', {learningRate: -1}, 'learningRate: expected a number above 0, got -1');
	await refused('tiny-encoder', {hardNegatives: 1}, /hardNegatives/u);
	await refused('nowhere', {}, /nowhere/u, 'ERR_MODEL_MISSING');
	await refused('tiny-encoder', {learningRate: 1e30, maxGradientNorm: 0}, /^step \d+: expected a finite (loss|norm)/u, 'ERR_TRAINING');
	// The last step of an epoch is followed by a validation.
	const once = {learningRate: 1e30, maxGradientNorm: 0, warmUp: 0, epochs: 1, batchSize: 16, dev, resume: false};
	await refused('tiny-encoder', once, /^step 1: expected a finite logit, got/u, 'ERR_TRAINING');
});

test('passagekit train reader trains from a file, or mines the examples', async t => {
	const path = await folder(t);
	const data = join(path, 'train.json');
	await writeTrainingExamples(data, train);
	await writeTrainingExamples(join(path, 'dev.json'), dev);
	const flags = ['--init', 'tiny-encoder', '--epochs', '1', '--batch-size', '8', '--max-tokens', '64', '--threads', '2'];
	const first = await passagekit(['train', 'reader', '--data', data, '--dev', join(path, 'dev.json'), ...flags, '-o', join(path, 'a')]);
	t.is(first.status, 0, first.stderr);
	t.regex(first.stdout, /^16 examples, 2 steps; the reader of epoch [01] is in /u);
	t.regex(first.stderr, /before training; exact match \d\.\d+, F1 \d\.\d+ \(8 questions, 24 passages\)/u);
	t.regex(first.stderr, /epoch 1: loss \d+\.\d+; exact match/u);

	const lines = train.flatMap(({positives, hardNegatives}) => [...positives, ...hardNegatives]);
	const [corpus, questions] = [join(path, 'psgs.tsv'), join(path, 'questions.jsonl')];
	await writeFile(corpus, ['id\ttext\ttitle', ...lines.map(({id, text, title}) => `${id}\t${text}\t${title}`), ''].join('\n'));
	await writeFile(
		questions,
		train.map(({question, answers}, i) => `${JSON.stringify({id: `q${i}`, question, answers: answers.slice(0, 1)})}\n`).join(''),
	);
	const mining = ['--passages', corpus, '--questions', questions, '--passages-per-question', '3'];
	const mined = await passagekit(['train', 'reader', ...mining, ...flags, '-o', join(path, 'b'), '--json']);
	t.is(mined.status, 0, mined.stderr);
	const result = JSON.parse(mined.stdout) as {examples: number; skipped: number; bestEpoch: number};
	t.deepEqual([result.examples, result.skipped, result.bestEpoch], [16, 0, 1]);
	const wrong = await passagekit(['train', 'reader', ...flags, '-o', join(path, 'c')]);
	t.is(wrong.status, 2);
	t.regex(wrong.stderr, /train reader: expected --data, or --passages and --questions/u);
});
