// Tests how relevant passages are determined without judgments: by the questions, or by distant supervision.
import {join} from 'node:path';
import test from 'ava';
import {Bm25Index, PassageStore, RetrievalError} from '../../../ts/index.ts';
import {goldPassages, judgeByAnswers, judgeByContexts} from '../../../ts/studies/dataset/relevance.ts';
import {folder as temporaryFolder} from '../../support/vectors.ts';

test('distant supervision searches for each question together with its first answer, and only hits that contain an answer are relevant', async t => {
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
	const searched: string[] = [];
	const {from, qrels} = await judgeByAnswers(
		questions,
		async queries => {
			searched.push(...queries.map(({text}) => text));
			return bm25.searchMany(queries, {k: 100});
		},
		store,
		{},
	);
	t.is(from, 'answers');
	t.deepEqual(searched, ['Who built the long bridge? Mara Okonjo of Lagos', 'Who built the tower? Nobody']);
	t.is((await bm25.search(questions[0]!.text))[0]!.id, 'asked', 'without the answer in the query, another passage would be gold');
	t.deepEqual([...qrels.get('q1')!.keys()], ['answered', 'asked']);
	t.is(qrels.get('q2')!.size, 0);
	// Patterns are found too; invalid ones match nothing.
	const patterns = [{...questions[0]!, answers: [String.raw`Sn\ě`, 'Ok[o]njo came']}, questions[1]!];
	const matched = await judgeByAnswers(patterns, async queries => bm25.searchMany(queries, {k: 100}), store, {answerKind: 'pattern'});
	t.deepEqual([...matched.qrels.get('q1')!.keys()], ['answered']);
	t.deepEqual(await Promise.all(['asked', 'answered'].map(async id => matched.isRelevant!('q1', id))), [false, true]);
	t.is(await matched.isRelevant!('unknown', 'answered'), false);
	// Questions are refused if none of them has an answer.
	await t.throwsAsync(
		judgeByAnswers([{id: 'q', text: 'Who?', answers: []}], async () => new Map(), store, {}),
		{instanceOf: RetrievalError, code: 'ERR_ARGUMENT'},
	);
});

test('a question names its relevant passages: its gold passages, or else the one that it was written for', t => {
	const context = {id: 'c', text: 'A text.'};
	const questions = [
		{id: 'gold', text: 'Who?', answers: [], context, positives: ['b', 'missing', 'a']},
		{id: 'context', text: 'Who?', answers: [], context},
		{id: 'missing', text: 'Who?', answers: [], positives: ['missing']},
		{id: 'unknown', text: 'Who?', answers: [], context, positives: ['missing']},
		{id: 'none', text: 'Who?', answers: []},
	];
	const {from, qrels} = judgeByContexts(questions, new Set(['a', 'b', 'c']))!;
	t.is(from, 'contexts');
	t.deepEqual(
		[...qrels].map(([id, grades]) => [id, [...grades.keys()]]),
		[
			['gold', ['b', 'a']],
			['context', ['c']],
			['unknown', ['c']],
		],
	);
	t.is(judgeByContexts(questions, new Set(['other'])), undefined);
});

test('the gold passage is the first one with the highest grade that is in the corpus', t => {
	const grades = new Map([
		['missing', 3],
		['low', 1],
		['first', 2],
		['second', 2],
	]);
	const qrels = new Map([
		['q', grades],
		['irrelevant', new Map([['low', 0]])],
	]);
	t.deepEqual([...goldPassages(qrels, new Set(['low', 'first', 'second']))], [['q', 'first']]);
});
