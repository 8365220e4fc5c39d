// Tests tuning the weight of hybrid search (`tuneHybrid`), and `JudgedLists`, which measures many fusion methods on the same lists.
import test from 'ava';
import type {ErrorCode} from '../../ts/core/errors.ts';
import {type FusionMethod, JudgedLists, type Question, type Run, fuse, topKAccuracy, tuneHybrid} from '../../ts/index.ts';

/**
18 passages, three for each of six questions. An id consists of the question's answer and a letter, such as `one-a`. Only the
texts of the passages with the letter a contain the answers.
*/
const passages = new Map(
	['one', 'two', 'three', 'four', 'five', 'six'].flatMap(word =>
		['a', 'b', 'c'].map(letter => [`${word}-${letter}`, {text: letter === 'a' ? `There is ${word} here.` : 'Nothing of the kind.'}]),
	),
);
const questions: Question[] = ['one', 'two', 'three', 'four', 'five', 'six'].map((word, i) => ({id: `q${i}`, text: '?', answers: [word]}));

/**
Makes a run of 12 hits per question with pseudorandom scores (a linear congruential generator). The scores are whole
multiples of `spread` from 0 to 12 · `spread`, so that there are ties.
*/
function run(seed: number, spread: number): Run {
	let state = seed;
	const next = (): number => {
		state = (Math.imul(state, 0x41_c6_4e_6d) + 12_345) >>> 0;
		return (state >>> 16) / 0x1_00_00;
	};
	return new Map(
		questions.map(({id}) => {
			const hits = [...passages.keys()].map(id => ({id, score: Math.fround(spread * Math.round(next() * 12))}));
			return [id, hits.toSorted((a, b) => b.score - a.score).slice(0, 12)];
		}),
	);
}

/** Two runs whose scores have different scales, as those of dense and sparse searchers do. */
const lists = {dense: run(7, 1), sparse: run(1905, 3)};

/** Reference for tuning: fuses with one method and measures the result. */
async function fuseAndMeasure(fusion: FusionMethod, k: number): Promise<number> {
	const {accuracy} = await topKAccuracy(await fuse(lists, fusion, {k}), questions, passages, [k]);
	return accuracy.get(k)!;
}

test('every point of the curve equals the accuracy of the fused run, and the first of the best points is selected', async t => {
	for (const method of ['hybrid', 'hybridNorm', 'dprHybrid', 'interpolate'] as const) {
		const k = 2;
		const {curve, weight, score, fusion} = await tuneHybrid(lists, {questions, passages, k}, {method});
		// The default weights, in steps of 0.05: from 0 to 1 for `interpolate`, and from 0 to 2 for the other methods.
		t.is(curve.length, method === 'interpolate' ? 21 : 41);
		t.deepEqual(curve.map(point => point.weight).slice(0, 4), [0, 0.05, 0.1, 0.15]);
		for (const point of curve) {
			const pointMethod: FusionMethod = method === 'dprHybrid' ? {method, lambda: point.weight} : {method, alpha: point.weight};
			t.is(point.score, await fuseAndMeasure(pointMethod, k), `${method} ${point.weight}`);
		}
		t.is(score, Math.max(...curve.map(point => point.score)));
		t.is(weight, curve.find(point => point.score === score)!.weight);
		t.deepEqual(fusion, method === 'dprHybrid' ? {method, lambda: weight} : {method, alpha: weight});
	}
	// Without this, the test would pass even if the weight had no effect.
	const {curve} = await tuneHybrid(lists, {questions, passages, k: 2});
	t.true(new Set(curve.map(point => point.score)).size > 1);
});

test('the weight can be tuned for a measure that is computed from qrels', async t => {
	const qrels = new Map(questions.map(({id, answers}) => [id, new Map([[`${answers[0]}-a`, 1]])]));
	const grid = [0, 0.5, 1];
	// With k = 18, fused lists are not truncated, because there are only 18 passages.
	const tuned = await tuneHybrid(lists, {qrels, measure: 'RR@5', k: 18}, {grid});
	t.deepEqual(
		tuned.curve.map(({weight}) => weight),
		grid,
	);
	t.true(tuned.score > 0 && tuned.curve.every(({score}) => score <= tuned.score));
});

test('judged lists can be measured for many methods and cut-offs, and skip questions without answers', async t => {
	const more = [...questions, {id: 'none', text: '?', answers: []}, {id: 'unseen', text: '?', answers: ['one']}];
	const judged = await JudgedLists.judge(lists, more, passages);
	t.deepEqual(judged.questions, [...questions.map(({id}) => id), 'unseen']);
	const methods: FusionMethod[] = [
		{method: 'hybrid', alpha: 0.5},
		{method: 'rrf'},
		{method: 'linear', weights: [0.2, 1], normalize: 'z-score'},
	];
	// Each list has 12 passages, so a fused list has at most 24 and is not truncated.
	const ranks = await judged.firstRanks(methods, 24);
	for (const [i, method] of methods.entries()) {
		const {firstRanks} = await topKAccuracy(await fuse(lists, method, {k: 24}), questions, passages, [24]);
		t.deepEqual(
			[...ranks[i]!],
			judged.questions.map(id => firstRanks.get(id) ?? 0),
		);
	}
	const [accuracy] = await judged.accuracy([methods[0]!], 3);
	// 7 is the number of judged questions: the six questions of the runs, and `unseen`, which is in neither run. `none` is
	// not judged, because it has no answers.
	t.is(accuracy, [...ranks[0]!].filter(rank => rank > 0 && rank <= 3).length / 7);
});

test('invalid arguments of tuning are refused', async t => {
	const refused = async (options: object, objective: object = {}, code: ErrorCode = 'ERR_ARGUMENT'): Promise<string> => {
		const error = await t.throwsAsync(tuneHybrid(lists, {questions, passages, ...objective}, options), {code});
		return error.message;
	};
	t.is(await refused({grid: []}), 'grid: expected at least one weight, got none');
	t.is(await refused({grid: [0, Number.NaN]}), 'grid: expected a finite number, got NaN');
	t.is(await refused({method: 'rrf'}), 'method: expected one of hybrid, hybridNorm, dprHybrid, interpolate, got "rrf"');
	t.is(
		await refused({}, {questions: [...questions, questions[0]]}, 'ERR_DUPLICATE_ID'),
		'questions: expected distinct ids, got "q0" twice',
	);
	t.regex(
		await refused({}, {passages: new Map()}),
		/^passages: expected the text of every passage of the run, got none for "[a-z]+-[abc]"$/u,
	);
	const reason = new Error('enough');
	await t.throwsAsync(tuneHybrid(lists, {questions, passages}, {signal: AbortSignal.abort(reason)}), {is: reason});
});
