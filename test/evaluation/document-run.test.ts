// Tests rankings of documents that are made from rankings of passages.
import test from 'ava';
import {type Run, documentRun, evaluate} from '../../ts/index.ts';

test('each document has the score of its best passage, in the order of the scores and of the first passages', async t => {
	const run: Run = new Map([
		[
			'q1',
			[
				{id: 'b#3', score: 2},
				{id: 'a#0', score: 5},
				{id: 'b#0', score: 7},
				{id: 'whole', score: 5},
				{id: 'a#1', score: 4},
				{id: 'x#y#0', score: 1},
			],
		],
		['q2', []],
	]);
	const documents = await documentRun(run);
	t.deepEqual(
		[...documents],
		[
			[
				'q1',
				[
					{id: 'b', score: 7},
					{id: 'a', score: 5},
					{id: 'whole', score: 5},
					{id: 'x#y', score: 1},
				],
			],
			['q2', []],
		],
	);
	const {mean} = await evaluate(documents, new Map([['q1', new Map([['whole', 1]])]]), ['RR', 'MRR@10', 'MAP(rel=1)']);
	t.deepEqual(mean, {RR: 0.5, 'MRR@10': 0.5, 'MAP(rel=1)': 0.5});
	await t.throwsAsync(documentRun([] as never), {code: 'ERR_ARGUMENT'});
	await t.throwsAsync(documentRun(run, {signal: AbortSignal.abort(new Error('stop'))}), {message: 'stop'});
});
