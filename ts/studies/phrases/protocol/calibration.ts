/** Computes the calibration of predictions, in the form in which a study stores it. */
import {type Prediction, brierScore, expectedCalibrationError, maximumCalibrationError, reliability} from '../../../calibration/index.ts';
import type {Calibration} from '../study.ts';

/** Computes the calibration errors and the Brier score of predictions. */
export function calibrationOf(predictions: readonly Prediction[], bins: number): Calibration {
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
