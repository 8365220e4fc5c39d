// Tests how temperatures are fitted, by search and by the gradient descent of Yang et al. (2023), and how models are selected.
import test from 'ava';
import {
	type ModelOutcomes,
	type Qrels,
	RetrievalError,
	type Run,
	type Vectors,
	fitFusionTemperature,
	fitTemperature,
	judgedScores,
	selectModels,
} from '../../ts/index.ts';
import {isAborted, succeedsOnce} from '../support/event-loop.ts';
import {random} from '../support/vectors.ts';

/** Ten questions with two scores each, which differ by `gap`. The best passage is relevant for the first `correctCount` questions. */
function pairs(correctCount: number, gap = 1): [Vectors, boolean[]] {
	const data = Float32Array.from({length: 20}, (_, i) => (i % 2 === 0 ? gap : 0));
	return [{data, rows: 10, dim: 2}, Array.from({length: 10}, (_, i) => i < correctCount)];
}

/** The temperature T at which the confidence for a gap of 1, which is 1 / (1 + exp(−1 / T)), is 0.8. */
const TEMPERATURE_FOR_80_PERCENT = 1 / Math.log(4);

/**
Computes the squared calibration error of the fused predictions, that is, of the most confident model for each question, and the derivative
of the error with respect to the temperature (`slope`), directly from the formulas of Yang et al. (2023, §3.2).
*/
function directError(models: readonly ModelOutcomes[], temperature: number, bins: number): {error: number; slope: number} {
	const {rows} = models[0]!.scores;
	/** For each question, the prediction of the most confident model. */
	const chosen = Array.from({length: rows}, (_, i) => {
		const predictions = models.map(({scores: {data, dim}, correct}) => {
			const scores = [...data.subarray(i * dim, (i + 1) * dim)];
			const [max, sum] = [Math.max(...scores), scores.reduce((sum, score) => sum + Math.exp(score / temperature), 0)];
			const confidence = Math.exp(max / temperature) / sum;
			// d/dT of exp(max/T) / Σ exp(s/T): confidence · (Σ s·exp(s/T) / Σ exp(s/T) − max) / T².
			const mean = scores.reduce((sum, score) => sum + score * Math.exp(score / temperature), 0) / sum;
			return {confidence, slope: (confidence * (mean - max)) / temperature ** 2, right: Number(correct[i])};
		});
		return predictions.reduce((best, other) => (other.confidence > best.confidence ? other : best));
	});
	let [error, slope] = [0, 0];
	for (let bin = 0; bin < bins; bin++) {
		const inBin = chosen.filter(({confidence}) => Math.min(Math.floor(confidence * bins), bins - 1) === bin);
		const mean = (valueOf: (one: (typeof chosen)[number]) => number): number =>
			inBin.reduce((sum, one) => sum + valueOf(one), 0) / inBin.length;
		if (inBin.length > 0) {
			const gap = mean(({confidence}) => confidence) - mean(({right}) => right);
			error += (inBin.length / rows) * gap ** 2;
			slope += 2 * (inBin.length / rows) * gap * mean(one => one.slope);
		}
	}
	return {error, slope};
}

/**
Makes `rows` questions with five random scores each. The larger the gap between the two best scores, the more likely the best passage is
relevant.
*/
function questions(rows: number, seed = 3): [Vectors, boolean[]] {
	const scores = random(rows, 5, seed);
	/** Random numbers in [-1, 1). */
	const thresholds = random(rows, 1, seed + 1).data;
	const correct = Array.from({length: rows}, (_, i) => {
		const row = [...scores.data.subarray(i * 5, (i + 1) * 5)].sort((a, b) => b - a);
		return row[0]! - row[1]! > (thresholds[i]! + 1) / 3;
	});
	return [scores, correct];
}

test('the fitted temperature makes confidence equal accuracy, at any scale of the scores', async t => {
	for (const gap of [1e-4, 1, 80]) {
		const {temperature, error} = await fitTemperature(...pairs(8, gap));
		t.true(Math.abs(temperature / gap - TEMPERATURE_FOR_80_PERCENT) < 1e-4, `${gap}: ${temperature}`);
		t.true(error < 1e-9);
	}
});

test('the gradient descent takes the steps that the formulas give', async t => {
	const [scores, correct] = questions(200);
	const {path, temperature, error} = await fitTemperature(scores, correct, {method: 'descent', start: 0.8, stepSize: 2, maxSteps: 12});
	t.is(path.length, 13);
	let expectedTemperature = 0.8;
	for (const [i, step] of path.entries()) {
		const expected = directError([{scores, correct}], expectedTemperature, 10);
		t.true(Math.abs(step.temperature - expectedTemperature) < 1e-9 && Math.abs(step.error - expected.error) < 1e-9, `step ${i}`);
		expectedTemperature -= 2 * expected.slope;
	}
	t.deepEqual({temperature, error}, path.at(-1)!);
});

