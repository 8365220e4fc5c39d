/** Fits temperatures that calibrate the confidence of retrieval models (Yang et al., 2023, §3.2). */
import {checkArray, checkCount, checkFloats, checkObject, checkOneOf, isArray, kindOf, shown} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type Binding, callNative, native} from '../core/native/native.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import type {CallOptions, Vectors} from '../core/types.ts';

/** Fits by a search over a wide range of temperatures: see `fitFusionTemperature`. */
export interface TemperatureSearchOptions extends CallOptions {
	/** @default 'search' */
	readonly method?: 'search' | undefined;
	/** Number of bins of the calibration error, 1 to 1000. @default 10 */
	readonly bins?: number | undefined;
}

/** Fits by gradient descent, as in Yang et al. (2023, §4.2). */
export interface TemperatureDescentOptions extends CallOptions {
	readonly method: 'descent';
	/** The initial temperature T₀, above 0. @default 0.1 */
	readonly start?: number | undefined;
	/** The learning rate, above 0: a step subtracts `stepSize` times the gradient. @default 100 */
	readonly stepSize?: number | undefined;
	/** Maximum number of steps. @default 100 */
	readonly maxSteps?: number | undefined;
	/** Number of bins of the calibration error, 1 to 1,000,000. @default 10 */
	readonly bins?: number | undefined;
}

const searchOptions: OptionNames = optionNames<TemperatureSearchOptions>({...callNames, method: true, bins: true});
const descentOptions: OptionNames = optionNames<TemperatureDescentOptions>({
	...callNames,
	method: true,
	bins: true,
	start: true,
	stepSize: true,
	maxSteps: true,
});

/** A temperature and its error. */
export interface TemperatureFit {
	readonly temperature: number;
	/** The squared calibration error at this temperature: see `expectedCalibrationError`. */
	readonly error: number;
}

/** The last temperature of a gradient descent. */
export interface TemperatureDescent extends TemperatureFit {
	/** The temperature and error at `start`, then after each step. */
	readonly path: readonly TemperatureFit[];
}

/** The results of one model for several questions, as `judgedScores` returns them. */
export interface ModelOutcomes {
	/** `[questions, k]`: the k best scores of each question, padded with −Infinity if the model found fewer. */
	readonly scores: Vectors;
	/** For each question, whether the model's best passage is relevant. */
	readonly correct: readonly boolean[];
}

/**
Fits the temperature of model uncertainty fusion (Yang et al., 2023, §3.2), which all models share. It minimizes the squared calibration
error E of the fused predictions, that is, of the prediction of the most confident model for each question. All models must have the same
questions in the same order.

- `search` (the default) finds the temperature with the smallest error. It tries temperatures from 10⁻⁴ to 10⁴ times the mean difference
  between the best score of a question and its other scores. In tests with random data, the error was at most 1.001 times the minimum.
  Progress counts intervals of temperatures.
- `descent` is the paper's method (§4.2): gradient descent with T ← T − stepSize · dE/dT. For dE/dT, the most confident model of each
  question is taken as fixed. A step that would lead to 0 or below halves the temperature instead. The descent ends when a step does not
  change the temperature, or after `maxSteps` steps. The result depends on the initial temperature and on the scale of the scores: see
  docs/calibration.md. Progress counts steps.

Fails with `ERR_ARGUMENT` if there are no models or if their numbers of questions differ, and with `ERR_DIMENSION` if `scores` does not
have rows × dim values.

@example
```
const models = [];
for (const {run, phrases} of runs) {
	models.push(await judgedScores(run, qrels, {phrases}));
}
const {temperature} = await fitFusionTemperature(models);
const paper = await fitFusionTemperature(models, {method: 'descent'});
```
*/
export async function fitFusionTemperature(
	models: readonly ModelOutcomes[],
	options: TemperatureDescentOptions,
): Promise<TemperatureDescent>;
export async function fitFusionTemperature(
	models: readonly ModelOutcomes[],
	options?: TemperatureSearchOptions | TemperatureDescentOptions,
): Promise<TemperatureFit>;
export async function fitFusionTemperature(
	models: readonly ModelOutcomes[],
	options: TemperatureSearchOptions | TemperatureDescentOptions = {},
): Promise<TemperatureFit | TemperatureDescent> {
	checkArray('models', models, '{scores, correct}');
	if (models.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'models: expected at least one {scores, correct}, got none');
	}
	return fit('fitFusionTemperature', options, () =>
		models.map((model, i) => {
			const at = `models[${i}]: `;
			checkObject(`models[${i}]`, model, '{scores, correct}');
			const checked = checkOutcomes(model.scores, model.correct, at);
			const {rows} = models[0]!.scores;
			if (model.scores.rows !== rows) {
				throw new RetrievalError('ERR_ARGUMENT', `${at}expected ${rows} questions, as for the first model, got ${model.scores.rows}`);
			}
			return checked;
		}),
	);
}

