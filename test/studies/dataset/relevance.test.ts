// Tests distant supervision, which determines the relevant passages of questions without judgments by their answers.
import {join} from 'node:path';
import test from 'ava';
import {Bm25Index, PassageStore, RetrievalError} from '../../../ts/index.ts';
import {judgeByAnswers} from '../../../ts/studies/dataset/relevance.ts';
import {folder as temporaryFolder} from '../../support/vectors.ts';

test('distant supervision searches with BM25 for the question and its first answer together, and a question without an answer in the hits has no relevant passage', async t => {
	const folder = await temporaryFolder(t);
	const passages = [
		{id: 'asked', text: 'Who built the long bridge? Some say Mara.'},
		{id: 'answered', text: 'Mara Okonjo of Lagos built it. Okonjo came from Lagos.'},
		{id: 'other', text: 'The bridge is long.'},
	];
	await PassageStore.write(passages, join(folder, 'passages'));
	await using store = await PassageStore.open(join(folder, 'passages'));
	await using bm25 = await Bm25Index.build(join(folder, 'bm25'), store);
	const questions = [
		{id: 'q1', text: 'Who built the long bridge?', answers: ['Mara Okonjo of Lagos', 'Mara']},
		{id: 'q2', text: 'Who built the tower?', answers: ['Nobody']},
	];
	const asked: string[] = [];
	const {from, qrels} = await judgeByAnswers(
		questions,
		async queries => {
			asked.push(...queries.map(({text}) => text));
			return bm25.searchMany(queries, {k: 100});
		},
		store,
		{},
	);
	t.is(from, 'answers');
	t.deepEqual(asked, ['Who built the long bridge? Mara Okonjo of Lagos', 'Who built the tower? Nobody']);
	t.is((await bm25.search(questions[0]!.text))[0]!.id, 'asked', 'with the question only, another passage would be gold');
	t.deepEqual([...qrels.get('q1')!.keys()], ['answered', 'asked']);
	t.is(qrels.get('q2')!.size, 0);
	await t.throwsAsync(
		judgeByAnswers([{id: 'q', text: 'Who?', answers: []}], async () => new Map(), store, {}),
		{instanceOf: RetrievalError, code: 'ERR_ARGUMENT'},
	);
});
