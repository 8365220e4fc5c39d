// Tests reading and writing of DPR's training files.
import {mkdtemp, readFile, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {gunzipSync, gzipSync} from 'node:zlib';
import test, {type ExecutionContext} from 'ava';
import * as fc from 'fast-check';
import {
	type ReadTrainingOptions,
	type TrainingExample,
	type TrainingPassage,
	readQuestions,
	readTrainingExamples,
	writeTrainingExamples,
} from '../../ts/index.ts';
import {highestOfThreeCounts} from '../support/event-loop.ts';

async function folder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-training-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

/** Reads all examples. */
async function examplesOf(paths: string | readonly string[], options: ReadTrainingOptions = {}): Promise<TrainingExample[]> {
	const examples: TrainingExample[] = [];
	for await (const example of readTrainingExamples(paths, options)) {
		examples.push(example);
	}
	return examples;
}

/** An example whose only positive has the text `text`. */
function exampleWith(text: string): TrainingExample {
	return {question: `${text}?`, answers: [], positives: [{text}], hardNegatives: [], negatives: []};
}

const example: TrainingExample = {
	dataset: 'nq',
	question: 'who painted it?',
	answers: ['Anna', 'Änna "A."'],
	positives: [{id: '7', title: 'The sea', text: 'Anna painted\tit.\n', score: 1000}],
	hardNegatives: [
		{id: 'p#2', title: 'Ben', text: 'Ben sold it.', score: 12.345_678_9},
		{text: 'Who knows?', score: -0.5},
	],
	negatives: [{title: 'Cows', text: 'Cows eat grass.'}],
};

/** The same example as a JSON object in the form of DPR's files. */
const object = {
	dataset: 'nq',
	question: 'who painted it?',
	answers: ['Anna', 'Änna "A."'],
	positive_ctxs: [{title: 'The sea', text: 'Anna painted\tit.\n', score: 1000, passage_id: '7'}],
	negative_ctxs: [{title: 'Cows', text: 'Cows eat grass.'}],
	hard_negative_ctxs: [
		{title: 'Ben', text: 'Ben sold it.', score: 12.345_678_9, passage_id: 'p#2'},
		{title: '', text: 'Who knows?', score: -0.5},
	],
};

test('a file is written in the form of DPR, as an array or as lines, plain or gzip', async t => {
	const path = await folder(t);
	const written = async (name: string, options = {}): Promise<Buffer> => {
		t.is(await writeTrainingExamples(join(path, name), [example, exampleWith('a')], options), 2);
		return readFile(join(path, name));
	};
	const second = {question: 'a?', answers: [], positive_ctxs: [{title: '', text: 'a'}], negative_ctxs: [], hard_negative_ctxs: []};
	t.deepEqual(JSON.parse((await written('a.json')).toString()), [object, second]);
	t.deepEqual(JSON.parse(gunzipSync(await written('a.json.gz')).toString()), [object, second]);
	const lines = (text: string): unknown[] =>
		text
			.trimEnd()
			.split('\n')
			.map(line => JSON.parse(line) as unknown);
	t.deepEqual(lines((await written('a.jsonl')).toString()), [object, second]);
	t.deepEqual(lines(gunzipSync(await written('a.jsonl.gz')).toString()), [object, second]);
	t.deepEqual(lines(gunzipSync(await written('b', {format: 'jsonl', gzip: true})).toString()), [object, second]);
	t.deepEqual(JSON.parse((await written('b.jsonl.gz', {format: 'json', gzip: false})).toString()), [object, second]);
});

test('DPR files with integer ids, scores in strings, missing properties and other properties are read', async t => {
	const path = join(await folder(t), 'train.json');
	const content = [
		{...object, positive_ctxs: [{title: 'T', text: 'x', score: '81.25', title_score: 1, psg_id: 5}], other: {a: [1]}},
		{question: 'q', answers: null, positive_ctxs: []},
		{question: 'r', answers: 'one', positive_ctxs: [{text: 'y', title: null, score: null, passage_id: null}]},
	];
	await writeFile(path, JSON.stringify(content));
	const [first, second, third] = await examplesOf(path);
	t.deepEqual(first, {...example, positives: [{id: '5', title: 'T', text: 'x', score: 81.25}]});
	t.deepEqual(second, {question: 'q', answers: [], positives: [], hardNegatives: [], negatives: []});
	t.deepEqual(third, {question: 'r', answers: ['one'], positives: [{text: 'y'}], hardNegatives: [], negatives: []});
	// The same file is a file of questions.
	for await (const question of readQuestions(path)) {
		t.is(question.context?.text, 'x');
		break;
	}
});

const text = fc.string({unit: 'grapheme'});
const passage = fc.record(
	{
		id: text.filter(id => id !== ''),
		title: text.filter(title => title !== ''),
		text,
		score: fc.double({noNaN: true, noDefaultInfinity: true}).map(score => score + 0),
	},
	{requiredKeys: ['text']},
) as fc.Arbitrary<TrainingPassage>;
const passages = fc.array(passage, {maxLength: 3});
const anyExample = fc.record(
	{
		question: text,
		answers: fc.array(text, {maxLength: 2}),
		positives: passages,
		hardNegatives: passages,
		negatives: passages,
		dataset: text,
	},
	{requiredKeys: ['question', 'answers', 'positives', 'hardNegatives', 'negatives']},
) as fc.Arbitrary<TrainingExample>;

test('reading what was written gives equal examples', async t => {
	const path = await folder(t);
	const property = fc.asyncProperty(
		fc.array(anyExample, {maxLength: 4}),
		fc.constantFrom('x.json', 'x.jsonl', 'x.json.gz', 'x.jsonl.gz'),
		async (examples, name) => {
			await writeTrainingExamples(join(path, name), examples);
			const found = await examplesOf(join(path, name));
			t.deepEqual(JSON.parse(JSON.stringify(found)), JSON.parse(JSON.stringify(examples)));
			t.deepEqual(found, examples.map(plain));
		},
	);
	await fc.assert(property, {numRuns: 60});
});

/** Copies an example, because fast-check makes objects without a prototype. */
function plain(given: TrainingExample): TrainingExample {
	const list = (passages: readonly TrainingPassage[]): TrainingPassage[] => passages.map(each => ({...each}));
	const {positives, hardNegatives, negatives, ...rest} = given;
	return {...rest, positives: list(positives), hardNegatives: list(hardNegatives), negatives: list(negatives)};
}

test('several files are read one after another, up to a number of examples and of passages per example', async t => {
	const path = await folder(t);
	const [first, second] = [join(path, 'a.json'), join(path, 'b.jsonl')];
	await writeTrainingExamples(first, ['a', 'b', 'c'].map(exampleWith));
	await writeTrainingExamples(second, ['d', 'e'].map(exampleWith));
	const texts = async (options: ReadTrainingOptions): Promise<string[]> =>
		(await examplesOf([first, second], options)).map(({positives}) => positives[0]?.text ?? '–');
	t.deepEqual(await texts({}), ['a', 'b', 'c', 'd', 'e']);
	t.deepEqual(await texts({limit: 4}), ['a', 'b', 'c', 'd']);
	t.deepEqual(await texts({limit: 3}), ['a', 'b', 'c']);
	t.deepEqual(await texts({limit: 0}), []);
	t.deepEqual(await texts({limit: 2, maxPositives: 0}), ['–', '–']);
	await writeTrainingExamples(first, [example]);
	const [cut] = await examplesOf(first, {maxHardNegatives: 1, maxNegatives: 0});
	t.deepEqual(cut, {...example, hardNegatives: example.hardNegatives.slice(0, 1), negatives: []});
});

test('an invalid example is refused with file, line, position, what was expected and what was found, or skipped and counted', async t => {
	const path = join(await folder(t), 'bad.json');
	const refusal = async (content: string): Promise<string> => {
		await writeFile(path, content);
		const error = await t.throwsAsync(examplesOf(path), {code: 'ERR_FORMAT'});
		t.true(error!.message.startsWith(path), error!.message);
		return error!.message.slice(path.length);
	};
	const expected = 'a JSON object with "question" and "positive_ctxs"';
	const valid = JSON.stringify(object);
	t.is(
		await refusal(`[${valid},\n${valid}, {"question": "x"}]`),
		`:2: expected training example 3: ${expected}, got missing field \`positive_ctxs\` at column 17`,
	);
	t.regex(await refusal(`${valid}\n\n{"positive_ctxs": []}`), /^:3: expected training example 2: .*, got missing field `question`/u);
	t.regex(await refusal(`[${valid.replace('"Anna painted', '{"a": "Anna painted')}]`), /^:1: /u);
	t.regex(await refusal(valid.replace('1000', '"high"')), /got the score "high"/u);
	t.regex(await refusal(valid.replace('1000', 'true')), /invalid type: boolean `true`, expected a finite number/u);
	t.regex(await refusal(valid.replace('"nq"', '7')), /a number instead of a string/u);
	t.regex(await refusal('"text"'), /^:1: expected training example 1/u);
	t.regex(await refusal(`[${valid}`), /expected/u);
	await writeFile(path, [valid, '{"question": "x"}', '{', valid].join('\n'));
	const skipped: number[] = [];
	t.is((await examplesOf([path, path], {skipBadLines: true, onSkipped: count => void skipped.push(count)})).length, 4);
	t.deepEqual(skipped, [4]);
	await writeFile(path, gzipSync(valid).subarray(0, 80));
	await t.throwsAsync(examplesOf(path), {code: 'ERR_FORMAT', message: /complete gzip data/u});
	await t.throwsAsync(examplesOf(join(path, 'none')), {code: 'ERR_IO'});
	await t.throwsAsync(examplesOf([]), {code: 'ERR_ARGUMENT', message: 'paths: expected a path or an array of paths, got an empty one'});
	await writeFile(path, valid);
	await t.throwsAsync(examplesOf(path, {maxDocumentBytes: 100}), {code: 'ERR_FORMAT', message: /maxDocumentBytes/u});
});

test('an example that cannot be written is refused, and the old file stays', async t => {
	const path = join(await folder(t), 'train.json');
	await writeFile(path, 'old');
	const refusal = async (bad: unknown): Promise<string> => {
		const error = await t.throwsAsync(writeTrainingExamples(path, [example, bad as TrainingExample]), {code: 'ERR_ARGUMENT'});
		t.is(await readFile(path, 'utf8'), 'old');
		return error!.message;
	};
	t.is(await refusal({...example, positives: undefined}), 'examples[1]: positives: expected an array of {text}, got undefined');
	t.is(await refusal({...example, negatives: [{id: 'a'}]}), 'examples[1]: negatives[0]: text: expected a string, got undefined');
	t.is(
		await refusal({...example, hardNegatives: [{text: 'a', score: Number.NaN}]}),
		'examples[1]: hardNegatives[0]: score: expected a finite number, got NaN',
	);
	t.is(
		await refusal({...example, question: '\uD800'}),
		'examples[1]: question: expected well-formed Unicode, got a string with a lone surrogate',
	);
	t.is(await refusal(null), 'examples[1]: expected {question, answers, positives, hardNegatives, negatives}, got null');
	async function* failing(): AsyncGenerator<TrainingExample> {
		yield example;
		throw new Error('no more');
	}
	await t.throwsAsync(writeTrainingExamples(path, failing()), {message: 'no more'});
	t.is(await readFile(path, 'utf8'), 'old');
	await t.throwsAsync(writeTrainingExamples(join(path, 'file'), [example]), {code: 'ERR_IO'});
});

test('reading and writing stop when their signals abort; an unfinished file is removed', async t => {
	const path = await folder(t);
	const [source, target] = [join(path, 'source.jsonl'), join(path, 'target.json')];
	await writeTrainingExamples(
		source,
		Array.from({length: 2000}, () => exampleWith('word '.repeat(100))),
	);
	const controller = new AbortController();
	let read = 0;
	const copy = async (): Promise<number> =>
		writeTrainingExamples(
			target,
			(async function* () {
				for await (const each of readTrainingExamples(source)) {
					read += 1;
					if (read === 500) {
						controller.abort(new Error('stop'));
					}
					yield each;
				}
			})(),
			{signal: controller.signal},
		);
	await t.throwsAsync(copy, {message: 'stop'});
	t.is(read, 500);
	t.deepEqual(await readdir(path), ['source.jsonl']);
	await t.throwsAsync(examplesOf(source, {signal: controller.signal}), {message: 'stop'});
	const iteration = readTrainingExamples(source, {signal: controller.signal});
	await t.throwsAsync(async () => iteration.next(), {message: 'stop'});
});

test('progress is reported, in bytes of the file while reading and in examples while writing', async t => {
	const path = join(await folder(t), 'train.json');
	const written: number[] = [];
	await writeTrainingExamples(
		path,
		Array.from({length: 1000}, () => exampleWith('word '.repeat(100))),
		{
			onProgress: ({done}) => void written.push(done),
		},
	);
	t.is(written.at(-1), 1000);
	const {length} = await readFile(path);
	let last = {done: 0, total: 0};
	await examplesOf(path, {
		onProgress(progress) {
			last = progress;
		},
	});
	t.deepEqual(last, {done: length, total: length});
});

test('the event loop runs while files with many long examples are read and written', async t => {
	const path = join(await folder(t), 'train.json.gz');
	const context: TrainingPassage = {id: '1', title: 'A title', text: 'seven letters '.repeat(50), score: 1.5};
	const large: TrainingExample = {...example, hardNegatives: Array.from({length: 100}, () => context)};
	const ticks = async (work: () => Promise<unknown>): Promise<number> => {
		let count = 0;
		const timer = setInterval(() => count++, 1);
		await work();
		clearInterval(timer);
		return count;
	};
	// 200 examples have 14 MB of text. A call that blocked the event loop would leave no time for the timer.
	const whileWriting = await highestOfThreeCounts(30, async () =>
		ticks(async () =>
			writeTrainingExamples(
				path,
				Array.from({length: 200}, () => large),
			),
		),
	);
	t.true(whileWriting > 30, String(whileWriting));
	const whileReading = await highestOfThreeCounts(30, async () => ticks(async () => examplesOf(path)));
	t.true(whileReading > 30, String(whileReading));
});