/**
Fits the temperature of a single model. It minimizes the squared calibration error (`expectedCalibrationError`; Yang et al., 2023, §3.2).
Methods, options and errors are those of `fitFusionTemperature`, which fits a common temperature for several models as the paper does. A
temperature for each model is an extension of the paper's method.

`scores` is `[questions, k]`: the k best scores of each question, padded with −Infinity if the model found fewer. `correct` says for each
question whether the model's best passage is relevant. `judgedScores` computes both from a run.

@example
```
const {scores, correct} = await judgedScores(await searcher.searchMany(questions, {k: 30}), qrels);
const {temperature, error} = await fitTemperature(scores, correct);
//=> {temperature: 0.0624…, error: 0.0017…}
const {path} = await fitTemperature(scores, correct, {method: 'descent', start: 0.1});
```
*/
export async function fitTemperature(
	scores: Vectors,
	correct: readonly boolean[],
	options: TemperatureDescentOptions,
): Promise<TemperatureDescent>;
export async function fitTemperature(
	scores: Vectors,
	correct: readonly boolean[],
	options?: TemperatureSearchOptions | TemperatureDescentOptions,
): Promise<TemperatureFit>;
export async function fitTemperature(
	scores: Vectors,
	correct: readonly boolean[],
	options: TemperatureSearchOptions | TemperatureDescentOptions = {},
): Promise<TemperatureFit | TemperatureDescent> {
	return fit('fitTemperature', options, () => [checkOutcomes(scores, correct)]);
}

/** Checks the options and fits a common temperature to the outcomes of one or more models. `name` is the start of error messages. */
async function fit(
	name: string,
	options: TemperatureSearchOptions | TemperatureDescentOptions,
	outcomes: () => readonly Outcomes[],
): Promise<TemperatureFit | TemperatureDescent> {
	// Checks the names of options twice: first against those of both methods, then, when the method is known, against those of this method.
	checkOptions(name, options, descentOptions);
	const {method = 'search', bins = 10} = options;
	checkOneOf('method', method, ['search', 'descent']);
	checkOptions(`${name} by ${method}`, options, method === 'search' ? searchOptions : descentOptions);
	checkCount('bins', bins, 1, method === 'search' ? MAX_SEARCH_BINS : MAX_BINS);
	const models = outcomes();
	const scores = models.map(({scores}) => scores.data);
	const ks = models.map(({scores}) => scores.dim);
	const correct = models.map(({correct}) => correct);
	if (options.method !== 'descent') {
		const [found] = points(await callNative(options, control => native.searchTemperature(scores, ks, correct, bins, control)));
		return found!;
	}
	const {start = 0.1, stepSize = 100, maxSteps = 100} = options;
	checkTemperature('start', start);
	checkTemperature('stepSize', stepSize);
	checkCount('maxSteps', maxSteps, 0);
	const path = points(
		await callNative(options, control => native.descendTemperature(scores, ks, correct, bins, start, stepSize, maxSteps, control)),
	);
	return {...path.at(-1)!, path};
}

/** Maximum number of bins of a search, whose running time grows with the number of bins times the number of questions. */
const MAX_SEARCH_BINS = 1000;

interface Outcomes {
	readonly scores: Vectors;
	/** One value per question: 1 if the best passage is relevant, else 0. */
	readonly correct: Uint8Array;
}

/** @internal Maximum number of bins. More would only waste memory. */
export const MAX_BINS = 1_000_000;

/** @internal */
export function checkTemperature(what: string, value: unknown): asserts value is number {
	if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a finite number above 0, got ${shown(value)}`);
	}
}

/** @internal Converts booleans to 0 and 1. `what` names the value with index `i` in error messages. */
export function checkCorrect(correct: readonly boolean[], what: (i: number) => string): Uint8Array {
	return Uint8Array.from(correct, (value, i) => {
		if (typeof value !== 'boolean') {
			throw new RetrievalError('ERR_ARGUMENT', `${what(i)}: expected a boolean, got ${shown(value)}`);
		}
		return Number(value);
	});
}

/** Checks the results of a model. `at` is the start of error messages. */
function checkOutcomes(scores: Vectors, correct: readonly boolean[], at = ''): Outcomes {
	checkObject(`${at}scores`, scores, '{data, rows, dim}');
	checkCount(`${at}scores: dim`, scores.dim, 1);
	checkCount(`${at}scores: rows`, scores.rows, 1);
	checkFloats(`${at}scores: data`, scores.data, undefined, scores.rows * scores.dim);
	if (scores.data.length !== scores.rows * scores.dim) {
		throw new RetrievalError('ERR_DIMENSION', `${at}scores: expected ${scores.rows} × ${scores.dim} values, got ${scores.data.length}`);
	}
	if (!isArray(correct) || correct.length !== scores.rows) {
		const got = isArray(correct) ? String(correct.length) : kindOf(correct);
		throw new RetrievalError('ERR_ARGUMENT', `${at}correct: expected one boolean for each of ${scores.rows} questions, got ${got}`);
	}
	return {scores, correct: checkCorrect(correct, i => `${at}correct[${i}]`)};
}

/** Converts the columns that the addon returns. */
function points({temperatures, errors}: Binding.NativePath): TemperatureFit[] {
	return Array.from(temperatures, (temperature, i) => ({temperature, error: errors[i]!}));
}
