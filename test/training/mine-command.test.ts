// Runs `passagekit mine` as a child process.
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {type MiningStatistics, type TrainingExample, encyclopedia, readTrainingExamples} from '../../ts/index.ts';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {passagekit} from '../support/command.ts';

async function folder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-mine-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

async function examplesOf(path: string): Promise<TrainingExample[]> {
	const examples: TrainingExample[] = [];
	for await (const example of readTrainingExamples(path)) {
		examples.push(example);
	}
	return examples;
}

const {articles} = encyclopedia();
const questions = join(packageRoot, 'examples/encyclopedia/questions.train.jsonl');

/** The output of `--json`. */
type Report = MiningStatistics & {readonly output: string};

test('mine writes examples with given gold passages, and says what it did', async t => {
	const output = join(await folder(t), 'train.json.gz');
	const lines = (await readFile(questions, 'utf8')).trim().split('\n');
	const {status, stdout, stderr} = await passagekit(['mine', '-p', articles, '-q', questions, '--gold-field', 'passage', '-o', output]);
	t.is(status, 0, stderr);
	t.is(stdout, `${lines.length} training examples of ${lines.length} questions written to ${output}\n`);
	t.regex(stderr, /^rejected candidates: \d+ with an answer, \d+ positives, \d+ near-duplicates of positives, 0 by score, 0 by margin$/mu);
	const examples = await examplesOf(output);
	const first = JSON.parse(lines[0]!) as {question: string; passage: string};
	t.is(examples.length, lines.length);
	t.is(examples[0]!.question, first.question);
	t.is(examples[0]!.positives[0]!.id, first.passage);
	t.is(examples[0]!.hardNegatives.length, 1);
});

test('mine supervises by answers, limits the questions, and draws several kinds of negatives', async t => {
	const output = join(await folder(t), 'train.jsonl');
	const {status, stdout, stderr} = await passagekit(
		['mine', '-p', articles, '-q', questions, '--distant', '-o', output, '--limit', '20', '--json'].concat([
			'--kind',
			'bm25,random,gold',
			'--negatives',
			'2',
			'--dataset',
			'encyclopedia',
			'--seed',
			'1',
		]),
	);
	t.is(status, 0, stderr);
	const report = JSON.parse(stdout) as Report;
	t.like(report, {output, questions: 20, positives: {ids: 0, contexts: 0}});
	t.is(report.examples + report.dropped.noPassageWithAnswer.length, 20);
	const examples = await examplesOf(output);
	t.is(examples.length, report.examples);
	t.true(examples.every(({dataset, negatives}) => dataset === 'encyclopedia' && negatives.length === 4));
	const [line] = (await readFile(output, 'utf8')).split('\n');
	t.deepEqual(Object.keys(JSON.parse(line!) as object), [
		'dataset',
		'question',
		'answers',
		'positive_ctxs',
		'negative_ctxs',
		'hard_negative_ctxs',
	]);
});

