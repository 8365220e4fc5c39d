// Runs a small replication study (Ma et al., 2021), and recomputes its results from the TREC runs that it writes.
import {cp, mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {packageRoot} from '../../../ts/core/native/addon.ts';
import {
	Collection,
	ExtractiveReader,
	PassageStore,
	type Question,
	encyclopedia,
	exactMatch,
	hasAnswer,
	readPassages,
	readQuestions,
	readTrecRun,
} from '../../../ts/index.ts';
import {type ReplicateOptions, replicate} from '../../../ts/studies/index.ts';

/** The options of a small study. Some tests override some of them. */
const options: ReplicateOptions = {
	name: 'Encyclopedia',
	encoder: 'tiny-encoder',
	reader: 'tiny-reader',
	depth: 60,
	ks: [1, 5],
	passagesRead: 5,
	maxDevelopmentQuestions: 14,
	maxTestQuestions: 18,
};

/** Creates a folder with a data set: articles, development questions and test questions of the bundled encyclopedia. */
async function dataset(t: ExecutionContext): Promise<{data: string; folder: string}> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-replicate-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const data = join(folder, 'data');
	await mkdir(data);
	await cp(encyclopedia().articles, join(data, 'articles'), {recursive: true});
	for (const split of ['dev', 'test']) {
		await cp(join(encyclopedia().articles, '..', `questions.${split}.jsonl`), join(data, `questions.${split}.jsonl`));
	}
	return {data, folder};
}

/** Reads the output files that must be identical each time the study is repeated. */
async function contentsOf(output: string): Promise<Record<string, string>> {
	const names = ['report.json', 'report.md', 'report.html', 'configuration.json', 'runs/test.dense.trec', 'runs/test.bm25.trec'];
	return Object.fromEntries(await Promise.all(names.map(async name => [name, await readFile(join(output, name), 'utf8')])));
}

test('a study gives the same results when it is run again or resumed, and its results can be recomputed from its TREC runs', async t => {
	t.timeout(180_000);
	const {data, folder} = await dataset(t);
	const uninterrupted = join(folder, 'uninterrupted');
	const stages = new Set<string>();
	const study = await replicate(data, uninterrupted, {...options, onProgress: ({stage}) => stages.add(stage)});
	t.true(
		['encode', 'search dense, test', 'look for answers', 'read hybrid, test'].every(stage => stages.has(stage)),
		[...stages].join(', '),
	);
	const contents = await contentsOf(uninterrupted);
	t.deepEqual(JSON.parse(contents['report.json']!), JSON.parse(JSON.stringify(study)));

	// Repeating the study changes nothing.
	t.deepEqual(await replicate(data, uninterrupted, options), study);
	t.deepEqual(await contentsOf(uninterrupted), contents);

	// In another folder, the study is stopped while the reader reads passages.
	const stopped = join(folder, 'stopped');
	const controller = new AbortController();
	const reason = new Error('stopped while reading');
	await t.throwsAsync(
		replicate(data, stopped, {
			...options,
			signal: controller.signal,
			onProgress({stage, done}) {
				if (stage.startsWith('read dense, test') && done > 20) {
					controller.abort(reason);
				}
			},
		}),
		{is: reason},
	);
	await t.throwsAsync(readFile(join(stopped, 'report.json')), {code: 'ENOENT'});
	t.deepEqual(await replicate(data, stopped, options), study);
	t.deepEqual(await contentsOf(stopped), contents);

	// Recomputes one value of Table 1: the top-5 accuracy of BM25.
	const questions: Question[] = [];
	for await (const question of readQuestions(join(data, 'questions.test.jsonl'))) {
		questions.push(question);
	}
	const testQuestions = Array.from({length: 18}, (_, i) => questions[Math.floor((i * questions.length) / 18)]!);
	const store = await PassageStore.open(join(uninterrupted, 'collection', 'passages.pkstore'));
	const bm25 = await readTrecRun(join(uninterrupted, 'runs/test.bm25.trec'));
	let found = 0;
	for (const {id, answers} of testQuestions) {
		const passages = await store.get(
			bm25
				.get(id)!
				.slice(0, 5)
				.map(hit => hit.id),
		);
		found += Number(passages.some(({text}) => hasAnswer(text, answers)));
	}
	t.is(study.retrieval.rows.find(row => row.condition === 'bm25')!.accuracy[1], found / 18);

	// Recomputes a cell of Table 3 with the reader.
	const cell = study.reading!.rows.find(row => row.retriever === 'bm25')!.cells.find(({scoring}) => scoring === 'GAR*')!;
	await using reader = await ExtractiveReader.load('tiny-reader');
	let right = 0;
	for (const {id, text, answers} of testQuestions) {
		const hits = bm25.get(id)!.slice(0, cell.passages);
		const passages = (await store.get(hits.map(hit => hit.id))).map((passage, i) => ({...passage, score: hits[i]!.score}));
		const [answer] = await reader.read(text, passages, {scoring: 'normalized', evidence: {beta: cell.beta, gamma: cell.gamma}});
		right += Number(answer !== undefined && exactMatch(answer.text, answers));
	}
	t.is(cell.exactMatch, right / 18);
	store.close();

	// The accuracy curves contain the values of Table 1.
	for (const [row, {condition, accuracy}] of study.retrieval.rows.entries()) {
		const line = study.retrieval.curves.lines[row]!;
		t.deepEqual([line.condition, line.accuracy[0], line.accuracy[4]], [condition, accuracy[0], accuracy[1]]);
	}
	t.deepEqual(study.retrieval.curves.ks.length, 60);
	// Each family of tests has the expected number of tests. Retrieval: six pairs of conditions at 2 cut-offs, two pairs
	// with Hybrid-orig (the hybrid of Karpukhin et al., 2020) at 2 cut-offs, and overlaps of lists of 4 lengths.
	t.deepEqual([study.retrieval.comparisons.length, study.retrieval.addedComparisons.length, study.overlapComparisons.length], [12, 4, 4]);
	// Reading: four pairs of span scorings for each of 3 retrievers, two further claims, and the seven curves of the
	// paper's Figure 1.
	t.deepEqual([study.reading!.comparisons.length, study.reading!.textComparisons.length, study.reading!.curveTests.length], [12, 2, 7]);
	t.deepEqual([study.settings.depth, study.settings.dprDepth], [60, 120]);

	// A folder with the run of another configuration is refused.
	const error = await t.throwsAsync(replicate(data, uninterrupted, {...options, depth: 61}), {code: 'ERR_ARGUMENT'});
	t.regex(error.message, /expected a run of this configuration, got one with a different settings\.depth: 60 there, 61 here/u);
});

