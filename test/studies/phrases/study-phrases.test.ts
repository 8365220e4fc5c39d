// Runs a small phrase study and recomputes its figures from its run files.
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

const options: PhraseStudyOptions = {name: 'Encyclopaedia', encoder: 'tiny-encoder', sentences: [1, 3], maxQuestions: 24, seed: 5};

async function temporary(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-phrases-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	return folder;
}

/** Creates a folder with a data set: articles, questions of two splits, and qrels. */
async function dataset(t: ExecutionContext): Promise<{data: string; folder: string}> {
	const folder = await temporary(t);
	const data = join(folder, 'data');
	await mkdir(data);
	await cp(encyclopedia().articles, join(data, 'articles'), {recursive: true});
	await cp(encyclopedia().qrels, join(data, 'qrels.txt'));
	for (const split of ['dev', 'test']) {
		await cp(join(encyclopedia().articles, '..', `questions.${split}.jsonl`), join(data, `questions.${split}.jsonl`));
	}
	return {data, folder};
}

async function bytesOf(run: string): Promise<Record<string, string>> {
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
	return Object.fromEntries(await Promise.all(names.map(async name => [name, await readFile(join(run, name), 'utf8')])));
}

/** Takes `count` evenly spaced questions of a file. */
async function asked(path: string, count: number): Promise<Question[]> {
	const all: Question[] = [];
	for await (const question of readQuestions(path)) {
		all.push(question);
	}
	return Array.from({length: count}, (_, i) => all[Math.floor((i * all.length) / count)]!);
}

/** The share of questions whose gold passage scores higher than all other candidates. */
function accuracyOf(run: Run, gold: ReadonlyMap<string, string>, questions: readonly Question[]): number {
	const right = questions.filter(({id}) => {
		const hits = run.get(id)!;
		const own = hits.find(hit => hit.id === gold.get(id))?.score ?? Number.NEGATIVE_INFINITY;
		return hits.every(hit => hit.id === gold.get(id) || hit.score < own) && own > Number.NEGATIVE_INFINITY;
	});
	return right.length / questions.length;
}

