// Runs `passagekit train encoder` with passages and questions, so that it mines the examples.
import {mkdtemp, readFile, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {encyclopedia} from '../../ts/index.ts';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {passagekit} from '../support/command.ts';

const {articles} = encyclopedia();
const settings = ['--init', 'tiny-encoder', '--epochs', '1', '--batch-size', '8', '--threads', '1'];

/** Writes questions of the encyclopedia, and two without a positive, to a folder. */
async function questionFiles(t: ExecutionContext): Promise<{path: string; train: string; dev: string}> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-train-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	const lines = (await readFile(join(packageRoot, 'examples/encyclopedia/questions.train.jsonl'), 'utf8')).trim().split('\n');
	const [train, dev] = [join(path, 'train.jsonl'), join(path, 'dev.jsonl')];
	const unanswered = {id: 'a', question: 'Who is nobody?', answers: ['qqqq']};
	const unknown = {id: 'b', question: 'Who is gone?', answers: [], passage: 'gone.md#0'};
	await writeFile(train, [...lines.slice(0, 16), JSON.stringify(unanswered), JSON.stringify(unknown)].join('\n'));
	await writeFile(dev, [...lines.slice(16, 24), JSON.stringify(unanswered)].join('\n'));
	return {path, train, dev};
}

test('train encoder mines from a corpus, and notes for each file of questions which ones were dropped', async t => {
	const {path, train, dev} = await questionFiles(t);
	const args = ['train', 'encoder', '-p', articles, '-q', train, '--dev', dev, '--gold-field', 'passage', ...settings];
	const {status, stdout, stderr} = await passagekit([...args, '-o', join(path, 'encoder')]);
	t.is(status, 0, stderr);
	t.regex(stdout, /^16 examples, 2 steps; the encoder of epoch [01] is in /u);
	const notes = stderr.split('\n');
	t.true(notes.includes(`dropped 1 question of ${train} (a): no answer in the best hits for question and answer`), stderr);
	t.true(notes.includes(`dropped 1 question of ${train} (b): the gold passages are not among the passages`), stderr);
	t.true(notes.includes(`dropped 1 question of ${dev} (a): no answer in the best hits for question and answer`), stderr);
	t.regex(stderr, /^epoch 1: .* \(8 questions\)$/mu);
});

test('train encoder mines from a collection, and returns what mining found as JSON', async t => {
	const {path, train, dev} = await questionFiles(t);
	const collection = join(path, 'collection');
	const added = await passagekit(['add', articles, '-c', collection, '--no-encoder']);
	t.is(added.status, 0, added.stderr);
	const args = ['train', 'encoder', '-p', collection, '-q', train, '--dev', dev, ...settings, '--json'];
	const {status, stdout, stderr} = await passagekit([...args, '-o', join(path, 'encoder')]);
	t.is(status, 0, stderr);
	t.like(JSON.parse(stdout), {
		examples: 16,
		mined: {questions: 18, examples: 16, dropped: {nothingToMatch: ['b'], noPassageWithAnswer: ['a']}, positives: {answers: 16}},
		minedDev: {questions: 9, examples: 8, dropped: {noPassageWithAnswer: ['a']}},
	});
});

test('the questions to validate with can have more hard negatives than those to train on', async t => {
	const {path, train, dev} = await questionFiles(t);
	const counts: number[] = [];
	for (const [i, more] of [[], ['--dev-hard-negatives', '6']].entries()) {
		const args = ['train', 'encoder', '-p', articles, '-q', train, '--dev', dev, ...settings, '--json', ...more];
		const {status, stdout, stderr} = await passagekit([...args, '-o', join(path, `encoder-${i}`)]);
		t.is(status, 0, stderr);
		const {epochs} = JSON.parse(stdout) as {epochs: ReadonlyArray<{validation: {passages: number}}>};
		counts.push(epochs[0]!.validation.passages);
	}
	// Eight questions have a positive and a hard negative each, or six of them; questions can share passages.
	t.true(counts[0]! <= 16 && counts[1]! > 24 && counts[1]! <= 56, counts.join(' '));
	const {status, stderr} = await passagekit(
		['train', 'encoder', '-p', articles, '-q', train, '--dev-hard-negatives', '6', ...settings].concat('-o', join(path, 'x')),
	);
	t.is(status, 2);
	t.regex(stderr, /train encoder: expected --dev-hard-negatives only with --dev \(ERR_USAGE\)$/mu);
});

test('if no question has a positive, mine and train encoder fail, say why, and write no examples and no encoder', async t => {
	const {path} = await questionFiles(t);
	const [questions, file, encoder] = [join(path, 'none.jsonl'), join(path, 'examples.jsonl'), join(path, 'encoder')];
	await writeFile(questions, '{"question":"Who is nobody?","answers":["qqqq"]}\n{"question":"Who is it?","answers":[]}\n');
	const message =
		/none\.jsonl: expected questions for which the passages have a positive, got: 1 question \(1\): no ids of positives, no context and no answers; 1 question \(0\): no answer in the best hits/u;
	for (const args of [
		['mine', '-p', articles, '-q', questions, '-o', file],
		['train', 'encoder', '-p', articles, '-q', questions, ...settings, '-o', encoder],
	]) {
		const {status, stderr} = await passagekit(args);
		t.is(status, 1, stderr);
		t.regex(stderr, message);
	}
	t.false((await readdir(path)).includes('examples.jsonl'));
	t.deepEqual(await readdir(encoder), []);
});

test('options for questions are refused with --data', async t => {
	const {status, stderr} = await passagekit(['train', 'encoder', '--data', 'x.json', '--gold-field', 'passage', ...settings, '-o', 'x']);
	t.is(status, 2);
	t.regex(stderr, /train encoder: expected --gold-field only with --questions, got it with --data/u);
	const more = await passagekit(['train', 'encoder', '--data', 'x.json', '--dev-hard-negatives', '3', ...settings, '-o', 'x']);
	t.is(more.status, 2);
	t.regex(more.stderr, /train encoder: expected --dev-hard-negatives only with --questions, got it with --data/u);
});