test('a retrieval-only study needs no reader, λ is tuned for unit vectors, answers may be regular expressions, and an invalid data set is refused', async t => {
	t.timeout(60_000);
	const {data, folder} = await dataset(t);
	// If the encoder's vectors have unit length, λ, the weight of dense scores in Hybrid-orig, is tuned: 1 / α is tried
	// for each α from 0.005 to 0.2 in steps of 0.005.
	const encoder = join(folder, 'unit-encoder');
	await cp(join(packageRoot, 'models', 'tiny-encoder'), encoder, {recursive: true});
	const config = JSON.parse(await readFile(join(encoder, 'config.json'), 'utf8')) as object;
	await writeFile(join(encoder, 'config.json'), JSON.stringify({...config, passagekit: {normalize: true}}));
	const study = await replicate(data, join(folder, 'retrieval'), {...options, encoder, reader: false});
	const dprHybrid = study.retrieval.rows.find(({condition}) => condition === 'dprHybrid')!;
	t.deepEqual([dprHybrid.tuning!.length, dprHybrid.tuning![0]!.weight, dprHybrid.tuning!.at(-1)!.weight], [40, 200, 5]);
	const best = Math.max(...dprHybrid.tuning!.map(({accuracy}) => accuracy));
	t.is(dprHybrid.tuning!.find(({weight}) => weight === dprHybrid.weight)!.accuracy, best);
	t.true((await readFile(join(folder, 'retrieval', 'report.md'), 'utf8')).includes('tuned on development questions'));
	t.is(study.reading, undefined);
	t.is(study.models.reader, null);
	t.is(study.retrieval.rows.length, 5);
	const patterns = await replicate(data, join(folder, 'patterns'), {...options, answerKind: 'pattern'});
	t.is(patterns.settings.answers, 'pattern');
	t.true(
		patterns.reading!.rows.every(({cells}) => cells.every(cell => !('f1' in cell))),
		'F1 is not defined for patterns',
	);
	t.deepEqual(
		study.overlap.map(({k}) => k),
		[20, 100, 500, 1000],
	);

	await rm(join(data, 'questions.dev.jsonl'));
	const output = join(folder, 'none');
	await t.throwsAsync(replicate(data, output, options), {
		code: 'ERR_ARGUMENT',
		message: `${data}: expected one file with development questions, with "dev" in the name, got none among articles, questions.test.jsonl; give its path with --development`,
	});
	const same = {...options, development: join(data, 'questions.test.jsonl')};
	await t.throwsAsync(replicate(data, output, same), {
		code: 'ERR_FORMAT',
		message: /expected other questions than in .*, which are used for tuning or training, got \d+ of 14 that are in both/u,
	});
	await writeFile(join(data, 'dev.jsonl'), '{"question": "Who?", "answers": []}\n');
	await t.throwsAsync(replicate(data, output, options), {code: 'ERR_FORMAT', message: /expected questions with answers, got none/u});
	await t.throwsAsync(replicate(data, output, {...options, significance: 1}), {code: 'ERR_ARGUMENT'});
	await t.throwsAsync(replicate(data, output, {...options, ks: [5, 1, 5]}), {message: 'ks: expected distinct cut-offs, got 5, 1, 5'});
	await t.throwsAsync(replicate(join(folder, 'nowhere'), output, options), {code: 'ERR_IO', message: /expected a folder with a corpus/u});
});