test('the search reports the error that the formula gives, which is at most 1.001 times the lowest error on a dense grid', async t => {
	const [scores, correct] = questions(300);
	const found = await fitTemperature(scores, correct, {bins: 8});
	t.true(Math.abs(found.error - directError([{scores, correct}], found.temperature, 8).error) < 1e-9);
	/** Temperatures from 0.01 to almost 100, in equal ratios. */
	const grid = Array.from({length: 1000}, (_, i) => 1e-2 * 10 ** (i / 250));
	const min = Math.min(...grid.map(temperature => directError([{scores, correct}], temperature, 8).error));
	t.true(found.error <= min * 1.001, `${found.error} and ${min}`);
});

/** The results of three models for `rows` questions. */
const threeModels = (rows: number): ModelOutcomes[] =>
	[3, 13, 23].map(seed => {
		const [scores, correct] = questions(rows, seed);
		return {scores, correct};
	});

test('one temperature for several models: the descent uses the most confident model per question', async t => {
	const models = threeModels(200);
	const {path, temperature} = await fitFusionTemperature(models, {method: 'descent', start: 0.8, stepSize: 2, maxSteps: 12});
	let expectedTemperature = 0.8;
	for (const [i, step] of path.entries()) {
		const expected = directError(models, expectedTemperature, 10);
		t.true(Math.abs(step.temperature - expectedTemperature) < 1e-9 && Math.abs(step.error - expected.error) < 1e-9, `step ${i}`);
		expectedTemperature -= 2 * expected.slope;
	}
	t.is(path.length, 13);
	t.is(temperature, path.at(-1)!.temperature);
	// These options are the defaults. The start and the step size are those of Yang et al. (2023, §4.2).
	const byDefault = await fitFusionTemperature(models, {method: 'descent'});
	t.deepEqual(byDefault, await fitFusionTemperature(models, {method: 'descent', start: 0.1, stepSize: 100, maxSteps: 100, bins: 10}));
});

test('one temperature for several models: the error is at most 1.001 times the lowest error on a dense grid', async t => {
	const models = threeModels(150);
	const found = await fitFusionTemperature(models, {bins: 8});
	t.true(Math.abs(found.error - directError(models, found.temperature, 8).error) < 1e-9);
	/** Temperatures from 0.01 to almost 100, in equal ratios. */
	const grid = Array.from({length: 1000}, (_, i) => 1e-2 * 10 ** (i / 250));
	const min = Math.min(...grid.map(temperature => directError(models, temperature, 8).error));
	t.true(found.error <= min * 1.001, `${found.error} and ${min}`);
	// For a single model, the result is that of `fitTemperature`.
	const [scores, correct] = questions(150);
	t.deepEqual(await fitFusionTemperature([{scores, correct}]), await fitTemperature(scores, correct));
});

test('by default a descent starts at 0.1, and temperatures stay finite and above 0', async t => {
	const {path} = await fitTemperature(...pairs(8), {method: 'descent'});
	t.is(path[0]!.temperature, 0.1);
	t.true(path.every(({temperature}) => temperature > 0 && Number.isFinite(temperature)));
	// At this temperature all confidences are 1, so the gradient is 0 and the descent does not move.
	const stuck = await fitTemperature(...pairs(8), {method: 'descent', start: 1e-3});
	t.deepEqual(stuck.path, [stuck.path[0]!]);
	t.true(Math.abs(stuck.error - 0.2 ** 2) < 1e-12);
	// Every best passage is relevant, so lower temperatures are better, because they give higher confidences. A step that would lead below 0
	// halves the temperature instead.
	const halved = await fitTemperature(...pairs(10), {method: 'descent', start: 1, stepSize: 1e6, maxSteps: 5});
	t.is(halved.path[1]!.temperature, 0.5);
});

test('missing scores, which are −Infinity, do not change the fit', async t => {
	const [scores, correct] = pairs(8);
	// The same ten questions with four scores each, two of which are missing.
	const data = Float32Array.from({length: 40}, (_, i) => (i % 4 < 2 ? scores.data[Math.floor(i / 4) * 2 + (i % 4)]! : -Infinity));
	const {temperature} = await fitTemperature({data, rows: 10, dim: 4}, correct);
	t.true(Math.abs(temperature - TEMPERATURE_FOR_80_PERCENT) < 1e-4);
});

/** A run and judgments. `q0` has no judgments, and `q3` is not in the run. */
const run: Run = new Map([
	[
		'q2',
		[
			{id: 'c', score: 4},
			{id: 'b', score: 3},
			{id: 'a', score: 2},
		],
	],
	['q0', [{id: 'a', score: 9}]],
	['q1', [{id: 'a', score: 1}]],
]);
const qrels: Qrels = new Map([
	['q1', new Map([['a', 1]])],
	[
		'q2',
		new Map([
			['b', 1],
			['c', 0],
		]),
	],
	['q3', new Map([['a', 1]])],
]);