test('mine takes positives from qrels, the highest grade first, and leaves out queries without them', async t => {
	const path = await folder(t);
	const file = (name: string): string => join(path, name);
	const corpus = ['Cats sleep.', 'Dogs bark.', 'Cows eat.', 'Cats eat.'].map((text, i) => ({_id: `d${i}`, title: '', text}));
	await writeFile(file('corpus.jsonl'), corpus.map(each => JSON.stringify(each)).join('\n'));
	await writeFile(file('queries.jsonl'), ['cats sleep', 'eat', 'bark'].map((text, i) => JSON.stringify({_id: `q${i}`, text})).join('\n'));
	await writeFile(file('train.tsv'), 'query-id\tcorpus-id\tscore\nq0\td3\t1\nq0\td0\t2\nq1\td2\t0\nq2\td1\t1\nq2\tgone\t1\n');
	const args = ['mine', '-p', file('corpus.jsonl'), '-q', file('queries.jsonl'), '--qrels', file('train.tsv'), '-o', file('out.json')];
	const {status, stderr} = await passagekit([...args, '--kind', 'random', '-n', '3']);
	t.is(status, 0, stderr);
	t.regex(stderr, /^1 gold passage not among the passages$/mu);
	t.regex(stderr, /^1 example with fewer negatives than asked for; missing: 0 hard, 1 random, 0 gold$/mu);
	const examples = await examplesOf(file('out.json'));
	t.deepEqual(
		examples.map(({question, positives, negatives}) => [question, positives.map(({id}) => id), negatives.length]),
		[
			['cats sleep', ['d0', 'd3'], 2],
			['bark', ['d1'], 3],
		],
	);
	await writeFile(file('other.tsv'), 'query-id\tcorpus-id\tscore\nx\td3\t1\n');
	const none = await passagekit(args.map(each => each.replace('train.tsv', 'other.tsv')));
	t.is(none.status, 1);
	t.regex(none.stderr, /expected relevant passages in .*other\.tsv for the questions in .*queries\.jsonl, got none for all 3/u);
});

test('mine uses the passages and searchers of a built and of an updatable collection', async t => {
	const path = await folder(t);
	const [built, live, output] = [join(path, 'built'), join(path, 'live'), join(path, 'out.json')];
	const indexed = await passagekit(['index', articles, '-o', built, '--encoder', 'tiny-encoder', '--no-hnsw']);
	t.is(indexed.status, 0, indexed.stderr);
	const added = await passagekit(['add', articles, '-c', live, '--no-encoder']);
	t.is(added.status, 0, added.stderr);
	const args = ['mine', '-q', questions, '--limit', '10', '--distant', '-o', output, '-p'];
	const fromFiles = await passagekit([...args, articles]);
	t.is(fromFiles.status, 0, fromFiles.stderr);
	const expected = await examplesOf(output);
	const fromBuilt = await passagekit([...args, built]);
	t.is(fromBuilt.status, 0, fromBuilt.stderr);
	t.deepEqual(await examplesOf(output), expected);
	const dense = await passagekit([...args, built, '--kind', 'dense']);
	t.is(dense.status, 0, dense.stderr);
	const denseExamples = await examplesOf(output);
	t.deepEqual(
		denseExamples.map(({positives}) => positives),
		expected.map(({positives}) => positives),
	);
	t.notDeepEqual(
		denseExamples.map(({hardNegatives}) => hardNegatives),
		expected.map(({hardNegatives}) => hardNegatives),
	);
	const fromLive = await passagekit([...args, live]);
	t.is(fromLive.status, 0, fromLive.stderr);
	t.deepEqual(
		(await examplesOf(output)).map(({question}) => question),
		expected.map(({question}) => question),
	);
});

test('wrong flags are usage errors', async t => {
	const path = await folder(t);
	const base = ['mine', '-p', articles, '-q', questions, '-o', join(path, 'out.json')];
	for (const [flags, message] of [
		[['--kind', 'bm26'], /--kind: expected some of bm25, dense, hybrid, random, gold, got "bm26"/u],
		[['--kind', 'bm25,dense'], /--kind: expected one of bm25, dense, hybrid, got bm25 and dense/u],
		[['--kind', 'dense'], /--kind dense needs a collection with vectors as --passages/u],
		[['--distant', '--positives', 'ids'], /expected --distant or --positives ids, got both/u],
		[['--qrels', 'x', '--gold-field', 'y'], /expected --qrels or --gold-field, got both/u],
		[['--negatives', '-1'], /expected a whole number of at least 0/u],
	] as const) {
		const {status, stderr} = await passagekit([...base, ...flags]);
		t.is(status, 2, stderr);
		t.regex(stderr, message);
	}
	const {status, stderr} = await passagekit(['mine', '-p', articles]);
	t.is(status, 2);
	t.regex(stderr, /required option '-q, --questions <file>' not specified/u);
});
