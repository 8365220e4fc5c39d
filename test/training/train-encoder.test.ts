// Trains the tiny encoder on questions about made-up topics.
import {copyFile, cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {OnnxEncoder, type TrainEncoderOptions, type TrainingExample, trainEncoder, writeTrainingExamples} from '../../ts/index.ts';
import {packageRoot} from '../../ts/core/native/addon.ts';
import type {EncoderValidation} from '../../ts/training/encoder/result.ts';
import {isBetter} from '../../ts/training/encoder/validator.ts';
import {passagekit} from '../support/command.ts';

async function folder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-train-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

// A question names an animal, and its passage a color. The encoder has to learn which color belongs to which animal.
const pairs = [
	['horse', 'red'],
	['dog', 'green'],
	['bird', 'white'],
	['fish', 'black'],
	['cat', 'blue'],
	['cow', 'brown'],
	['sheep', 'gold'],
	['wolf', 'silver'],
] as const;
const verbs = ['lives near', 'sleeps in', 'runs to', 'likes'];

/** Examples with one verb in their questions and another in their passages. */
function examples(verbNumbers: readonly number[]): TrainingExample[] {
	return verbNumbers.flatMap(verb =>
		pairs.map(([animal], i) => ({
			question: `what color is the house that the ${animal} ${verbs[verb]}?`,
			answers: [pairs[i]![1]],
			positives: [{id: `p${i}`, text: `this house is ${pairs[i]![1]}`}],
			hardNegatives: [{id: `n${i}`, title: animal, text: `the ${animal} has no house`}],
			negatives: [],
		})),
	);
}

const train = examples([0, 1, 2]);
const dev = examples([3]);
const options: TrainEncoderOptions = {
	pooling: 'mean',
	similarity: 'cosine',
	maxTokens: 32,
	batchSize: 8,
	learningRate: 1e-3,
	threads: 2,
	seed: 1,
};

test('an encoder learns from examples, and OnnxEncoder opens what is written', async t => {
	const output = join(await folder(t), 'encoder');
	const steps: number[] = [];
	const epochs: number[] = [];
	const result = await trainEncoder(train, 'tiny-encoder', output, {
		...options,
		dev,
		epochs: 8,
		onProgress({done, total, epoch, loss, accuracy, questionsPerSecond, secondsLeft}) {
			steps.push(done);
			t.is(total, 24);
			t.is(epoch, Math.ceil(done / 3));
			t.true(Number.isFinite(loss) && accuracy >= 0 && accuracy <= 1 && questionsPerSecond > 0 && secondsLeft >= 0);
		},
		onEpoch({epoch}) {
			epochs.push(epoch);
		},
	});
	t.deepEqual(
		steps,
		Array.from({length: 24}, (_, i) => i + 1),
	);
	t.deepEqual(epochs, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
	const {bestEpoch, epochs: finished, folder: path, passageFolder, examples: used, skipped} = result;
	t.deepEqual(
		{path, passageFolder, used, skipped, steps: result.steps},
		{path: output, passageFolder: output, used: 24, skipped: 0, steps: 24},
	);
	const before = finished[0]!.validation!;
	const best = finished[bestEpoch]!.validation!;
	t.deepEqual([before.questions, before.passages], [8, 16]);
	t.true(best.averageRank < before.averageRank / 2, `${best.averageRank}, before training ${before.averageRank}`);
	t.true(
		finished.every(({validation}) => validation!.averageRank >= best.averageRank),
		'the best epoch is kept',
	);
	t.true(finished.at(-1)!.loss! < finished[1]!.loss! / 2);
	t.deepEqual((await readdir(output)).sort(), ['config.json', 'model.onnx', 'model.safetensors', 'tokenizer.json', 'training.json']);

	// The written encoder has the settings and ranks as the trainer did, up to the rounding of weights to bytes.
	await using encoder = await OnnxEncoder.load(output);
	t.true(encoder.normalized);
	t.is(encoder.runtime, 'passagekit');
	const questions = await encoder.encode(dev.map(({question}) => question));
	const passages = await encoder.encode(dev.flatMap(({positives, hardNegatives}) => [positives[0]!, hardNegatives[0]!]));
	const row = ({data, dim}: typeof questions, i: number): Float32Array => data.subarray(i * dim, (i + 1) * dim);
	const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
	const ranks = dev.map((_, i) => {
		const scores = Array.from({length: 16}, (_unused, j) => dot(row(questions, i), row(passages, j)));
		return scores.filter((score, j) => j !== 2 * i && score >= scores[2 * i]!).length + 1;
	});
	const averageRank = ranks.reduce((sum, rank) => sum + rank, 0) / ranks.length;
	t.true(Math.abs(averageRank - best.averageRank) < 0.6, `${averageRank}, in training ${best.averageRank}`);
});

/** The weights that a training wrote. */
async function weights(output: string): Promise<Buffer> {
	return readFile(join(output, 'model.safetensors'));
}

test('a training that is interrupted goes on from its checkpoint with the same bits', async t => {
	const path = await folder(t);
	const whole = join(path, 'whole');
	const parts = join(path, 'parts');
	const settings = {...options, dev, epochs: 2, checkpointSteps: 1, weightDecay: 0.1};
	const expected = await trainEncoder(train, 'tiny-encoder', whole, settings);
	for (const stop of [2, 3, 5]) {
		const controller = new AbortController();
		const run = trainEncoder(train, 'tiny-encoder', parts, {
			...settings,
			signal: controller.signal,
			onProgress: ({done}) => done === stop && controller.abort(new Error(`step ${stop}`)),
		});
		await t.throwsAsync(run, {message: `step ${stop}`});
		t.true((await readdir(parts)).includes('checkpoint'));
	}
	const first: number[] = [];
	const resumed = await trainEncoder(train, 'tiny-encoder', parts, {...settings, onProgress: ({done}) => first.push(done)});
	t.true(first.length <= 2, `${first.length} steps were left`);
	t.deepEqual(resumed, {...expected, folder: parts, passageFolder: parts});
	t.true((await weights(parts)).equals(await weights(whole)));
});

test('a training that is aborted saves its last step', async t => {
	const path = await folder(t);
	const whole = join(path, 'whole');
	const parts = join(path, 'parts');
	const settings = {...options, dev, epochs: 2};
	const expected = await trainEncoder(train, 'tiny-encoder', whole, settings);
	const seen: number[] = [];
	for (const stop of [1, 2, 4]) {
		const controller = new AbortController();
		const run = trainEncoder(train, 'tiny-encoder', parts, {
			...settings,
			signal: controller.signal,
			onProgress({done}) {
				seen.push(done);
				if (done === stop) {
					controller.abort(new Error(`step ${stop}`));
				}
			},
		});
		await t.throwsAsync(run, {message: `step ${stop}`});
	}
	const resumed = await trainEncoder(train, 'tiny-encoder', parts, {...settings, onProgress: ({done}) => seen.push(done)});
	t.deepEqual(seen, [1, 2, 3, 4, 5, 6]);
	t.deepEqual(resumed, {...expected, folder: parts, passageFolder: parts});
	t.true((await weights(parts)).equals(await weights(whole)));
});

test('bestBy chooses the epoch by its top-k accuracy, and by the average rank if it is equal', async t => {
	const validation = (averageRank: number, top1: number, top20 = 1): EncoderValidation => ({
		averageRank,
		topK: {1: top1, 5: top1, 20: top20},
		questions: 8,
		passages: 16,
	});
	t.true(isBetter(validation(3, 0.5), validation(2, 0.4), 'top1'));
	t.false(isBetter(validation(3, 0.5), validation(2, 0.4), 'averageRank'));
	t.false(isBetter(validation(3, 0.5), validation(2, 0.4), 'top20'));
	t.true(isBetter(validation(2, 0.5), validation(3, 0.5), 'top5'));
	t.false(isBetter(validation(2, 0.5), validation(2, 0.5), 'top5'));
	const path = await folder(t);
	const settings = {...options, dev, epochs: 4, bestBy: 'top1'} as const;
	const {bestEpoch, epochs} = await trainEncoder(train, 'tiny-encoder', join(path, 'a'), settings);
	const expected = epochs.reduce((best, each) => (isBetter(each.validation!, best.validation!, 'top1') ? each : best));
	t.is(bestEpoch, expected.epoch);
	await t.throwsAsync(trainEncoder(train, 'tiny-encoder', join(path, 'a'), {...settings, bestBy: 'top5'}), {code: 'ERR_ARGUMENT'});
	await t.throwsAsync(trainEncoder(train, 'tiny-encoder', join(path, 'b'), {bestBy: 'top5'}), {
		code: 'ERR_ARGUMENT',
		message: /^bestBy: expected examples in dev to validate with, got none/u,
	});
});

test('of two calls with the same folder, one trains, and the other waits for its result', async t => {
	const output = join(await folder(t), 'encoder');
	const steps = [0, 0];
	const run = async (call: number) =>
		trainEncoder(train, 'tiny-encoder', output, {...options, epochs: 1, onProgress: () => (steps[call]! += 1)});
	const [a, b] = await Promise.all([run(0), run(1)]);
	t.deepEqual(a, b);
	t.true(steps.includes(0) && steps.includes(a.steps), `${steps}`);
	t.false((await readdir(output)).includes('lock'));
});

test('a run whose folder another process has taken over writes nothing more, and another run does not wait for it', async t => {
	const output = join(await folder(t), 'encoder');
	const settings = {...options, epochs: 1, checkpointSteps: 1};
	let other: Promise<unknown> | undefined;
	const run = trainEncoder(train, 'tiny-encoder', output, {
		...settings,
		async onProgress({done}) {
			if (done === 1) {
				other = trainEncoder(train, 'tiny-encoder', output, {...settings, learningRate: 7e-4});
				await t.throwsAsync(other, {message: /^output: expected the same model, examples and options/u});
				// This is what another process does after this one was suspended for a long time.
				await writeFile(join(output, 'lock'), '{"pid":1,"host":"another","id":"another"}\n');
			}
		},
	});
	await t.throwsAsync(run, {code: 'ERR_IO', message: /^lock .*: expected the lock of this process, got that of another one/u});
	t.true((await readFile(join(output, 'lock'), 'utf8')).includes('another'), 'the lock of the other process stays');
});

test('epochs tell the share of truncated texts, also after an interruption, and the command notes it', async t => {
	const path = await folder(t);
	// All questions have more than 8 tokens, and the positives have 6. There are 24 questions, and a batch has 8 with their positives.
	const settings = {...options, maxTokens: 8, hardNegatives: 0, epochs: 1, checkpointSteps: 1};
	const stopped = trainEncoder(train, 'tiny-encoder', join(path, 'short'), {
		...settings,
		onProgress({done}) {
			if (done === 2) {
				throw new Error('stop');
			}
		},
	});
	await t.throwsAsync(stopped, {message: 'stop'});
	const {epochs} = await trainEncoder(train, 'tiny-encoder', join(path, 'short'), settings);
	t.is(epochs[0]!.truncated, undefined);
	const questions = 24;
	// Questions of a batch can share a positive.
	const passages = questions / epochs[1]!.truncated! - questions;
	t.true(passages >= 8 && passages <= 24 && Math.abs(passages - Math.round(passages)) < 1e-9, `${passages}`);
	const whole = await trainEncoder(train, 'tiny-encoder', join(path, 'whole'), {...settings, maxTokens: 32});
	t.is(whole.epochs[1]!.truncated, 0);

	await writeTrainingExamples(join(path, 'train.jsonl'), train);
	const flags = ['--data', join(path, 'train.jsonl'), '--init', 'tiny-encoder', '--epochs', '1', '--batch-size', '8'];
	const noted = await passagekit(['train', 'encoder', ...flags, '--max-tokens', '8', '-o', join(path, 'noted')]);
	t.is(noted.status, 0, noted.stderr);
	t.regex(noted.stderr, /\d+ % of the questions and passages were truncated \(--max-tokens\)/u);
});

test('a checkpoint of another training is refused, unless the training starts over', async t => {
	const output = join(await folder(t), 'encoder');
	const stopped = trainEncoder(train, 'tiny-encoder', output, {
		...options,
		epochs: 1,
		checkpointSteps: 1,
		onProgress({done}) {
			if (done === 2) {
				throw new Error('stop');
			}
		},
	});
	await t.throwsAsync(stopped, {message: 'stop'});
	for (const [data, change] of [
		[train, {learningRate: 2e-3}],
		[train.slice(1), {}],
	] as const) {
		await t.throwsAsync(trainEncoder(data, 'tiny-encoder', output, {...options, epochs: 1, ...change}), {
			code: 'ERR_ARGUMENT',
			message:
				/expected the same model, examples and options as those of the training run in .*, got others; resume: false \(--no-resume\) starts over/u,
		});
	}
	const {steps} = await trainEncoder(train, 'tiny-encoder', output, {...options, epochs: 1, learningRate: 2e-3, resume: false});
	t.is(steps, 3);
});

test('a second call with the same arguments returns the result of the first, and changes nothing', async t => {
	const output = join(await folder(t), 'encoder');
	const settings = {...options, dev, epochs: 1};
	const first = await trainEncoder(train, 'tiny-encoder', output, settings);
	const before = await weights(output);
	const second = await trainEncoder(train, 'tiny-encoder', output, {
		...settings,
		onProgress: () => t.fail('no step is made'),
	});
	t.deepEqual(second, first);
	t.true((await weights(output)).equals(before));
	await t.throwsAsync(trainEncoder(train, 'tiny-encoder', output, {...settings, seed: 2}), {
		code: 'ERR_ARGUMENT',
		message: /expected the same model/u,
	});
	t.true((await weights(output)).equals(before));
});

test('a training run that stopped before its first checkpoint can be repeated', async t => {
	const output = join(await folder(t), 'encoder');
	const run = trainEncoder(train, 'tiny-encoder', output, {
		...options,
		epochs: 1,
		onEpoch() {
			throw new Error('stop');
		},
	});
	await t.throwsAsync(run, {message: 'stop'});
	// As if the process had ended while it wrote the model.
	await rm(join(output, 'checkpoint'));
	const {steps} = await trainEncoder(train, 'tiny-encoder', output, {...options, epochs: 1});
	t.is(steps, 3);
});

test('without an epoch, the model before training is validated and written', async t => {
	const output = join(await folder(t), 'encoder');
	const {bestEpoch, epochs, steps} = await trainEncoder(train, 'tiny-encoder', output, {...options, dev, epochs: 0});
	t.deepEqual([bestEpoch, steps, epochs.length, epochs[0]!.validation?.questions], [0, 0, 1, 8]);
	t.deepEqual((await readdir(output)).sort(), ['config.json', 'model.onnx', 'model.safetensors', 'tokenizer.json', 'training.json']);
	const trained = await trainEncoder(train, output, `${output}-trained`, {...options, dev, epochs: 1});
	t.deepEqual(trained.epochs[0], epochs[0], 'training from there starts with the same weights');
});

test('the same seed gives the same encoder, and another seed another one', async t => {
	const path = await folder(t);
	const run = async (name: string, seed: number): Promise<Buffer> => {
		await trainEncoder(train, 'tiny-encoder', join(path, name), {...options, epochs: 1, seed});
		return weights(join(path, name));
	};
	const first = await run('first', 3);
	t.true(first.equals(await run('second', 3)));
	t.false(first.equals(await run('third', 4)));
});

test('questions and passages can have encoders of their own', async t => {
	const output = join(await folder(t), 'encoder');
	const result = await trainEncoder(train, 'tiny-encoder', output, {...options, dev, epochs: 4, separatePassageEncoder: true});
	t.is(result.folder, join(output, 'question'));
	t.is(result.passageFolder, join(output, 'passage'));
	t.false((await weights(result.folder)).equals(await weights(result.passageFolder)));
	t.true(result.epochs[result.bestEpoch]!.validation!.averageRank < result.epochs[0]!.validation!.averageRank);
	await using encoder = await OnnxEncoder.load(result.passageFolder);
	t.is(encoder.dim, 128);
});

test('losses, similarities and kinds of negatives can be chosen', async t => {
	const path = await folder(t);
	const variants: ReadonlyArray<readonly [name: string, change: TrainEncoderOptions]> = [
		['triplet', {loss: 'triplet', similarity: 'dot', margin: 2}],
		['l2', {similarity: 'l2'}],
		['own', {inBatch: false}],
		['cls', {pooling: 'cls', precision: 'float32'}],
	];
	for (const [name, change] of variants) {
		const {epochs, bestEpoch} = await trainEncoder(train, 'tiny-encoder', join(path, name), {...options, dev, epochs: 4, ...change});
		t.true(epochs[4]!.loss! < epochs[1]!.loss!, name);
		t.true(epochs[bestEpoch]!.validation!.averageRank <= epochs[0]!.validation!.averageRank, name);
	}
});

test('training stops when the average rank does not improve', async t => {
	const output = join(await folder(t), 'encoder');
	const {epochs, bestEpoch} = await trainEncoder(train, 'tiny-encoder', output, {
		...options,
		dev,
		epochs: 50,
		patience: 2,
		learningRate: 3e-3,
	});
	t.true(epochs.length < 51, `${epochs.length} epochs`);
	t.is(epochs.length - 1 - bestEpoch, 2);
});

test('a loss that is not finite stops the training, and the best encoder so far is kept', async t => {
	const output = join(await folder(t), 'encoder');
	const run = trainEncoder(train, 'tiny-encoder', output, {...options, dev, epochs: 3, learningRate: 1e30, maxGradientNorm: 0});
	await t.throwsAsync(run, {
		code: 'ERR_TRAINING',
		message: /^step \d+: expected a finite (loss|norm of the gradients|vector), got (NaN|-?inf); the learning rate may be too high$/u,
	});
	await using encoder = await OnnxEncoder.load(output);
	t.is(encoder.dim, 128);
});

test('examples without a positive are skipped, and too few examples are refused', async t => {
	const path = await folder(t);
	const without = {...train[0]!, positives: []};
	const {examples: used, skipped} = await trainEncoder([...train, without, without], 'tiny-encoder', join(path, 'a'), {
		...options,
		epochs: 1,
	});
	t.deepEqual([used, skipped], [24, 2]);
	await t.throwsAsync(trainEncoder([without, train[0]!], 'tiny-encoder', join(path, 'b'), options), {
		code: 'ERR_ARGUMENT',
		message: 'examples: expected at least 2 with a positive, because questions need the positives of others as negatives, got 1',
	});
	await t.throwsAsync(trainEncoder(train, 'tiny-encoder', join(path, 'c'), {...options, dev: [without]}), {
		code: 'ERR_ARGUMENT',
		message: 'dev: expected at least 1 example with a positive, got 0',
	});
});

test('models, folders and options that cannot be used are refused', async t => {
	const path = await folder(t);
	const output = join(path, 'encoder');
	const refused = async (
		init: string,
		change: TrainEncoderOptions,
		expected: {code: string; message: RegExp | string},
		to = output,
	): Promise<void> => {
		await t.throwsAsync(trainEncoder(train, init, to, {...options, ...change}), expected);
	};
	// A model that is no BERT: its feed-forward networks have ReLU.
	const relu = join(path, 'relu');
	await mkdir(relu);
	await copyFile(join(packageRoot, 'crates/transformer/tests/files/relu.onnx'), join(relu, 'model.onnx'));
	await copyFile(join(packageRoot, 'models/tiny-encoder/tokenizer.json'), join(relu, 'tokenizer.json'));
	await refused(relu, {}, {code: 'ERR_MODEL', message: /GELU/u});
	await refused('nowhere', {}, {code: 'ERR_MODEL_MISSING', message: /expected a folder/u});
	await refused('tiny-encoder', {maxTokens: 257}, {code: 'ERR_ARGUMENT', message: 'maxTokens: expected 8 to 256, got 257'});
	await refused(
		'tiny-encoder',
		{patience: 1},
		{code: 'ERR_ARGUMENT', message: 'patience: expected examples in dev to validate with, got none'},
	);
	await refused('tiny-encoder', {dropout: 1}, {code: 'ERR_ARGUMENT', message: 'dropout: expected at least 0 and less than 1, got 1'});
	await refused(
		'tiny-encoder',
		{inBatch: false, hardNegatives: 0},
		{code: 'ERR_ARGUMENT', message: 'inBatch: expected true, or hardNegatives or negatives above 0, got no negatives at all'},
	);
	await refused('tiny-encoder', {bf16: 1 as never}, {code: 'ERR_ARGUMENT', message: 'bf16: expected a boolean, got 1'});
	await refused('tiny-encoder', {margin: 2}, {code: 'ERR_ARGUMENT', message: 'margin: expected the loss triplet, got nll'});
	await refused(
		'tiny-encoder',
		{repeat: {squda: 2}},
		{code: 'ERR_ARGUMENT', message: 'repeat: expected names of data sets of the examples, got "squda"'},
	);
	await refused(
		'tiny-encoder',
		{batchSize: 1, hardNegatives: 0},
		{
			code: 'ERR_ARGUMENT',
			message: 'examples: expected some with negatives, because each question would be compared with its positive only, got none of 24',
		},
	);
	// The model to start from is in the output folder, also if a link leads there.
	const question = join(path, 'both', 'question');
	await cp(join(packageRoot, 'models/tiny-encoder'), question, {recursive: true});
	await symlink(question, join(path, 'link'));
	for (const init of [question, join(path, 'link')]) {
		await refused(
			init,
			{separatePassageEncoder: true},
			{code: 'ERR_ARGUMENT', message: /^output: expected another folder/u},
			join(path, 'both'),
		);
	}
	const full = join(path, 'full');
	await mkdir(full);
	await writeFile(join(full, 'important.txt'), 'x');
	await refused(
		'tiny-encoder',
		{},
		{code: 'ERR_ARGUMENT', message: /^output: expected an empty folder, or that of an earlier training run, got .*full with 1 files$/u},
		full,
	);
	await refused(relu, {}, {code: 'ERR_ARGUMENT', message: /^output: expected another folder than that of the model to start from/u}, relu);
});

test('the command trains from a file of examples, and says what it did', async t => {
	const path = await folder(t);
	await writeTrainingExamples(join(path, 'train.jsonl'), train);
	await writeTrainingExamples(join(path, 'dev.jsonl'), dev);
	const output = join(path, 'encoder');
	const args = [
		'train',
		'encoder',
		'--data',
		join(path, 'train.jsonl'),
		'--dev',
		join(path, 'dev.jsonl'),
		'--init',
		'tiny-encoder',
		'-o',
		output,
	].concat([
		'--pooling',
		'mean',
		'--similarity',
		'cosine',
		'--max-tokens',
		'32',
		'--batch-size',
		'8',
		'--epochs',
		'2',
		'--learning-rate',
		'1e-3',
	]);
	const {status, stdout, stderr} = await passagekit(args);
	t.is(status, 0, stderr);
	t.regex(stdout, /^24 examples, 6 steps; the encoder of epoch \d is in .*encoder\n$/u);
	t.regex(
		stderr,
		/^before training; average rank \d+\.\d\d of 16 passages, top-1 \d\.\d{3}, top-5 \d\.\d{3}, top-20 1\.000 \(8 questions\)$/mu,
	);
	t.regex(stderr, /^epoch 2: loss \d\.\d{4}; average rank/mu);
	const both = await passagekit([...args, '--passages', path]);
	t.is(both.status, 2);
	t.regex(both.stderr, /expected --data, or --passages and --questions/u);
});

test('in bfloat16, losses are close to those in 32 bits, and the fingerprint is another; on other CPUs, it is refused', async t => {
	const path = await folder(t);
	const output = join(path, 'bf16');
	await writeTrainingExamples(join(path, 'train.jsonl'), train);
	await writeTrainingExamples(join(path, 'dev.jsonl'), dev);
	const flags = ['--data', join(path, 'train.jsonl'), '--dev', join(path, 'dev.jsonl'), '--init', 'tiny-encoder', '--epochs', '2'];
	const command = ['train', 'encoder', ...flags, '--batch-size', '8', '--learning-rate', '1e-3', '--max-tokens', '32', '--json'];
	const scalar = await passagekit([...command, '-o', output, '--bf16'], {PASSAGEKIT_CPU: 'scalar'});
	t.is(scalar.status, 1);
	t.regex(scalar.stderr, /bf16: expected a CPU with AVX-512 BF16, got /u);

	const {status, stdout, stderr} = await passagekit([...command, '-o', output, '--bf16']);
	if (process.platform === 'linux' && process.arch === 'x64' && !process.env['PASSAGEKIT_CPU']) {
		t.is(status === 0, (await readFile('/proc/cpuinfo', 'utf8')).includes('avx512_bf16'), stderr);
	}
	if (status !== 0) {
		t.regex(stderr, /bf16: expected a CPU with AVX-512 BF16, got /u);
		t.log('SKIPPING training in bfloat16: this CPU has no instructions for it');
		return;
	}
	const float32 = JSON.parse((await passagekit([...command, '-o', join(path, 'float32')])).stdout) as {epochs: {loss?: number}[]};
	const bf16 = JSON.parse(stdout) as typeof float32;
	const losses = [bf16, float32].map(({epochs}) => epochs.at(-1)!.loss!);
	t.not(losses[0], losses[1]);
	t.true(Math.abs(losses[0]! - losses[1]!) < 0.02 * losses[1]!, losses.join(' '));
	const other = await passagekit([...command, '-o', output]);
	t.is(other.status, 1);
	t.regex(other.stderr, /expected the same model, examples and options as those of the training run/u);
});