test('the scores and correctness for fitting a temperature can be taken from a run and judgments', async t => {
	const {queries, scores, correct} = await judgedScores(run, qrels, {depth: 2});
	t.deepEqual(queries, ['q1', 'q2', 'q3']);
	t.deepEqual([scores.rows, scores.dim], [3, 2]);
	t.deepEqual([...scores.data], [1, -Infinity, 4, 3, -Infinity, -Infinity]);
	t.deepEqual(correct, [true, false, false]);
	t.is((await judgedScores(run, qrels)).scores.dim, 30);
	// With phrases, the scores are those of the phrases; whether the best hit is relevant does not change.
	const phrases: Run = new Map([
		[
			'q2',
			[
				{id: 'b:0-9', score: 8},
				{id: 'b:10-12', score: 7},
				{id: 'c:0-4', score: 6},
			],
		],
		['q1', [{id: 'a:0-5', score: 3}]],
	]);
	const byPhrases = await judgedScores(run, qrels, {depth: 2, phrases});
	t.deepEqual([...byPhrases.scores.data], [3, -Infinity, 8, 7, -Infinity, -Infinity]);
	t.deepEqual(byPhrases.correct, correct);
});

test('by default, the three models with the highest accuracy are selected, and ties keep their order', async t => {
	/** Makes a run with a single hit per query, from query id → passage id. */
	const runWith = (best: Record<string, string>): Run => new Map(Object.entries(best).map(([query, id]) => [query, [{id, score: 1}]]));
	const models = [
		{name: 'none', run: runWith({q1: 'x', q2: 'x', q3: 'x'})},
		{name: 'one', run: runWith({q1: 'a'}), temperature: 0.1},
		{name: 'all', run: runWith({q1: 'a', q2: 'b', q3: 'a'})},
		{name: 'another', run: runWith({q1: 'x', q2: 'c', q3: 'a'})},
	];
	const selected = await selectModels(models, qrels);
	t.deepEqual(
		selected.map(({name, accuracy}) => [name, accuracy]),
		[
			['all', 1],
			['one', 1 / 3],
			['another', 1 / 3],
		],
	);
	t.is(selected[1]!.temperature, 0.1);
	t.deepEqual(
		(await selectModels(models, qrels, {count: 1})).map(({name}) => name),
		['all'],
	);
});

test('the search for a temperature can be canceled and reports progress', async t => {
	const [scores, correct] = questions(20_000);
	let intervals = 0;
	const isCanceled = await succeedsOnce(async () => {
		const controller = new AbortController();
		const reason = new Error('enough');
		const searching = fitTemperature(scores, correct, {
			signal: controller.signal,
			onProgress({done, total}) {
				t.true(done <= total);
				if (done > 0) {
					intervals = total;
					controller.abort(reason);
				}
			},
		});
		return isAborted(searching, reason);
	});
	t.true(isCanceled);
	t.true(intervals > 100);
});

test('errors for invalid arguments say what was expected and what was given', async t => {
	const [scores, correct] = pairs(8);
	const message = async (work: Promise<unknown>, code: RetrievalError['code'] = 'ERR_ARGUMENT'): Promise<string> => {
		const error = await t.throwsAsync(work, {instanceOf: RetrievalError});
		t.is((error as RetrievalError).code, code);
		return error.message;
	};
	t.is(await message(fitTemperature(scores, [true])), 'correct: expected one boolean for each of 10 questions, got 1');
	t.is(await message(fitTemperature({...scores, dim: 3}, correct), 'ERR_DIMENSION'), 'scores: expected 10 × 3 values, got 20');
	t.is(
		await message(fitTemperature({data: Float32Array.of(1, Number.NaN), rows: 1, dim: 2}, [true])),
		'scores: expected finite numbers, or -Infinity for a missing score, got NaN',
	);
	t.is(await message(fitTemperature(scores, correct, {method: 'descent', start: 0})), 'start: expected a finite number above 0, got 0');
	t.is(
		await message(fitTemperature(scores, correct, {method: 'newton' as 'search'})),
		'method: expected one of search, descent, got "newton"',
	);
	t.is(
		await message(judgedScores(run, new Map([['p', new Map([['a', 1]])]]))),
		'run: expected queries with judgments, got none: the run begins with "q2", the judgments with "p"',
	);
	t.is(await message(fitFusionTemperature([])), 'models: expected at least one {scores, correct}, got none');
	const [fewerScores, fewerCorrect] = questions(9);
	t.is(
		await message(
			fitFusionTemperature([
				{scores, correct},
				{scores: fewerScores, correct: fewerCorrect},
			]),
		),
		'models[1]: expected 10 questions, as for the first model, got 9',
	);
	t.is(
		await message(
			fitFusionTemperature([
				{scores, correct},
				{scores, correct: []},
			]),
		),
		'models[1]: correct: expected one boolean for each of 10 questions, got 0',
	);
	t.is(await message(fitTemperature(scores, correct, {bins: 1001})), 'bins: expected a whole number from 1 to 1000, got 1001');
	t.is(
		await message(judgedScores(run, qrels, {phrases: [] as unknown as Run})),
		'phrases: expected a Map of query id to hits, got an Array',
	);
	t.is(await message(selectModels([], qrels)), 'models: expected at least one {name, run}, got none');
});
