// Tests that the public evaluation functions agree with the outputs of other tools. The outputs are files that cannot be published; where
// they are missing, the tests are skipped. Files that can be published are in test/golden, and tests of the Rust crates compare with them.
import {readFile} from 'node:fs/promises';
import {gunzipSync} from 'node:zlib';
import {type Measure, RetrievalError, evaluate, exactMatch, f1, hasAnswer, readQrels, readTrecRun} from '../../ts/index.ts';
import {testWithShared} from '../support/shared-tests.ts';

/** Returns the lines of a gzip file. */
async function lines(path: string): Promise<string[]> {
	return gunzipSync(await readFile(path))
		.toString()
		.trimEnd()
		.split('\n');
}

const hasAnswerFile = ['reference/golden/has_answer.jsonl.gz'] as const;
testWithShared('hasAnswer agrees with Pyserini, both for plain answers and for regular expressions', hasAnswerFile, async (t, path) => {
	const golden = await lines(path);
	t.is(golden.length, 1645);
	let [patterns, refused] = [0, 0];
	const wrong: string[] = [];
	for (const line of golden) {
		const {text, answers, regex, expected} = JSON.parse(line) as {text: string; answers: string[]; regex: boolean; expected: boolean};
		patterns += Number(regex);
		try {
			if (hasAnswer(text, answers, regex ? 'pattern' : 'text') !== expected) {
				wrong.push(line);
			}
		} catch (error) {
			// Python rejects these patterns too, and Pyserini counts them as no match.
			t.true(error instanceof RetrievalError && error.code === 'ERR_ARGUMENT' && regex && !expected, line);
			refused++;
		}
	}
	t.deepEqual(wrong, []);
	t.deepEqual([patterns, refused], [634, 3]);
});

const squadFile = ['reference/golden/squad-em-f1-per-question.jsonl.gz'] as const;
testWithShared('exact match and F1 agree with the SQuAD script for every question', squadFile, async (t, path) => {
	const golden = await lines(path);
	t.is(golden.length, 7724);
	const wrong = golden.filter(line => {
		const expected = JSON.parse(line) as {prediction: string; answers: string[]; em: number; f1: number};
		const {prediction, answers} = expected;
		return Number(exactMatch(prediction, answers)) !== expected.em || f1(prediction, answers) !== expected.f1;
	});
	t.deepEqual(wrong, []);
});

const trecEvalFiles = [
	'reference/trec_eval/results.test.gz',
	'reference/trec_eval/qrels.test.gz',
	'reference/trec_eval/out.test.aq.gz',
] as const;
testWithShared(
	'measures agree with trec_eval in all printed digits, for every query and for the mean',
	trecEvalFiles,
	async (t, run, qrels, output) => {
		const printed = await lines(output);
		const cutoffs = [5, 10, 15, 20, 30, 100, 200, 500, 1000];
		// Maps each measure's name in trec_eval to its name here.
		const ours = new Map<string, Measure>([
			['map', 'AP'],
			['recip_rank', 'RR'],
			['ndcg', 'nDCG'],
			...[1, 5, 10].map(k => [`success_${k}`, `Success@${k}`] as const),
			...cutoffs.flatMap(
				k =>
					[
						[`P_${k}`, `P@${k}`],
						[`recall_${k}`, `R@${k}`],
						[`ndcg_cut_${k}`, `nDCG@${k}`],
						[`map_cut_${k}`, `AP@${k}`],
					] as const,
			),
		]);
		const {mean, perQuery} = await evaluate(await readTrecRun(run), await readQrels(qrels), [...ours.values()]);
		let compared = 0;
		for (const line of printed) {
			const [name, query, value] = line.split(/\s+/u);
			const measure = ours.get(name!);
			if (measure !== undefined) {
				t.is((query === 'all' ? mean : perQuery.get(query!)!)[measure]!.toFixed(4), value!, line);
				compared++;
			}
		}
		t.is(compared, 4 * ours.size, 'three queries and the mean are compared');
	},
);
