// Tests `passagekit evaluate --compare`, which compares two runs.
import {execFile} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';

/** Runs `passagekit evaluate`. Rejects if it fails. */
async function evaluate(...args: string[]): Promise<{readonly stdout: string; readonly stderr: string}> {
	return promisify(execFile)(process.execPath, [join(packageRoot, 'bin/passagekit.js'), 'evaluate', ...args]);
}

/** Returns a run in the TREC format in which `answer`, the only relevant passage of each query, has the given rank. */
function trecRun(ranks: readonly number[]): string {
	return ranks
		.flatMap((rank, query) =>
			Array.from({length: rank}, (_, at) => `q${query} Q0 ${at + 1 === rank ? 'answer' : `p${at}`} ${at + 1} ${-at} test`),
		)
		.join('\n');
}

/** Writes files into a temporary folder, and returns their paths by name. */
async function files(t: ExecutionContext, contents: Readonly<Record<string, string>>): Promise<Record<string, string>> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-compare-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const paths: Record<string, string> = {};
	for (const [name, content] of Object.entries(contents)) {
		paths[name] = join(folder, name);
		await writeFile(paths[name], content);
	}
	return paths;
}

/** For each query, the rank of the relevant passage in the first and in the second run. */
const [first, second] = [
	[1, 1, 1, 2, 1, 1],
	[2, 1, 2, 2, 4, 2],
] as const;

/**
The p-value for the measure P@1, from SciPy 1.17.1: ttest_1samp of 1, 0, 1, 0, 1, 1. These are the differences between the
values of the two runs. The value of a query is 1 if its first passage is relevant, else 0.
*/
const pForPrecisionAt1 = 0.025_031_015_818_452_96;

test('two runs are compared by every measure, with a correction for the number of measures', async t => {
	const qrels = first.map((_, query) => `q${query} 0 answer 1`).join('\n');
	const {a, b, judgments} = await files(t, {a: trecRun(first), b: trecRun(second), judgments: qrels});
	const args = ['--run', a!, '--compare', b!, '--qrels', judgments!, '--measures', 'RR,P@1'];

	const {stdout} = await evaluate(...args, '--json');

	const {mean, comparison} = JSON.parse(stdout) as {mean: object; comparison: Array<Record<string, number>>};
	t.deepEqual(mean, {RR: 5.5 / 6, 'P@1': 5 / 6});
	// For RR, `p` is also from SciPy 1.17.1: ttest_1samp of the differences 1/2, 0, 1/2, 0, 3/4, 1/2.
	for (const [i, expected] of [
		{mean: 5.5 / 6, other: 3.25 / 6, difference: 2.25 / 6, p: 0.030_099_247_897_462_586},
		{mean: 5 / 6, other: 1 / 6, difference: 4 / 6, p: pForPrecisionAt1},
	].entries()) {
		for (const [name, value] of Object.entries({...expected, corrected: Math.min(1, 2 * expected.p)})) {
			t.true(Math.abs(comparison[i]![name]! - value) < 1e-12, `${name}: ${comparison[i]![name]}, ${value}`);
		}
	}
	const shown = await evaluate(...args);
	t.regex(shown.stdout, /^measure +mean +other +difference +p +corrected p$/mu);
	t.regex(shown.stdout, /^RR +0\.9167 +0\.5417 +\+0\.3750 +0\.\d{4} +0\.\d{4}$/mu);
	t.regex(shown.stderr, /Bonferroni/u);
});

test('two runs are compared by top-k accuracy, that is, by the answers in their first k passages', async t => {
	const passages = [
		'{"id": "answer", "contents": "It was Suez."}',
		...Array.from({length: 4}, (_, at) => `{"id": "p${at}", "contents": "nothing"}`),
	];
	const questions = first.map((_, query) => JSON.stringify({id: `q${query}`, question: 'where?', answers: ['Suez']}));
	const paths = await files(t, {
		a: trecRun(first),
		b: trecRun(second),
		'passages.jsonl': passages.join('\n'),
		'questions.jsonl': questions.join('\n'),
	});

	const runs = ['--run', paths['a']!, '--compare', paths['b']!];
	const sources = ['--questions', paths['questions.jsonl']!, '--passages', paths['passages.jsonl']!];
	const {stdout} = await evaluate(...runs, ...sources, '--ks', '1,4', '--json');

	const {comparison} = JSON.parse(stdout) as {comparison: Array<Record<string, number>>};
	t.is(comparison[0]!['measure'] as unknown, 'top-1');
	t.true(Math.abs(comparison[0]!['p']! - pForPrecisionAt1) < 1e-12);
	t.deepEqual(comparison[1] as unknown, {measure: 'top-4', mean: 1, other: 1, difference: 0, p: 1, corrected: 1});
});

test('measures can be given in several ways, and a run of passages is evaluated by qrels of documents', async t => {
	const {run, judgments} = await files(t, {run: 'q Q0 d1#0 1 3 t\nq Q0 d1#1 2 2 t\nq Q0 d2#0 3 1 t', judgments: 'q 0 d2 1'});
	const args = ['--run', run!, '--qrels', judgments!];
	const [repeated, separated] = [
		await evaluate(...args, '--measures', 'RR', '--measures', 'P@1,R@2'),
		await evaluate(...args, '--measures', 'RR', 'P@1', 'R@2'),
	];
	t.is(repeated.stdout, separated.stdout);
	t.regex(repeated.stdout, /RR +0\.0000\nP@1 +0\.0000\nR@2 +0\.0000/u);
	t.regex(repeated.stderr, /warning: no hit of the run is judged: expected ids such as "d2", got ids such as "d1#0"; with --documents/u);
	const documents = await evaluate(...args, '--documents', '--measures', 'RR');
	t.regex(documents.stdout, /RR +0\.5000/u);
	t.notRegex(documents.stderr, /warning/u);
	t.regex((await evaluate(...args)).stdout, /nDCG@10 .*\nR@100/u);
});
