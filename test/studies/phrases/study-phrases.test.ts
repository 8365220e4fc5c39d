// Runs a small phrase study (Yang et al., 2023), and recomputes its results from the TREC runs that it writes.
import {cp, mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {
	Bm25Index,
	OnnxEncoder,
	type Passage,
	PassageStore,
	PhraseSegmenter,
	type Question,
	type Run,
	candidateLists,
	encyclopedia,
	hasAnswer,
	readPassages,
	readQrels,
	readQuestions,
	readTrecRun,
} from '../../../ts/index.ts';
import {type PhraseStudyOptions, studyPhrases} from '../../../ts/studies/index.ts';
import {replaceAnswersByPatterns} from '../../support/pattern-answers.ts';

/** The options of a small study. Some tests override some of them. */
const options: PhraseStudyOptions = {name: 'Encyclopedia', encoder: 'tiny-encoder', sentences: [1, 3], maxQuestions: 24, seed: 5};

/** Creates a folder that is removed when the test ends. */
async function temporaryFolder(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-phrases-'));
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
	const names = [
		'results.json',
		'report.md',
		'report.html',
		'configuration.json',
		'runs/M3.trec',
		'runs/M3.phrases.trec',
		'candidates/M1.trec',
		'candidates/M1.phrases.trec',
	];
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

/** Returns the share of questions whose gold passage has a higher score than all other candidates. */
function accuracyOf(run: Run, gold: ReadonlyMap<string, string>, questions: readonly Question[]): number {
	const right = questions.filter(({id}) => {
		const hits = run.get(id)!;
		const goldScore = hits.find(hit => hit.id === gold.get(id))?.score ?? Number.NEGATIVE_INFINITY;
		return hits.every(hit => hit.id === gold.get(id) || hit.score < goldScore) && goldScore > Number.NEGATIVE_INFINITY;
	});
	return right.length / questions.length;
}

test('a study gives the same results when it is run again or resumed, and its results can be recomputed from its TREC runs', async t => {
	t.timeout(180_000);
	const {data, folder} = await dataset(t);
	const uninterrupted = join(folder, 'uninterrupted');
	const stages = new Set<string>();
	const study = await studyPhrases(data, uninterrupted, {...options, onProgress: ({stage}) => stages.add(stage)});
	t.true(
		['encode M1', 'encode M0', 'search M3', 'phrases M1', 'candidates M0', 'candidate phrases M3', 'fuse candidates', 'fuse all'].every(
			stage => stages.has(stage),
		),
		[...stages].join(', '),
	);
	const contents = await contentsOf(uninterrupted);
	t.deepEqual(JSON.parse(contents['results.json']!), JSON.parse(JSON.stringify(study)));

	// Repeating the study changes nothing.
	t.deepEqual(await studyPhrases(data, uninterrupted, options), study);
	t.deepEqual(await contentsOf(uninterrupted), contents);

	// In another folder, the study is stopped once while it encodes, and twice while it ranks candidates.
	const stopped = join(folder, 'stopped');
	for (const stoppingStage of ['encode M3', 'candidates M3', 'candidate phrases M0']) {
		const controller = new AbortController();
		const reason = new Error(`stopped in stage ${stoppingStage}`);
		await t.throwsAsync(
			studyPhrases(data, stopped, {
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
	t.deepEqual(await studyPhrases(data, stopped, options), study);
	t.deepEqual(await contentsOf(stopped), contents);

	// Recomputes the ranking of candidates by one model. A passage's score is the highest inner product of the question's
	// vector with the normalized vector of one of the passage's phrases.
	const development = await sampledQuestions(join(data, 'questions.dev.jsonl'), 24);
	const testQuestions = await sampledQuestions(join(data, 'questions.test.jsonl'), 24);
	t.deepEqual([study.questions.development, study.questions.test, study.questions.split], [24, 24, 'files']);
	const passages: Passage[] = [];
	for await (const passage of readPassages(join(data, 'articles'))) {
		passages.push(passage);
	}
	const qrels = await readQrels(join(data, 'qrels.txt'));
	await using bm25 = await Bm25Index.open(join(uninterrupted, 'collection', 'bm25'));
	const {lists} = await candidateLists(
		[...development, ...testQuestions],
		qrels,
		bm25,
		passages.map(({id}) => id),
		{seed: 5},
	);
	const gold = new Map([...lists].map(([id, {gold}]) => [id, gold]));
	await using encoder = await OnnxEncoder.load('tiny-encoder');
	const segmenter = await PhraseSegmenter.open({sentences: 3});
	// Encodes each phrase separately, as the study does, because vectors of int8 models depend on the other texts of
	// their batch.
	const phrases: Array<{id: string; name: string; vector: Float32Array}> = [];
	for (let start = 0; start < passages.length; start += 128) {
		const slice = passages
			.slice(start, start + 128)
			.flatMap(({id, text, title}) =>
				segmenter.segment(text).map(({text, start, end}) => ({id, name: `${id}:${start}-${end}`, text, title: title!})),
			);
		const {data: vectors, dim} = await encoder.encode(slice, {batchTokens: 1});
		phrases.push(...slice.map(({id, name}, row) => ({id, name, vector: vectors.slice(row * dim, (row + 1) * dim)})));
	}
	// The encoder's vectors do not have length 1, so normalized and unnormalized scores differ.
	t.like(study.models[1], {phrases: phrases.length, unitLength: false});
	const run = await readTrecRun(join(uninterrupted, 'candidates', 'M3.trec'));
	// The scores from which a confidence is computed (A_k in the paper): the question's 30 highest inner products with unnormalized
	// phrase vectors. `candidates` has those of the candidates' phrases, `runs` those of the phrases of all passages.
	const topPhrases = {
		candidates: await readTrecRun(join(uninterrupted, 'candidates', 'M3.phrases.trec')),
		runs: await readTrecRun(join(uninterrupted, 'runs', 'M3.phrases.trec')),
	};
	for (const {id, text} of testQuestions.slice(0, 6)) {
		const {data: question} = await encoder.encode([text]);
		t.is(run.get(id)!.length, 31);
		const products = phrases.map(({id, name, vector}) => ({
			id,
			name,
			score: vector.reduce((sum, value, i) => sum + value * question[i]!, 0),
		}));
		for (const [kind, among] of [
			['candidates', products.filter(phrase => lists.get(id)!.ids.includes(phrase.id))],
			['runs', products],
		] as const) {
			const expected = among.toSorted((a, b) => b.score - a.score).slice(0, 30);
			const found = topPhrases[kind].get(id)!;
			t.is(found.length, 30);
			t.true(
				found.every(({score}, i) => Math.abs(score - expected[i]!.score) < 1e-5 * score),
				`${kind}: ${id}`,
			);
			const scoreByName = new Map(among.map(({name, score}) => [name, score]));
			t.true(found.every(({id, score}) => Math.abs(score - scoreByName.get(id)!) < 1e-5 * score));
		}
		for (const hit of run.get(id)!) {
			t.true(lists.get(id)!.ids.includes(hit.id));
			const scores = phrases
				.filter(phrase => phrase.id === hit.id)
				.map(({vector}) => vector.reduce((sum, value, i) => sum + value * question[i]!, 0) / Math.hypot(...vector));
			t.true(Math.abs(hit.score - Math.max(...scores)) < 1e-5 * hit.score, `${hit.id}: ${hit.score}, ${Math.max(...scores)}`);
		}
	}

	// Recomputes the accuracies in Tables 2 and 3 of the report from the runs.
	const {candidates} = study;
	const valueOf = (condition: string): number => candidates.rows.find(row => row.condition === condition)!.values[0]!;
	const runs = new Map<string, Run>();
	for (const name of ['M1', 'M3', 'M0', 'BM25']) {
		runs.set(name, await readTrecRun(join(uninterrupted, 'candidates', `${name}.trec`)));
		t.is(valueOf(name === 'BM25' ? 'bm25' : name), accuracyOf(runs.get(name)!, gold, testQuestions), name);
	}
	for (const {name, development: accuracy} of candidates.models) {
		t.is(accuracy, accuracyOf(runs.get(name)!, gold, development));
	}
	t.is(candidates.size, 31);
	t.deepEqual(candidates.selected.toSorted(), ['M0', 'M1', 'M3']);
	// Recomputes MUF (model uncertainty fusion), which takes each question's hits from the model with the highest
	// confidence. Confidences are computed from phrase scores. The models share a temperature, except in `mufOwn`, where
	// each model has its own.
	const phraseRuns = new Map<string, Run>();
	for (const name of candidates.selected) {
		phraseRuns.set(name, await readTrecRun(join(uninterrupted, 'candidates', `${name}.phrases.trec`)));
	}
	/**
	The odds against a model's first passage: (1 − C) / C for confidence C. They differ even between confidences that both
	round to 1.
	*/
	const oddsAgainst = (name: string, id: string, temperature: number): number => {
		const [best, ...others] = phraseRuns
			.get(name)!
			.get(id)!
			.map(({score}) => score);
		return others.reduce((sum, score) => sum + Math.exp((score - best!) / temperature), 0);
	};
	const confidence = (name: string, id: string, temperature: number): number => 1 / (1 + oddsAgainst(name, id, temperature));
	const fused = (temperatureOf: (name: string) => number): Run =>
		new Map(
			testQuestions.map(({id}) => {
				const [best] = candidates.selected
					.map(name => ({name, odds: oddsAgainst(name, id, temperatureOf(name))}))
					.toSorted((a, b) => a.odds - b.odds);
				return [id, runs.get(best!.name)!.get(id)!] as const;
			}),
		);
	const {temperatures} = candidates;
	t.is(
		valueOf('muf'),
		accuracyOf(
			fused(() => temperatures.descent),
			gold,
			testQuestions,
		),
	);
	t.is(
		valueOf('mufSearch'),
		accuracyOf(
			fused(() => temperatures.search),
			gold,
			testQuestions,
		),
	);
	t.is(
		valueOf('mufPlain'),
		accuracyOf(
			fused(() => 1),
			gold,
			testQuestions,
		),
	);
	t.is(
		valueOf('mufOwn'),
		accuracyOf(
			fused(name => candidates.models.find(model => model.name === name)!.temperature),
			gold,
			testQuestions,
		),
	);
	// The common temperature is the one at which gradient descent from 0.1 ends. The descent minimizes the calibration
	// error E of the fused predictions.
	t.true(
		Math.abs(temperatures.descent - temperatureByDescent()) < 1e-6 * temperatures.descent,
		`${temperatures.descent} and ${temperatureByDescent()}`,
	);
	t.is(candidates.curve.find(({start}) => start === 0.1)!.temperature, temperatures.descent);

	/**
	Returns the temperature T after up to 100 steps of T ← T − 100 · dE/dT from T = 0.1, with dE/dT from finite
	differences. If a step would lead to 0 or below, T is halved instead.
	*/
	function temperatureByDescent(): number {
		const predict = (id: string, temperature: number): {confidence: number; right: number} => {
			const models = candidates.selected.map(name => ({name, odds: oddsAgainst(name, id, temperature)}));
			const {name, odds} = models.reduce((a, b) => (b.odds < a.odds ? b : a));
			return {confidence: 1 / (1 + odds), right: Number(accuracyOf(runs.get(name)!, gold, [{id} as Question]) === 1)};
		};
		let temperature = 0.1;
		for (let step = 0; step < 100; step++) {
			const epsilon = temperature * 1e-6;
			const bins = new Map<number, {count: number; gap: number; slope: number}>();
			for (const {id} of development) {
				const {confidence: predicted, right} = predict(id, temperature);
				const model = candidates.selected.reduce((a, b) => (oddsAgainst(b, id, temperature) < oddsAgainst(a, id, temperature) ? b : a));
				const slope = (confidence(model, id, temperature + epsilon) - confidence(model, id, temperature - epsilon)) / (2 * epsilon);
				const bin = Math.min(Math.floor(predicted * 10), 9);
				const {count, gap, slope: sum} = bins.get(bin) ?? {count: 0, gap: 0, slope: 0};
				bins.set(bin, {count: count + 1, gap: gap + predicted - right, slope: sum + slope});
			}
			const slope = [...bins.values()].reduce((sum, {count, gap, slope}) => sum + (2 / development.length) * (gap / count) * slope, 0);
			const next = temperature - 100 * slope;
			if (next === temperature) {
				break;
			}
			temperature = next > 0 ? next : temperature / 2;
		}
		return temperature;
	}
	t.is(
		Object.values(candidates.chosen).reduce((sum, count) => sum + count, 0),
		24,
	);
	t.is(candidates.curve.length, 25);

	// If confidences are computed from passage scores, the rankings of BM25 and of the models stay the same, but the
	// fitted temperatures differ.
	const byPassageScores = await studyPhrases(data, join(folder, 'passages'), {...options, confidenceOf: 'passages'});
	t.deepEqual(byPassageScores.candidates.rows.slice(0, 4), candidates.rows.slice(0, 4));
	t.is(byPassageScores.settings.confidenceOf, 'passages');
	t.notDeepEqual(byPassageScores.candidates.temperatures, candidates.temperatures);

	// A folder with the run of another configuration is refused.
	const error = await t.throwsAsync(studyPhrases(data, uninterrupted, {...options, seed: 6}), {code: 'ERR_ARGUMENT'});
	t.regex(error.message, /expected a run of this configuration, got one with a different settings\.seed: 5 there, 6 here/u);
});

test('without qrels, the passages that questions were written for are relevant, and the split keeps the questions of a document together', async t => {
	t.timeout(120_000);
	const folder = await temporaryFolder(t);
	const store = new Map<string, Passage>();
	for await (const passage of readPassages(encyclopedia().articles)) {
		store.set(passage.id, passage);
	}
	// Creates a SQuAD file: articles have paragraphs, and paragraphs have questions, some of which are unanswerable. The
	// file has every third of the 168 test questions, 56 in all.
	const articles = new Map<
		string,
		Map<string, Array<{id: string; question: string; answers: Array<{text: string; answer_start: number}>}>>
	>();
	for (const {id, text, answers, passage} of (await encyclopedia().questions('test')).filter((_, i) => i % 3 === 0)) {
		const title = store.get(passage)!.title!;
		const paragraphs = articles.get(title) ?? new Map();
		const qas = paragraphs.get(passage) ?? [];
		articles.set(title, paragraphs.set(passage, [...qas, {id, question: text, answers: answers.map(text => ({text, answer_start: 0}))}]));
		if (qas.length === 0) {
			paragraphs.get(passage)!.push({id: `${id}-impossible`, question: text, answers: []});
		}
	}
	const data = [...articles].map(([title, paragraphs]) => ({
		title,
		paragraphs: [...paragraphs].map(([id, qas]) => ({context: store.get(id)!.text, qas})),
	}));
	const path = join(folder, 'dev.json');
	await writeFile(path, JSON.stringify({version: '2.0', data}));
	const study = await studyPhrases(path, join(folder, 'study'), {encoder: 'tiny-encoder', tokens: [20]});
	t.deepEqual(
		study.models.map(({name, length}) => [name, length]),
		[
			['M20t', {tokens: 20}],
			['M0', 'passage'],
		],
	);
	t.like(study.relevance, {from: 'contexts', perQuestion: 1, graded: false});
	t.like(study.questions, {split: 'documents', without: 0, development: 56 - study.questions.test});
	t.is(study.dataset, 'dev');
	// About a third of 56 questions are for development; the questions of an article are kept together.
	t.true(Math.abs(study.questions.development - 56 / 3) <= 3, String(study.questions.development));
	t.is(study.corpus.count, data.flatMap(({paragraphs}) => paragraphs).length);
	// A question has fewer than 31 candidates if BM25 finds fewer than ten passages besides its gold passage.
	const bm25 = await readTrecRun(join(folder, 'study', 'runs', 'BM25.trec'));
	// The file has 56 answerable questions and at most as many unanswerable ones, so a sample of 112 has every question.
	const gold = new Map((await sampledQuestions(path, 112)).map(({id, context}) => [id, context!.id]));
	const short = [...bm25].filter(([id, hits]) => hits.filter(hit => hit.id !== gold.get(id)).length < 10);
	t.true(short.length > 0 && study.corpus.count > 31);
	t.is(study.candidates.short, short.length);
	t.deepEqual(study.retrieval.measures, ['top-1', 'top-5', 'top-20', 'top-100', 'MRR']);
});

test('without qrels or contexts, passages that contain an answer are relevant, and the gold passage is the only candidate that contains one', async t => {
	t.timeout(120_000);
	const {data, folder} = await dataset(t);
	await rm(join(data, 'qrels.txt'));
	const output = join(folder, 'study');
	const study = await studyPhrases(data, output, {...options, sentences: [5], random: 8, negatives: 4});
	t.is(study.relevance.from, 'answers');
	t.is(study.questions.development + study.questions.test + study.questions.without, 48);
	t.true(study.questions.without < 12, String(study.questions.without));
	const store = await PassageStore.open(join(output, 'collection', 'passages.pkstore'));
	const run = await readTrecRun(join(output, 'candidates', 'M0.trec'));
	const supervision = await readTrecRun(join(output, 'runs', 'supervision.trec'));
	const dense = await readTrecRun(join(output, 'runs', 'M5.trec'));
	let correctCount = 0;
	const questions = await sampledQuestions(join(data, 'questions.test.jsonl'), 24);
	for (const {id, answers} of questions.filter(({id}) => run.has(id))) {
		const candidates = await store.get(run.get(id)!.map(hit => hit.id));
		// The gold passage, 4 hard negatives and 8 random passages.
		t.is(candidates.length, 13);
		const withAnswer = candidates.filter(({text}) => hasAnswer(text, answers));
		t.is(withAnswer.length, 1);
		// When BM25 searches for a question together with its first answer, the first hit that contains an answer is the
		// gold passage.
		const texts = await store.get(supervision.get(id)!.map(hit => hit.id));
		t.is(withAnswer[0]!.id, texts.find(({text}) => hasAnswer(text, answers))!.id);
		const [first] = await store.get([dense.get(id)![0]!.id]);
		correctCount += Number(hasAnswer(first!.text, answers));
	}
	store.close();
	// When all passages are ranked, a first hit is correct if it contains an answer.
	const row = study.retrieval.rows.find(({condition}) => condition === 'M5')!;
	t.is(row.values[0], correctCount / study.questions.test);

	// The same with regular expressions that match the answers.
	for (const split of ['dev', 'test']) {
		await replaceAnswersByPatterns(join(data, `questions.${split}.jsonl`));
	}
	const withPatterns = join(folder, 'patterns');
	const patterns = await studyPhrases(data, withPatterns, {
		...options,
		sentences: [5],
		random: 8,
		negatives: 4,
		answerKind: 'pattern',
	});
	t.is(patterns.settings.answers, 'pattern');
	t.is(patterns.questions.without, study.questions.without);
	t.is(patterns.retrieval.rows.find(({condition}) => condition === 'M5')!.values[0], row.values[0]);
	t.regex(await readFile(join(withPatterns, 'report.md'), 'utf8'), /Accepted answers\W+regular expressions/u);
});

test('invalid data sets and settings are refused, with errors that say what was expected', async t => {
	const {data, folder} = await dataset(t);
	const output = join(folder, 'study');
	await t.throwsAsync(studyPhrases(join(folder, 'nowhere'), output), {
		code: 'ERR_IO',
		message: /expected a folder with a corpus and questions, or a file/u,
	});
	await t.throwsAsync(studyPhrases(data, output, {sentences: []}), {
		code: 'ERR_ARGUMENT',
		message: /^sentences: expected at least one length of phrases/u,
	});
	await t.throwsAsync(studyPhrases(data, output, {sentences: [3, 3]}), {message: 'sentences: expected each length once, got 3, 3'});
	await t.throwsAsync(studyPhrases(data, output, {tokens: [0]}), {message: 'tokens: expected a whole number of at least 1, got 0'});
	await t.throwsAsync(studyPhrases(data, output, {confidenceOf: 'words' as 'phrases'}), {
		message: 'confidenceOf: expected one of phrases, passages, got "words"',
	});
	await t.throwsAsync(studyPhrases(data, output, {significance: 1}), {message: 'significance: expected a number between 0 and 1, got 1'});
	await rm(join(data, 'questions.dev.jsonl'));
	await cp(join(data, 'questions.test.jsonl'), join(data, 'questions.more.jsonl'));
	await t.throwsAsync(studyPhrases(data, output), {
		code: 'ERR_ARGUMENT',
		message: /expected one file with questions, .* got .*questions\.more\.jsonl and .*give its path with --queries/u,
	});
	await rm(join(data, 'articles'), {recursive: true});
	await t.throwsAsync(studyPhrases(data, output), {code: 'ERR_ARGUMENT', message: /expected one file with the corpus, .* got none among/u});
});
