// Runs a small vocabulary study (Ram et al., 2023), and recomputes its results from the TREC runs that it writes.
import {cp, mkdir, mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {
	type Encoder,
	OnnxEncoder,
	type Passage,
	type Question,
	VocabularyProjection,
	analyzeVocabulary,
	encyclopedia,
	evaluate,
	explainMatch,
	foundBySparse,
	rankPairs,
	readPassages,
	readQrels,
	readQuestions,
	readTrecRun,
	tokenAmnesia,
} from '../../../ts/index.ts';
import {type VocabularyStudy, type VocabularyStudyOptions, studyVocabulary} from '../../../ts/studies/index.ts';
import {replaceAnswersByPatterns} from '../../support/pattern-answers.ts';

/** The options of a small study. Some tests override some of them. */
const options: VocabularyStudyOptions = {name: 'Encyclopedia', encoder: 'tiny-encoder', maxQuestions: 24, enrichment: false};

/** Creates a folder that is removed when the test ends. */
async function temporaryFolder(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-vocabulary-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	return folder;
}

/** Creates a folder with a data set: articles, development questions, test questions, and qrels. */
async function dataset(t: ExecutionContext): Promise<{data: string; folder: string}> {
	const folder = await temporaryFolder(t);
	const data = join(folder, 'data');
	await mkdir(data);
	await cp(encyclopedia().articles, join(data, 'articles'), {recursive: true});
	await cp(encyclopedia().qrels, join(data, 'qrels.txt'));
	for (const split of ['dev', 'test']) {
		await cp(join(encyclopedia().articles, '..', `questions.${split}.jsonl`), join(data, `questions.${split}.jsonl`));
	}
	return {data, folder};
}

/** Reads the output files that must be identical each time the study is repeated. */
async function contentsOf(output: string): Promise<Record<string, string>> {
	const names = ['results.json', 'report.md', 'report.html', 'configuration.json', 'runs/dense.trec', 'runs/wordpiece.trec'];
	return Object.fromEntries(await Promise.all(names.map(async name => [name, await readFile(join(output, name), 'utf8')])));
}

/** Returns `count` questions of a file, taken at equal intervals as in a study. */
async function sampledQuestions(path: string, count: number): Promise<Question[]> {
	const all: Question[] = [];
	for await (const question of readQuestions(path)) {
		all.push(question);
	}
	return Array.from({length: count}, (_, i) => all[Math.floor((i * all.length) / count)]!);
}

test('a study gives the same results when it is run again or resumed, and its results can be recomputed from its TREC runs', async t => {
	t.timeout(180_000);
	const {data, folder} = await dataset(t);
	const uninterrupted = join(folder, 'uninterrupted');
	const stages = new Set<string>();
	const study = await studyVocabulary(data, uninterrupted, {...options, onProgress: ({stage}) => stages.add(stage)});
	t.true(
		['encode encoder', 'search dense', 'search wordpiece', 'project encoder', 'project baseline'].every(stage => stages.has(stage)),
		[...stages].join(', '),
	);
	const contents = await contentsOf(uninterrupted);
	t.deepEqual(JSON.parse(contents['results.json']!), JSON.parse(JSON.stringify(study)));

	// Repeating the study changes nothing.
	t.deepEqual(await studyVocabulary(data, uninterrupted, options), study);
	t.deepEqual(await contentsOf(uninterrupted), contents);

	// In another folder, the study is stopped while it encodes, and again while it projects.
	const stopped = join(folder, 'stopped');
	for (const stoppingStage of ['encode encoder', 'project encoder']) {
		const controller = new AbortController();
		const reason = new Error(`stopped in stage ${stoppingStage}`);
		await t.throwsAsync(
			studyVocabulary(data, stopped, {
				...options,
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
	t.deepEqual(await studyVocabulary(data, stopped, options), study);
	t.deepEqual(await contentsOf(stopped), contents);

	// Recomputes the retrieval results from the runs.
	const testQuestions = await sampledQuestions(join(data, 'questions.test.jsonl'), 24);
	t.deepEqual([study.questions.development, study.questions.test, study.questions.relevance], [24, 24, 'qrels']);
	const all = await readQrels(join(data, 'qrels.txt'));
	const qrels = new Map(testQuestions.map(({id}) => [id, all.get(id)!]));
	t.deepEqual(study.retrieval.measures, ['top-1', 'top-5', 'top-20', 'top-100', 'MRR', 'nDCG@10']);
	for (const {condition, values} of study.retrieval.rows) {
		const run = await readTrecRun(join(uninterrupted, 'runs', `${condition}.trec`));
		const {mean} = await evaluate(run, qrels, ['Success@1', 'Success@5', 'Success@20', 'Success@100', 'RR', 'nDCG@10']);
		for (const [i, value] of Object.values(mean).entries()) {
			t.true(Math.abs(values[i]! - value) < 1e-12, `${condition} ${study.retrieval.measures[i]}`);
		}
	}

	// Recomputes the analyses by projecting the same pairs of questions and passages again.
	const passages: Passage[] = [];
	for await (const passage of readPassages(join(data, 'articles'))) {
		passages.push(passage);
	}
	await using model = await OnnxEncoder.load('tiny-encoder');
	// Encodes each passage separately, as the study does, because vectors of int8 models depend on the other texts of
	// their batch.
	const {data: rows, dim} = await model.encode(passages, {batchTokens: 1});
	const vectors = new Map(passages.map(({text}, i) => [text, rows.slice(i * dim, (i + 1) * dim)]));
	const encoder: Encoder = {
		dim: model.dim,
		async encode(inputs) {
			const {dim} = model;
			const rows = new Float32Array(inputs.length * dim);
			inputs.forEach((input, i) => rows.set(vectors.get((input as Passage).text)!, i * dim));
			return {data: rows, rows: inputs.length, dim};
		},
	};
	const projection = await VocabularyProjection.load('tiny-encoder');
	const passageOf = new Map(passages.map(passage => [passage.id, passage]));
	const encoders = {encoder, questionEncoder: model, projection};
	const pairsOf = (passageIds: ReadonlyMap<string, string>): Parameters<typeof rankPairs>[0] =>
		testQuestions
			.filter(({id}) => passageIds.has(id))
			.map(({id, text}) => ({id, question: text, passage: passageOf.get(passageIds.get(id)!)!}));
	const gold = new Map([...qrels].map(([id, grades]) => [id, [...grades].sort(([, a], [, b]) => b - a)[0]![0]]));
	const [{analysis, amnesia}] = study.analyses as [(typeof study.analyses)[0]];
	t.is(analysis.pairs, 24);
	t.deepEqual(analysis, await analyzeVocabulary(await rankPairs(pairsOf(gold), encoders)));
	const [bm25, dense] = [
		await readTrecRun(join(uninterrupted, 'runs', 'bm25.trec')),
		await readTrecRun(join(uninterrupted, 'runs', 'dense.trec')),
	];
	const {groups, withoutSharedCount} = await tokenAmnesia(
		await rankPairs(pairsOf(foundBySparse(bm25, qrels)), encoders),
		dense,
		[5, 20, 100],
	);
	t.deepEqual(amnesia, {groups, without: withoutSharedCount});
	t.deepEqual(
		study.analyses.map(({of}) => of),
		['encoder', 'baseline'],
	);
	// The baseline is static embeddings, so claims about the encoder's initialization are not tested. The study has no
	// enrichment, so there is no test of the enriched encoder.
	t.deepEqual(new Set(study.tests.claims.map(({b}) => b)), new Set(['passageOnly', 'half']));
	t.deepEqual([study.enrichment, study.settings.learningRate, study.settings.minGroup], [undefined, 0.01, 10]);

	// The examples that Table 1 and Figure 2 show have the projections of their texts.
	const {drawn, found} = study.examples;
	t.is(drawn.length, 5);
	t.is(new Set(drawn.map(({id}) => id)).size, 5);
	const questionOf = new Map(testQuestions.map(question => [question.id, question.text]));
	for (const example of [...drawn, found!]) {
		const question = questionOf.get(example.id)!;
		t.is(example.marked.question.map(({text}) => text).join(''), question);
		const passage = passageOf.get(example.passageId)!;
		const {dense: match} = await explainMatch(question, passage, encoders, {k: 20});
		t.deepEqual(
			example.question.map(({token, origin}) => [token, origin]),
			match.question.map(({token, origin}) => [token, origin]),
		);
		const rank = (dense.get(example.id) ?? []).findIndex(({id}) => id === example.passageId) + 1;
		t.is(example.denseRank, rank === 0 ? null : rank);
		t.is(example.worst?.passageRank ?? -Infinity, Math.max(...match.shared.map(({passageRank}) => passageRank)));
	}
	t.true(drawn.every(({id, passageId}) => gold.get(id) === passageId));
	t.true(found!.denseRank! <= 5);

	// A folder with the run of another configuration is refused.
	const error = await t.throwsAsync(studyVocabulary(data, uninterrupted, {...options, seed: 6}), {code: 'ERR_ARGUMENT'});
	t.regex(error.message, /expected a run of this configuration, got one with a different settings\.seed: 42 there, 6 here/u);
});

test('with enrichment, λ is chosen on development questions, and the ablations are measured as well', async t => {
	t.timeout(300_000);
	const {data, folder} = await dataset(t);
	const study = await studyVocabulary(data, join(folder, 'run'), {...options, enrichment: true, maxSteps: 10});
	t.deepEqual(
		study.retrieval.rows.map(({condition}) => condition),
		['bm25', 'wordpiece', 'dense', 'enriched', 'noIdf', 'static', 'noWhitening', 'noNormalisation'],
	);
	// All rows after the first three are conditions with enriched vectors.
	for (const {condition, tuning} of study.retrieval.rows.slice(3)) {
		const {values, lambda} = tuning!;
		t.is(values.length, study.settings.lambdas.length, condition);
		// If several values of λ are equally good, the first one is chosen. For λ = 0, every condition has the value of
		// dense retrieval.
		t.is(lambda === 0, values.indexOf(Math.max(...values)) === 0);
		t.is(values[0], study.retrieval.rows[3]!.tuning!.values[0]);
	}
	t.like(study.enrichment!, {steps: 10, tokens: 8000});
	const chosen = study.retrieval.rows[3]!.tuning!.lambda > 0;
	// Enrichment is compared with each of the 7 other conditions, unless λ = 0 was chosen.
	t.is(study.retrieval.comparisons.length, chosen ? 7 : 0);
	t.true(study.retrieval.comparisons.every(({a, measure}) => a === 'enriched' && measure === 'nDCG@10'));
	t.deepEqual(
		study.analyses.map(({of}) => of),
		['encoder', 'baseline', ...(chosen ? ['enriched'] : [])],
	);
	t.deepEqual(await studyVocabulary(data, join(folder, 'run'), {...options, enrichment: true, maxSteps: 10}), study);
});

test('accepted answers can be regular expressions', async t => {
	t.timeout(120_000);
	const {data, folder} = await dataset(t);
	await rm(join(data, 'qrels.txt'));
	const texts = await studyVocabulary(data, join(folder, 'texts'), options);
	t.is(texts.questions.relevance, 'answers');
	for (const split of ['dev', 'test']) {
		await replaceAnswersByPatterns(join(data, `questions.${split}.jsonl`));
	}
	const output = join(folder, 'patterns');
	const patterns = await studyVocabulary(data, output, {...options, answerKind: 'pattern'});
	t.is(patterns.settings.answers, 'pattern');
	const {files: _, ...expected} = texts.questions;
	t.like(patterns.questions, expected);
	const valuesOf = ({retrieval}: VocabularyStudy): object => retrieval.rows.map(({condition, values}) => ({condition, values}));
	t.deepEqual(valuesOf(patterns), valuesOf(texts));
	t.regex(await readFile(join(output, 'report.md'), 'utf8'), /Accepted answers\W+regular expressions/u);
	// As texts, they occur nowhere.
	await t.throwsAsync(studyVocabulary(data, join(folder, 'none'), options), {code: 'ERR_FORMAT', message: /got 0 and 0$/u});
	await t.throwsAsync(studyVocabulary(data, join(folder, 'none'), {...options, answerKind: 'regex' as never}), {
		code: 'ERR_ARGUMENT',
		message: /^answerKind: expected/u,
	});
});

test('invalid data sets and settings are refused, with errors that say what was expected', async t => {
	const folder = await temporaryFolder(t);
	await t.throwsAsync(studyVocabulary(join(folder, 'none'), folder), {code: 'ERR_IO'});
	const {data} = await dataset(t);
	const out = join(folder, 'out');
	await t.throwsAsync(studyVocabulary(data, out, {significance: 2}), {code: 'ERR_ARGUMENT'});
	await t.throwsAsync(studyVocabulary(data, out, {maxQuestions: 1}), {code: 'ERR_ARGUMENT'});
	await t.throwsAsync(studyVocabulary(data, out, {maxSteps: 0}), {code: 'ERR_ARGUMENT'});
	await t.throwsAsync(studyVocabulary(data, out, {learningRate: -1}), {
		code: 'ERR_ARGUMENT',
		message: 'learningRate: expected a number above 0, got -1',
	});
	await t.throwsAsync(studyVocabulary(data, out, {enrichment: 'yes' as never}), {
		code: 'ERR_ARGUMENT',
		message: 'enrichment: expected a boolean, got "yes"',
	});
});
