// Tests mining on SQuAD, in the shared folder (see test/support/shared.ts). Without the folder, the tests are skipped.
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {ExecutionContext} from 'ava';
import {
	Bm25Index,
	type Passage,
	PassageStore,
	type Question,
	hasAnswer,
	mineNegatives,
	readQuestions,
	readTrainingExamples,
	writeTrainingExamples,
} from '../../ts/index.ts';
import {testWithShared} from '../support/shared-tests.ts';

/** Stores and indexes a corpus. */
async function corpusOf(t: ExecutionContext, corpus: string): Promise<{folder: string; store: PassageStore; bm25: Bm25Index}> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-mined-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	await PassageStore.ingest(corpus, join(folder, 'store'));
	const store = await PassageStore.open(join(folder, 'store'));
	t.teardown(() => store.close());
	const bm25 = await Bm25Index.build(join(folder, 'bm25'), store);
	t.teardown(() => bm25.close());
	return {folder, store, bm25};
}

/** Reads every `step`th question that has answers or a gold passage. */
async function sampleOf(path: string, step: number, goldField?: string): Promise<Question[]> {
	const questions: Question[] = [];
	let position = 0;
	for await (const question of readQuestions(path, {goldField})) {
		if (position++ % step === 0 && (question.answers.length > 0 || question.positives !== undefined)) {
			questions.push(question);
		}
	}
	return questions;
}

const passagesFile = 'data/squad/psgs_w100.squad-dev.tsv.gz';

testWithShared(
	'distant supervision on SQuAD: positives and hard negatives are the BM25 hits that the definition gives',
	[passagesFile, 'data/squad/squad-dev.qas.jsonl.gz'],
	async (t, corpus, questionFile) => {
		const {folder, store, bm25} = await corpusOf(t, corpus);
		const questions = await sampleOf(questionFile, 20);
		t.is(questions.length, 387);
		const {examples, statistics} = await mineNegatives(questions, store, {bm25, hardNegatives: 2, maxOverlap: 1});
		const byText = new Map(examples.map(example => [example.question, example]));
		for (const {id, text, answers} of questions) {
			const firstHits = async (query: string, accepts: (passage: Passage) => boolean, count: number): Promise<string[]> => {
				const hits = await store.get((await bm25.search(query, {k: 100})).map(hit => hit.id));
				return hits
					.filter(accepts)
					.slice(0, count)
					.map(passage => passage.id);
			};
			const [positive] = await firstHits(`${text} ${answers[0]!}`, passage => hasAnswer(passage.text, answers), 1);
			const example = byText.get(text);
			if (positive === undefined) {
				t.is(example, undefined);
				t.true(statistics.dropped.noPassageWithAnswer.includes(id));
				continue;
			}
			t.deepEqual(
				example!.positives.map(({id}) => id),
				[positive],
				text,
			);
			const negatives = await firstHits(text, passage => !hasAnswer(passage.text, answers), 2);
			t.deepEqual(
				example!.hardNegatives.map(({id}) => id),
				negatives,
				text,
			);
		}
		t.is(statistics.examples + statistics.dropped.noPassageWithAnswer.length, questions.length);
		const path = join(folder, 'train.json.gz');
		await writeTrainingExamples(path, examples);
		const read = [];
		for await (const example of readTrainingExamples(path)) {
			read.push(example);
		}
		t.deepEqual(read, examples);
	},
);

testWithShared(
	'contexts of SQuAD are matched with the passages of 100 words that the same articles were split into',
	[passagesFile, 'data/squad/dev-v2.0.json.gz'],
	async (t, corpus, questionFile) => {
		const {store, bm25} = await corpusOf(t, corpus);
		const questions = (await sampleOf(questionFile, 4)).filter(({answers}) => answers.length > 0);
		const {examples, statistics} = await mineNegatives(questions, store, {bm25, positives: 'contexts'});
		const matched = examples.length / questions.length;
		t.log(`${examples.length} of ${questions.length} matched; ${statistics.dropped.contextWithoutAnswer.length} without an answer`);
		t.true(matched > 0.97, String(matched));
		const contexts = new Map(questions.map(question => [question.text, question.context!]));
		let sameArticle = 0;
		for (const {question, answers, positives, hardNegatives} of examples) {
			t.true(hasAnswer(positives[0]!.text, answers));
			t.false(hardNegatives.some(({text}) => hasAnswer(text, answers)));
			sameArticle += positives[0]!.title === contexts.get(question)!.title?.replaceAll('_', ' ') ? 1 : 0;
		}
		t.log(`${sameArticle} of the same article`);
		t.is(sameArticle, examples.length);
	},
);

testWithShared(
	'SQuAD questions with the ids of their gold passages: every question gets its gold passage and other passages as negatives',
	['data/squad-train/passages.tsv.gz', 'data/squad-train/questions.jsonl.gz'],
	async (t, corpus, questionFile) => {
		const {store, bm25} = await corpusOf(t, corpus);
		const questions = await sampleOf(questionFile, 10, 'passage');
		t.is(questions.length, 1188);
		const options = {bm25, hardNegatives: 3, randomNegatives: 2, goldNegatives: 2, relativeMargin: 0.05, sampling: 'random'} as const;
		const {examples, statistics} = await mineNegatives(questions, store, options);
		t.deepEqual([statistics.examples, statistics.positives.ids], [1188, 1188]);
		t.deepEqual([statistics.missing.randomNegatives, statistics.missing.goldNegatives], [0, 0]);
		const gold = new Set(questions.flatMap(({positives}) => positives!));
		for (const [i, {positives, hardNegatives, negatives}] of examples.entries()) {
			t.deepEqual(
				positives.map(({id}) => id),
				questions[i]!.positives as string[],
			);
			const ids = [...hardNegatives, ...negatives].map(({id}) => id!);
			t.is(new Set([...ids, positives[0]!.id!]).size, ids.length + 1);
			t.true(negatives.slice(2).every(({id}) => gold.has(id!)));
		}
		// BM25 has no score for a gold passage without any term of the question.
		t.true(statistics.unscoredPositives < 20, String(statistics.unscoredPositives));
		for (const i of [0, 100, 1000]) {
			const hits = await bm25.search(questions[i]!.text, {k: 1502});
			const score = hits.find(({id}) => id === questions[i]!.positives![0])!.score;
			t.true(examples[i]!.hardNegatives.every(negative => negative.score! <= score * 0.95 + 1e-5));
		}
		t.deepEqual((await mineNegatives(questions, store, options)).examples, examples);
	},
);
