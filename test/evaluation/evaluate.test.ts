// Tests effectiveness measures, answer matching and top-k accuracy.
import test from 'ava';
import {type Qrels, type Run, exactMatch, evaluate, f1, hasAnswer, normalizeAnswer, topKAccuracy} from '../../ts/index.ts';

const qrels: Qrels = new Map([
	[
		'q1',
		new Map([
			['a', 2],
			['b', 1],
			['c', 0],
		]),
	],
	['q2', new Map([['x', 1]])],
]);

const run: Run = new Map([
	[
		'q1',
		[
			{id: 'c', score: 9},
			{id: 'b', score: 8},
			{id: 'a', score: 7},
		],
	],
]);

test('measures equal the values computed by hand, and a query with judgments that is not in the run counts as 0', async t => {
	const {mean, perQuery, missing, unjudged} = await evaluate(run, qrels, ['nDCG@10', 'RR', 'AP', 'P@2', 'R@2', 'Success@1']);
	// b at rank 2, a at rank 3: DCG = 1/log2(3) + 2/log2(4); ideal = 2/log2(2) + 1/log2(3).
	const ndcg = (1 / Math.log2(3) + 1) / (2 + 1 / Math.log2(3));
	const q1 = perQuery.get('q1')!;
	t.true(Math.abs(q1['nDCG@10'] - ndcg) < 1e-12);
	t.is(q1.RR, 1 / 2);
	t.true(Math.abs(q1.AP - (1 / 2 + 2 / 3) / 2) < 1e-12);
	t.is(q1['P@2'], 1 / 2);
	t.is(q1['R@2'], 1 / 2);
	t.is(q1['Success@1'], 0);
	t.is(mean.RR, 1 / 4);
	t.deepEqual([missing, unjudged], [1, 0]);
});

test('ties are ordered by descending passage id, as in trec_eval', async t => {
	const tied: Run = new Map([
		[
			'q2',
			[
				{id: 'a', score: 1},
				{id: 'x', score: 1},
				{id: 'z', score: 1},
			],
		],
	]);
	const {perQuery} = await evaluate(tied, qrels, ['RR']);
	t.is(perQuery.get('q2')!.RR, 1 / 2, 'the order is z, x, a');
});

test('a run of other queries, a passage retrieved twice and an unknown measure are refused', async t => {
	await t.throwsAsync(evaluate(new Map([['other', run.get('q1')!]]), qrels, ['RR']), {
		code: 'ERR_ARGUMENT',
		message: /other.*q1|q1.*other/u,
	});
	await t.throwsAsync(
		evaluate(
			new Map([
				[
					'q1',
					[
						{id: 'a', score: 1},
						{id: 'a', score: 2},
					],
				],
			]),
			qrels,
			['RR'],
		),
		{code: 'ERR_ARGUMENT', message: /"a"/u},
	);
	await t.throwsAsync(evaluate(run, qrels, ['MAE' as 'RR']), {code: 'ERR_ARGUMENT', message: /nDCG/u});
	await t.throwsAsync(evaluate(run, qrels, []), {code: 'ERR_ARGUMENT'});
	await t.throwsAsync(evaluate(7 as unknown as Run, qrels, ['RR']), {code: 'ERR_ARGUMENT'});
});

test('answers are matched as in SQuAD and DPR', t => {
	t.is(normalizeAnswer('The  Denver, Broncos!'), 'denver broncos');
	t.true(exactMatch('the Broncos.', ['Denver', 'broncos']));
	t.false(exactMatch('Broncos win', ['Broncos']));
	// A pattern for the height of Mount McKinley. It must match at the start of the prediction; any text may follow.
	const mckinley = [String.raw`20\s?,?\s?(32|40)0\s?-?\s?f(ee|oo)t|6,194-meter`];
	t.true(exactMatch('20,320 feet', mckinley, 'pattern'));
	t.true(exactMatch('20 320 FEET above the sea', mckinley, 'pattern'));
	t.false(exactMatch('about 20,320 feet', mckinley, 'pattern'));
	t.true(hasAnswer('about 20,320 feet', mckinley, 'pattern'), 'hasAnswer accepts a match anywhere');
	t.false(exactMatch('20,320 feet', mckinley));
	t.false(exactMatch('(', ['('], 'pattern'), 'an invalid pattern never matches');
	t.throws(() => exactMatch('a', ['a'], 'regex' as 'pattern'), {code: 'ERR_ARGUMENT', message: /^kind: /u});
	// Precision is 1/2 and recall 1: 2 · 1/2 · 1 / (1/2 + 1).
	t.is(f1('Broncos win', ['Broncos']), 2 / 3);
	t.true(hasAnswer('in Zürich, 1905', ['zu\u0308rich']), 'both texts are compared in the form NFD');
	t.false(hasAnswer('1905', ['190']), 'answers match whole tokens');
	t.true(hasAnswer('in 1905', [String.raw`19\d5`], 'pattern'));
});

test('top-k accuracy counts a question if one of its first k passages contains an answer', async t => {
	const passages = new Map([
		['a', {text: 'nothing'}],
		['b', {text: 'the Denver Broncos'}],
		['c', {text: 'Paris'}],
	]);
	const questions = [
		{id: 'q1', text: 'who?', answers: ['denver broncos']},
		{id: 'q2', text: 'where?', answers: ['Paris']},
		{id: 'q3', text: 'missing?', answers: ['x']},
		{id: 'q4', text: 'unanswerable?', answers: []},
	];
	const found: Run = new Map([
		[
			'q1',
			[
				{id: 'a', score: 2},
				{id: 'b', score: 1},
			],
		],
		['q2', [{id: 'c', score: 2}]],
	]);
	// q3 is not in the run and counts as missing. q4 has no answers and is left out.
	const {accuracy, firstRanks, questions: counted, missing} = await topKAccuracy(found, questions, passages, [1, 2]);
	t.deepEqual(
		[...accuracy],
		[
			[1, 1 / 3],
			[2, 2 / 3],
		],
	);
	t.deepEqual(
		[...firstRanks],
		[
			['q1', 2],
			['q2', 1],
		],
	);
	t.deepEqual([counted, missing], [3, 1]);
});

test('topKAccuracy fails if the text of a retrieved passage is unknown, instead of counting the passage as a miss', async t => {
	const error = await t.throwsAsync(topKAccuracy(run, [{id: 'q1', text: 'q', answers: ['x']}], new Map(), [5]), {code: 'ERR_ARGUMENT'});
	t.regex(error.message, /expected the text of every passage of the run, got none for "c"/u);
});