test('a study gives the same results when it is run again or resumed, and its figures follow from its run files', async t => {
	t.timeout(180_000);
	const {data, folder} = await dataset(t);
	const whole = join(folder, 'whole');
	const stages = new Set<string>();
	const study = await studyPhrases(data, whole, {...options, onProgress: ({stage}) => stages.add(stage)});
	t.true(
		['encode M1', 'encode M0', 'search M3', 'phrases M1', 'candidates M0', 'candidate phrases M3', 'fuse candidates', 'fuse all'].every(
			stage => stages.has(stage),
		),
		[...stages].join(', '),
	);
	const bytes = await bytesOf(whole);
	t.deepEqual(JSON.parse(bytes['results.json']!), JSON.parse(JSON.stringify(study)));

	// A second run changes nothing.
	t.deepEqual(await studyPhrases(data, whole, options), study);
	t.deepEqual(await bytesOf(whole), bytes);

	// In another folder, the study is stopped while it encodes, and again while it searches.
	const stopped = join(folder, 'stopped');
	for (const at of ['encode M3', 'candidates M3', 'candidate phrases M0']) {
		const controller = new AbortController();
		const reason = new Error(`enough of ${at}`);
		await t.throwsAsync(
			studyPhrases(data, stopped, {
				...options,
				signal: controller.signal,
				onProgress({stage, done, total}) {
					if (stage === at && done > 0 && done < total) {
						controller.abort(reason);
					}
				},
			}),
			{is: reason},
		);
		await t.throwsAsync(readFile(join(stopped, 'results.json')), {code: 'ENOENT'});
	}
	t.deepEqual(await studyPhrases(data, stopped, options), study);
	t.deepEqual(await bytesOf(stopped), bytes);

	// Recomputes the candidates of one model: the best inner product of the question with the normalized vector of a phrase.
	const development = await asked(join(data, 'questions.dev.jsonl'), 24);
	const tested = await asked(join(data, 'questions.test.jsonl'), 24);
	t.deepEqual([study.questions.development, study.questions.test, study.questions.split], [24, 24, 'files']);
	const passages: Passage[] = [];
	for await (const passage of readPassages(join(data, 'articles'))) {
		passages.push(passage);
	}
	const qrels = await readQrels(join(data, 'qrels.txt'));
	await using bm25 = await Bm25Index.open(join(whole, 'collection', 'bm25'));
	const {lists} = await candidateLists(
		[...development, ...tested],
		qrels,
		bm25,
		passages.map(({id}) => id),
		{seed: 5},
	);
	const gold = new Map([...lists].map(([id, {gold}]) => [id, gold]));
	await using encoder = await OnnxEncoder.load('tiny-encoder');
	const segmenter = await PhraseSegmenter.open({sentences: 3});
	// Encodes each phrase separately, as the study does, because vectors of int8 models depend on the other texts of their batch.
	const phrases: Array<{id: string; name: string; vector: Float32Array}> = [];
	for (let start = 0; start < passages.length; start += 128) {
		const of = passages
			.slice(start, start + 128)
			.flatMap(({id, text, title}) =>
				segmenter.segment(text).map(({text, start, end}) => ({id, name: `${id}:${start}-${end}`, text, title: title!})),
			);
		const {data: vectors, dim} = await encoder.encode(of, {batchTokens: 1});
		phrases.push(...of.map(({id, name}, row) => ({id, name, vector: vectors.slice(row * dim, (row + 1) * dim)})));
	}
	// The vectors of the encoder are longer than 1, so that normalized and unnormalized scores differ.
	t.like(study.models[1], {phrases: phrases.length, unitLength: false});
	const run = await readTrecRun(join(whole, 'candidates', 'M3.trec'));
	// A_k: the 30 highest unnormalized inner products with phrases, of the candidates and of all passages.
	const best = {
		candidates: await readTrecRun(join(whole, 'candidates', 'M3.phrases.trec')),
		runs: await readTrecRun(join(whole, 'runs', 'M3.phrases.trec')),
	};
	for (const {id, text} of tested.slice(0, 6)) {
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
			const found = best[kind].get(id)!;
			t.is(found.length, 30);
			t.true(
				found.every(({score}, i) => Math.abs(score - expected[i]!.score) < 1e-5 * score),
				`${kind}: ${id}`,
			);
			const known = new Map(among.map(({name, score}) => [name, score]));
			t.true(found.every(({id, score}) => Math.abs(score - known.get(id)!) < 1e-5 * score));
		}
		for (const hit of run.get(id)!) {
			t.true(lists.get(id)!.ids.includes(hit.id));
			const scores = phrases
				.filter(phrase => phrase.id === hit.id)
				.map(({vector}) => vector.reduce((sum, value, i) => sum + value * question[i]!, 0) / Math.hypot(...vector));
			t.true(Math.abs(hit.score - Math.max(...scores)) < 1e-5 * hit.score, `${hit.id}: ${hit.score}, ${Math.max(...scores)}`);
		}
	}

	// Recomputes Tables 2 and 3 from the runs.
	const {candidates} = study;
	const valueOf = (condition: string): number => candidates.rows.find(row => row.condition === condition)!.values[0]!;
	const runs = new Map<string, Run>();
	for (const name of ['M1', 'M3', 'M0', 'BM25']) {
		runs.set(name, await readTrecRun(join(whole, 'candidates', `${name}.trec`)));
		t.is(valueOf(name === 'BM25' ? 'bm25' : name), accuracyOf(runs.get(name)!, gold, tested), name);
	}
	for (const {name, development: accuracy} of candidates.models) {
		t.is(accuracy, accuracyOf(runs.get(name)!, gold, development));
	}
	t.is(candidates.size, 31);
	t.deepEqual(candidates.selected.toSorted(), ['M0', 'M1', 'M3']);
	// Recomputes MUF by its formula: it chooses the model with the highest confidence, from phrase scores and one temperature for all.
	const confidences = new Map<string, Run>();
	for (const name of candidates.selected) {
		confidences.set(name, await readTrecRun(join(whole, 'candidates', `${name}.phrases.trec`)));
	}
	/** 1 / C − 1, which distinguishes confidences that both round to 1. */
	const doubt = (name: string, id: string, temperature: number): number => {
		const [best, ...others] = confidences
			.get(name)!
			.get(id)!
			.map(({score}) => score);
		return others.reduce((sum, score) => sum + Math.exp((score - best!) / temperature), 0);
	};
	const confidence = (name: string, id: string, temperature: number): number => 1 / (1 + doubt(name, id, temperature));
	const fused = (temperatureOf: (name: string) => number): Run =>
		new Map(
			tested.map(({id}) => {
				const [best] = candidates.selected
					.map(name => ({name, doubt: doubt(name, id, temperatureOf(name))}))
					.toSorted((a, b) => a.doubt - b.doubt);
				return [id, runs.get(best!.name)!.get(id)!] as const;
			}),
		);
	const {temperatures} = candidates;
	t.is(
		valueOf('muf'),
		accuracyOf(
			fused(() => temperatures.descent),
			gold,
			tested,
		),
	);
	t.is(
		valueOf('mufSearch'),
		accuracyOf(
			fused(() => temperatures.search),
			gold,
			tested,
		),
	);
	t.is(
		valueOf('mufPlain'),
		accuracyOf(
			fused(() => 1),
			gold,
			tested,
		),
	);
	t.is(
		valueOf('mufOwn'),
		accuracyOf(
			fused(name => candidates.models.find(model => model.name === name)!.temperature),
			gold,
			tested,
		),
	);
	// The common temperature is the end of the descent on the fused predictions, which starts at 0.1.
	t.true(Math.abs(temperatures.descent - descended()) < 1e-6 * temperatures.descent, `${temperatures.descent} and ${descended()}`);
	t.is(candidates.curve.find(({start}) => start === 0.1)!.temperature, temperatures.descent);

	/** 100 steps of T ← T − 100 · dE/dT from 0.1, with dE/dT from finite differences. A step below 0 halves T instead. */
	function descended(): number {
		const predict = (id: string, temperature: number): {confidence: number; right: number} => {
			const of = candidates.selected.map(name => ({name, doubt: doubt(name, id, temperature)}));
			const {name, doubt: least} = of.reduce((a, b) => (b.doubt < a.doubt ? b : a));
			return {confidence: 1 / (1 + least), right: Number(accuracyOf(runs.get(name)!, gold, [{id} as Question]) === 1)};
		};
		let temperature = 0.1;
		for (let step = 0; step < 100; step++) {
			const small = temperature * 1e-6;
			const bins = new Map<number, {count: number; gap: number; slope: number}>();
			for (const {id} of development) {
				const {confidence: at, right} = predict(id, temperature);
				const of = candidates.selected.reduce((a, b) => (doubt(b, id, temperature) < doubt(a, id, temperature) ? b : a));
				const slope = (confidence(of, id, temperature + small) - confidence(of, id, temperature - small)) / (2 * small);
				const bin = Math.min(Math.floor(at * 10), 9);
				const {count, gap, slope: sum} = bins.get(bin) ?? {count: 0, gap: 0, slope: 0};
				bins.set(bin, {count: count + 1, gap: gap + at - right, slope: sum + slope});
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

	// With confidence from passage scores, the lists are the same and the fusion differs.
	const ofPassages = await studyPhrases(data, join(folder, 'passages'), {...options, confidenceOf: 'passages'});
	t.deepEqual(ofPassages.candidates.rows.slice(0, 4), candidates.rows.slice(0, 4));
	t.is(ofPassages.settings.confidenceOf, 'passages');
	t.notDeepEqual(ofPassages.candidates.temperatures, candidates.temperatures);

	// A folder with the run of another configuration is refused.
	const error = await t.throwsAsync(studyPhrases(data, whole, {...options, seed: 6}), {code: 'ERR_ARGUMENT'});
	t.regex(error.message, /expected a run of this configuration, got one with another settings\.seed: 5 there, 6 here/u);
});

test('without qrels, the passages that questions were written for are relevant, and whole documents are for development', async t => {
	t.timeout(120_000);
	const folder = await temporary(t);
	const store = new Map<string, Passage>();
	for await (const passage of readPassages(encyclopedia().articles)) {
		store.set(passage.id, passage);
	}
	// The format of SQuAD: articles with paragraphs with questions, some of which are unanswerable.
	const articles = new Map<
		string,
		Map<string, Array<{id: string; question: string; answers: Array<{text: string; answer_start: number}>}>>
	>();
	for (const {id, text, answers, passage} of (await encyclopedia().questions('test')).filter((_, i) => i % 3 === 0)) {
		const title = store.get(passage)!.title!;
		const paragraphs = articles.get(title) ?? new Map();
		const asked = paragraphs.get(passage) ?? [];
		articles.set(title, paragraphs.set(passage, [...asked, {id, question: text, answers: answers.map(text => ({text, answer_start: 0}))}]));
		if (asked.length === 0) {
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
	// About a third of 56; the split keeps articles whole.
	t.true(Math.abs(study.questions.development - 56 / 3) <= 3, String(study.questions.development));
	t.is(study.corpus.count, data.flatMap(({paragraphs}) => paragraphs).length);
	// Questions for which BM25 finds fewer than ten other passages have fewer candidates.
	const bm25 = await readTrecRun(join(folder, 'study', 'runs', 'BM25.trec'));
	const gold = new Map((await asked(path, 112)).map(({id, context}) => [id, context!.id]));
	const short = [...bm25].filter(([id, hits]) => hits.filter(hit => hit.id !== gold.get(id)).length < 10);
	t.true(short.length > 0 && study.corpus.count > 31);
	t.is(study.candidates.short, short.length);
	t.deepEqual(study.retrieval.measures, ['top-1', 'top-5', 'top-20', 'top-100', 'MRR']);
});

test('without both, passages that contain an answer are relevant, and no candidate except gold contains one', async t => {
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
	let found = 0;
	const questions = await asked(join(data, 'questions.test.jsonl'), 24);
	for (const {id, answers} of questions.filter(({id}) => run.has(id))) {
		const of = await store.get(run.get(id)!.map(hit => hit.id));
		t.is(of.length, 13);
		const having = of.filter(({text}) => hasAnswer(text, answers));
		t.is(having.length, 1);
		// Gold is the best passage with an answer when BM25 searches for the question and its answer together.
		const texts = await store.get(supervision.get(id)!.map(hit => hit.id));
		t.is(having[0]!.id, texts.find(({text}) => hasAnswer(text, answers))!.id);
		const [first] = await store.get([dense.get(id)![0]!.id]);
		found += Number(hasAnswer(first!.text, answers));
	}
	store.close();
	// Among all passages, every passage with an answer is correct.
	const row = study.retrieval.rows.find(({condition}) => condition === 'M5')!;
	t.is(row.values[0], found / study.questions.test);
});

test('invalid data sets and settings are refused with the expected value', async t => {
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
		message: /expected one file with questions, .* got .*questions\.more\.jsonl and .*name it with --queries/u,
	});
	await rm(join(data, 'articles'), {recursive: true});
	await t.throwsAsync(studyPhrases(data, output), {code: 'ERR_ARGUMENT', message: /expected one file with the corpus, .* got none among/u});
});
