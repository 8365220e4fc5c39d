/** Measures how well confidence agrees with accuracy: calibration errors, the Brier score, and reliability bins. */
import {checkArray, checkCount, checkOneOf, shown} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type Binding, callSync, native} from '../core/native/native.ts';
import {type OptionNames, checkOptions, optionNames} from '../core/options.ts';
import {MAX_BINS, checkCorrect} from './temperature.ts';

/** A prediction, such as the first hit for a question. */
export interface Prediction {
	/** The stated probability that the prediction is correct, 0 to 1. */
	readonly confidence: number;
	/** Whether the prediction was correct. */
	readonly correct: boolean;
}

/** How predictions are grouped by their confidence. */
export interface BinOptions {
	/**
	Number of bins of equal width, 1 to 1,000,000. With N bins, bin i (from 0) contains the confidences in [i/N, (i + 1)/N); the last one also
	contains 1. @default 10
	*/
	readonly bins?: number | undefined;
}

/** The options of `expectedCalibrationError`. */
export interface CalibrationErrorOptions extends BinOptions {
	/** Whether the differences between confidence and accuracy are squared. @default 'squared' */
	readonly form?: 'squared' | 'absolute' | undefined;
}

const binOptions: OptionNames = optionNames<BinOptions>({bins: true});
const errorOptions: OptionNames = optionNames<CalibrationErrorOptions>({bins: true, form: true});

/** The predictions of one bin of confidences. */
export interface ReliabilityBin {
	/** Lower bound of the confidences, included. */
	readonly from: number;
	/** Upper bound of the confidences, excluded; the last bin includes 1. */
	readonly to: number;
	/** Number of predictions. */
	readonly count: number;
	/** Mean confidence; 0 for an empty bin. */
	readonly confidence: number;
	/** Share of correct predictions; 0 for an empty bin. */
	readonly accuracy: number;
}

/**
Computes the expected calibration error: the mean of the squared or absolute differences between confidence and accuracy over bins of
confidences, weighted by the number of predictions. 0 is best. There are n predictions; a bin B has |B| of them, with the mean confidence
conf(B) and the share acc(B) of correct predictions:

- `squared`: Σ |B|/n · (conf(B) − acc(B))² (Yang et al., 2023, §3.2).
- `absolute`: Σ |B|/n · |conf(B) − acc(B)| (Guo et al., 2017, equation 3).

Fails with `ERR_ARGUMENT` if there are no predictions or a confidence is not from 0 to 1.

@example
```
expectedCalibrationError([{confidence: 0.9, correct: true}, {confidence: 0.95, correct: false}], {form: 'absolute'});
//=> 0.425
```
*/
export function expectedCalibrationError(predictions: readonly Prediction[], options: CalibrationErrorOptions = {}): number {
	checkOptions('expectedCalibrationError', options, errorOptions);
	const {form = 'squared'} = options;
	checkOneOf('form', form, ['squared', 'absolute']);
	const {squaredError, absoluteError} = binned(predictions, options);
	return form === 'squared' ? squaredError : absoluteError;
}

/**
Computes the maximum calibration error: the largest difference between mean confidence and accuracy in a bin that is not empty (Guo et al.,
2017, equation 5). 0 is best. Fails like `expectedCalibrationError`.

@example
```
maximumCalibrationError([{confidence: 0.9, correct: true}, {confidence: 0.2, correct: false}]);
//=> 0.2
```
*/
export function maximumCalibrationError(predictions: readonly Prediction[], options: BinOptions = {}): number {
	checkOptions('maximumCalibrationError', options, binOptions);
	return binned(predictions, options).maxError;
}

/**
Computes the Brier score: the mean of (confidence − correct)², where correct is 0 or 1 (Brier, 1950). 0 is best. It needs no bins
and, unlike calibration errors, it rewards a model that separates correct from wrong predictions. Fails like `expectedCalibrationError`.

@example
```
brierScore([{confidence: 0.9, correct: true}, {confidence: 0.2, correct: false}]);
//=> 0.025
```
*/
export function brierScore(predictions: readonly Prediction[]): number {
	const {confidences, correct} = columns(predictions);
	return callSync(() => native.brierScore(confidences, correct));
}

/**
Groups predictions into bins by confidence, lowest confidences first. `reliabilityDiagram` draws these bins. Fails like
`expectedCalibrationError`.

@example
```
reliability([{confidence: 0.9, correct: true}, {confidence: 0.95, correct: false}], {bins: 2})[1];
//=> {from: 0.5, to: 1, count: 2, confidence: 0.925, accuracy: 0.5}
```
*/
export function reliability(predictions: readonly Prediction[], options: BinOptions = {}): ReliabilityBin[] {
	checkOptions('reliability', options, binOptions);
	const {counts, confidences, accuracies} = binned(predictions, options);
	const bins = counts.length;
	return Array.from(counts, (count, i) => ({
		from: i / bins,
		to: (i + 1) / bins,
		count,
		confidence: confidences[i]!,
		accuracy: accuracies[i]!,
	}));
}

function binned(predictions: readonly Prediction[], {bins = 10}: BinOptions): Binding.NativeBins {
	checkCount('bins', bins, 1, MAX_BINS);
	const {confidences, correct} = columns(predictions);
	return callSync(() => native.calibrationBins(confidences, correct, bins));
}

/** Checks the predictions. Returns their confidences and, as 1 or 0, whether they are correct. */
function columns(predictions: readonly Prediction[]): {readonly confidences: Float64Array; readonly correct: Uint8Array} {
	checkArray('predictions', predictions, '{confidence, correct}');
	if (predictions.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'predictions: expected at least one {confidence, correct}, got none');
	}
	const confidences = Float64Array.from(predictions, (prediction, i) => {
		const confidence: unknown = prediction?.confidence;
		if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1)) {
			throw new RetrievalError('ERR_ARGUMENT', `predictions[${i}]: confidence: expected a number from 0 to 1, got ${shown(confidence)}`);
		}
		return confidence;
	});
	const truths = predictions.map(({correct}) => correct);
	return {confidences, correct: checkCorrect(truths, i => `predictions[${i}]: correct`)};
}
