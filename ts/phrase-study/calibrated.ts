import {brierScore, confidence, expectedCalibrationError, maximumCalibrationError, reliability} from '../calibration/index.ts';
import {turnWithTime} from '../turn.ts';
import type {Vectors} from '../types.ts';
import type {Calibration} from './study.ts';

/** How far a model's confidence is from its accuracy, at a temperature. Scores are `[questions, k]`. */
export async function calibrated(
	{data, rows, dim}: Vectors,
	correct: readonly boolean[],
	temperature: number,
	bins: number,
): Promise<Calibration> {
	const predictions: Array<{confidence: number; correct: boolean}> = [];
	for (let row = 0; row < rows; row++) {
		await turnWithTime();
		// Where there are fewer than k scores the rest is −∞.
		const scores = data.subarray(row * dim, (row + 1) * dim).filter(score => score > Number.NEGATIVE_INFINITY);
		predictions.push({confidence: confidence(scores, temperature), correct: correct[row]!});
	}
	return {
		squared: expectedCalibrationError(predictions, {bins, form: 'squared'}),
		absolute: expectedCalibrationError(predictions, {bins, form: 'absolute'}),
		maximum: maximumCalibrationError(predictions, {bins}),
		brier: brierScore(predictions),
		bins: reliability(predictions, {bins})
			.filter(({count}) => count > 0)
			.map(({count, confidence, accuracy}) => ({count, confidence, accuracy})),
	};
}