test('files and models in the formats of DPR can be used: passages, questions, two encoders and a reader', async t => {
	t.timeout(120_000);
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-replicate-dpr-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const data = join(folder, 'nq');
	await mkdir(data);
	const lines = ['id\ttext\ttitle'];
	for await (const {text, title} of readPassages(encyclopedia().articles)) {
		lines.push(`${lines.length}\t"${text.replaceAll('"', '""').replaceAll(/\s+/gu, ' ')}"\t${title}`);
	}
	await writeFile(join(data, 'psgs_w100.tsv'), `${lines.join('\n')}\n`);
	for (const [split, name] of [
		['dev', 'nq-dev.qa.csv'],
		['test', 'nq-test.qa.csv'],
	] as const) {
		const questions = await encyclopedia().questions(split);
		await writeFile(join(data, name), questions.map(({text, answers}) => `${text}\t${JSON.stringify(answers)}\n`).join(''));
	}
	const copyModel = async (name: string, source: string, changes: object): Promise<string> => {
		const path = join(folder, name);
		await cp(join(packageRoot, 'models', source), path, {recursive: true});
		const config = JSON.parse(await readFile(join(path, 'config.json'), 'utf8')) as object;
		await writeFile(join(path, 'config.json'), JSON.stringify({...config, ...changes}));
		return path;
	};
	const pooling = {pooling: 'cls', normalize: false};
	const collection = join(folder, 'collection');
	const [encoder, questionEncoder, reader] = [
		await copyModel('ctx_encoder', 'tiny-encoder', {passagekit: {...pooling, max_tokens: 200}}),
		await copyModel('question_encoder', 'tiny-encoder', {passagekit: {...pooling, max_tokens: 48}}),
		await copyModel('reader', 'tiny-reader', {model_type: 'dpr'}),
	];
	// The collection is built in advance, as one would do for a corpus of millions of passages.
	await (await Collection.build(join(data, 'psgs_w100.tsv'), collection, {encoder, questionEncoder})).close();

	const study = await replicate(data, join(folder, 'study'), {
		...options,
		name: 'NQ',
		collection,
		encoder,
		questionEncoder,
		reader,
	});
	t.is(study.models.questionEncoder!.name, 'question_encoder');
	t.is(study.corpus.count, lines.length - 1);
	// The vectors do not have unit length, so the paper's weights are used: those for α are tried, and λ is 1.1.
	const tuning = study.retrieval.rows.find(({condition}) => condition === 'hybrid')!.tuning!;
	t.deepEqual([tuning.length, tuning[1]!.weight, tuning.at(-1)!.weight], [41, 0.05, 2]);
	const dprHybrid = study.retrieval.rows.find(({condition}) => condition === 'dprHybrid')!;
	t.deepEqual([dprHybrid.weight, dprHybrid.tuning], [1.1, undefined]);
	t.is(study.reading!.rows.length, 3);
	const markdown = await readFile(join(folder, 'study', 'report.md'), 'utf8');
	t.true(
		['44.0', '43.5', '6.1'].every(number => markdown.includes(number)),
		"the paper's numbers for NQ",
	);
});
