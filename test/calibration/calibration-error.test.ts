// Tests `confidence`, reliability bins, calibration errors and the Brier score.
import test from 'ava';
import * as fc from 'fast-check';
import {
	type Prediction,
	RetrievalError,
	brierScore,
	confidence,
	expectedCalibrationError,
	maximumCalibrationError,
	reliability,
} from '../../ts/index.ts';

const near = (a: number, b: number, within = 1e-12): boolean => Math.abs(a - b) <= within;

// With four bins, [0, 0.25) contains 0.1 (wrong), [0.25, 0.5) is empty, [0.5, 0.75) contains 0.5 (right) and 0.7 (wrong), and [0.75, 1]
// contains 0.75 and 1 (both right).
const predictions: readonly Prediction[] = [
	{confidence: 0.1, correct: false},
	{confidence: 0.5, correct: true},
	{confidence: 0.7, correct: false},
	{confidence: 0.75, correct: true},
	{confidence: 1, correct: true},
];

test('confidence is the softmax probability of the best score at a temperature', t => {
	// At temperature 1, the weights exp(score) are 3, 1 and 6.
	const scores = Float32Array.of(Math.log(3), 0, Math.log(6));
	t.true(near(confidence(scores, 1), 6 / 10, 1e-7));
	// A temperature of 1/2 squares the weights.
	t.true(near(confidence(scores, 0.5), 36 / 46, 1e-7));
	t.is(confidence(Float32Array.of(-3), 0.1), 1);
	t.is(confidence(new Float32Array(), 0.1), 0);
});

test('confidence does not overflow at temperatures where exp(score / T) is infinite', t => {
	const scores = Float32Array.of(80, 79, 78);
	for (const temperature of [0.1, 1e-3, 1e-300, Number.MIN_VALUE]) {
		t.is(Math.exp(80 / temperature), Infinity);
		t.true(near(confidence(scores, temperature), 1, 1e-4), String(temperature));
	}
	t.true(near(confidence(scores, 1e300), 1 / 3));
	t.is(confidence(Float32Array.of(5, 5, 1), 1e-9), 1 / 2);
});

test('bins report their count, mean confidence and accuracy', t => {
	t.deepEqual(
		reliability(predictions, {bins: 4}).map(({from, to, count}) => [from, to, count]),
		[
			[0, 0.25, 1],
			[0.25, 0.5, 0],
			[0.5, 0.75, 2],
			[0.75, 1, 2],
		],
	);
	const [, empty, third, last] = reliability(predictions, {bins: 4});
	t.deepEqual([empty!.confidence, empty!.accuracy], [0, 0]);
	t.true(near(third!.confidence, 0.6) && third!.accuracy === 0.5);
	t.true(near(last!.confidence, 0.875) && last!.accuracy === 1);
	t.is(reliability(predictions).length, 10);
});

test('calibration errors and the Brier score equal values computed by hand', t => {
	// The gaps between confidence and accuracy are 0.1, 0.1 (0.6 − 0.5) and 0.125 (1 − 0.875). Their weights are 1/5, 2/5 and 2/5.
	t.true(near(expectedCalibrationError(predictions, {bins: 4, form: 'absolute'}), 0.1 / 5 + 0.1 * 0.4 + 0.125 * 0.4));
	t.true(near(expectedCalibrationError(predictions, {bins: 4}), 0.01 / 5 + 0.01 * 0.4 + 0.015_625 * 0.4));
	t.true(near(maximumCalibrationError(predictions, {bins: 4}), 0.125));
	t.true(near(brierScore(predictions), (0.01 + 0.25 + 0.49 + 0.0625 + 0) / 5));
});

test('for random predictions, calibration errors and the Brier score equal those of a direct implementation of the formulas', t => {
	const prediction = fc.record({confidence: fc.double({min: 0, max: 1, noNaN: true}), correct: fc.boolean()});
	fc.assert(
		fc.property(fc.array(prediction, {minLength: 1, maxLength: 60}), fc.integer({min: 1, max: 20}), (all, bins) => {
			const nonEmptyBins = Array.from({length: bins}, (_, i) =>
				all.filter(({confidence}) => Math.min(Math.floor(confidence * bins), bins - 1) === i),
			)
				.filter(bin => bin.length > 0)
				.map(bin => ({
					share: bin.length / all.length,
					gap: bin.reduce((sum, {confidence, correct}) => sum + confidence - Number(correct), 0) / bin.length,
				}));
			const squared = nonEmptyBins.reduce((sum, {share, gap}) => sum + share * gap ** 2, 0);
			const absolute = nonEmptyBins.reduce((sum, {share, gap}) => sum + share * Math.abs(gap), 0);
			const brier = all.reduce((sum, {confidence, correct}) => sum + (confidence - Number(correct)) ** 2, 0) / all.length;
			return (
				near(expectedCalibrationError(all, {bins}), squared) &&
				near(expectedCalibrationError(all, {bins, form: 'absolute'}), absolute) &&
				near(maximumCalibrationError(all, {bins}), Math.max(...nonEmptyBins.map(({gap}) => Math.abs(gap)))) &&
				near(brierScore(all), brier)
			);
		}),
	);
	t.pass();
});

test('errors for invalid arguments say what was expected and what was given', t => {
	const message = (work: () => unknown): string => {
		const error = t.throws(work, {instanceOf: RetrievalError});
		t.is((error as RetrievalError).code, 'ERR_ARGUMENT');
		return error.message;
	};
	const scores = Float32Array.of(1, 2);
	t.is(
		message(() => confidence(scores, 0)),
		'temperature: expected a finite number above 0, got 0',
	);
	t.is(
		message(() => confidence(scores, -1)),
		'temperature: expected a finite number above 0, got -1',
	);
	t.is(
		message(() => confidence([1, 2] as unknown as Float32Array, 1)),
		'scores: expected a Float32Array, got an Array; pass Float32Array.from(it)',
	);
	t.is(
		message(() => confidence(Float32Array.of(1, Number.NaN), 1)),
		'scores: expected finite numbers, got NaN',
	);
	t.is(
		message(() => reliability([])),
		'predictions: expected at least one {confidence, correct}, got none',
	);
	t.is(
		message(() => brierScore([{confidence: 1.5, correct: true}])),
		'predictions[0]: confidence: expected a number from 0 to 1, got 1.5',
	);
	t.is(
		message(() => brierScore([{confidence: 0.5, correct: 1 as unknown as boolean}])),
		'predictions[0]: correct: expected a boolean, got 1',
	);
	t.is(
		message(() => expectedCalibrationError(predictions, {bins: 0})),
		'bins: expected a whole number from 1 to 1000000, got 0',
	);
	t.is(
		message(() => expectedCalibrationError(predictions, {form: 'cubic' as 'squared'})),
		'form: expected one of squared, absolute, got "cubic"',
	);
});
