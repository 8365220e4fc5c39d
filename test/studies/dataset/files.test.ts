// Tests how a study finds the corpus, the questions and the qrels (relevance judgments) in the folder of a data set.
import {mkdtemp, mkdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {datasetFiles, testableFiles} from '../../../ts/studies/dataset/files.ts';

/** Creates a folder with empty files of these names. */
async function folderWith(t: ExecutionContext, files: readonly string[]): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-dataset-'));
	t.teardown(async () => rm(folder, {recursive: true}));
	for (const file of files) {
		await mkdir(join(folder, file, '..'), {recursive: true});
		await writeFile(join(folder, file), '');
	}
	return folder;
}

test('in a BEIR folder, qrels/test.tsv is chosen among the qrels files', async t => {
	const folder = await folderWith(t, ['corpus.jsonl', 'queries.jsonl', 'qrels/train.tsv', 'qrels/dev.tsv', 'qrels/test.tsv']);
	t.deepEqual(await datasetFiles(folder, {}), {
		corpus: join(folder, 'corpus.jsonl'),
		questions: [join(folder, 'queries.jsonl')],
		qrels: join(folder, 'qrels', 'test.tsv'),
	});
});

test('in a BEIR folder, a study that trains also uses the judgments of training questions', async t => {
	const folder = await folderWith(t, ['corpus.jsonl', 'queries.jsonl', 'qrels/train.tsv', 'qrels/dev.tsv', 'qrels/test.tsv']);
	const [qrels, trainingQrels] = [join(folder, 'qrels', 'test.tsv'), join(folder, 'qrels', 'train.tsv')];
	t.like(await datasetFiles(folder, {}, 'train'), {qrels, trainingQrels});
	t.like(await testableFiles(folder), {qrels, trainingQrels});
	t.is((await datasetFiles(folder, {qrels: 'mine.txt'}, 'train')).trainingQrels, undefined);
});

test('a qrels file next to the questions is found, and an explicit path takes precedence', async t => {
	const folder = await folderWith(t, ['passages.tsv', 'questions.dev.jsonl', 'questions.test.jsonl', 'qrels.txt']);
	const questions = [join(folder, 'questions.dev.jsonl'), join(folder, 'questions.test.jsonl')];
	const corpus = join(folder, 'passages.tsv');
	t.deepEqual(await datasetFiles(folder, {}), {corpus, questions, qrels: join(folder, 'qrels.txt')});
	t.deepEqual(await datasetFiles(folder, {qrels: 'mine.txt'}), {corpus, questions, qrels: 'mine.txt'});
});

test('a folder without a corpus is refused', async t => {
	const folder = await folderWith(t, ['questions.jsonl', 'qrels.txt']);
	await t.throwsAsync(async () => datasetFiles(folder, {}), {code: 'ERR_ARGUMENT', message: /the corpus, named passages\.\*/u});
});

test('a study that trains takes training questions instead of development questions', async t => {
	const folder = await folderWith(t, ['passages.tsv', 'questions.dev.jsonl', 'questions.train.jsonl', 'questions.test.jsonl']);
	const corpus = join(folder, 'passages.tsv');
	const pathOf = (split: string): string => join(folder, `questions.${split}.jsonl`);
	t.deepEqual(await datasetFiles(folder, {}, 'train'), {corpus, questions: [pathOf('train'), pathOf('test')]});
	t.deepEqual(await datasetFiles(folder, {}), {corpus, questions: [pathOf('dev'), pathOf('test')]});
	t.deepEqual(await datasetFiles(folder, {train: 'mine.jsonl'}, 'train'), {corpus, questions: ['mine.jsonl', pathOf('test')]});
	t.deepEqual(await datasetFiles(folder, {queries: 'all.jsonl'}, 'train'), {corpus, questions: ['all.jsonl']});
});

test('a data set that is used for tests needs no training questions', async t => {
	const both = await folderWith(t, ['corpus.jsonl', 'nq-train.jsonl', 'nq-test.jsonl']);
	t.deepEqual((await testableFiles(both)).questions, [join(both, 'nq-train.jsonl'), join(both, 'nq-test.jsonl')]);
	const withoutTraining = await folderWith(t, ['corpus.jsonl', 'questions.dev.jsonl', 'questions.test.jsonl']);
	t.deepEqual((await testableFiles(withoutTraining)).questions, [join(withoutTraining, 'questions.test.jsonl')]);
	const beir = await folderWith(t, ['corpus.jsonl', 'queries.jsonl', 'qrels/test.tsv']);
	t.deepEqual(await testableFiles(beir), {
		corpus: join(beir, 'corpus.jsonl'),
		questions: [join(beir, 'queries.jsonl')],
		qrels: join(beir, 'qrels', 'test.tsv'),
	});
});
