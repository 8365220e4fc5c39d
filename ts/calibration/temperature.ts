/** Fits temperatures that calibrate the confidence of retrieval models (Yang et al., 2023, §3.2). */
import {checkArray, checkCount, checkFloats, checkObject, checkOneOf, isArray, kindOf, shown} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type Binding, callNative, native} from '../core/native/native.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import type {CallOptions, Vectors} from '../core/types.ts';

export interface TemperatureSearchOptions extends CallOptions {
	/** @default 'search' */
	readonly method?: 'search' | undefined;
	/** Number of bins of the calibration error, at most 1000. @default 10 */
	readonly bins?: number | undefined;
}

export interface TemperatureDescentOptions extends CallOptions {
	readonly method: 'descent';
	/** The initial temperature T₀. @default 0.1 */
	readonly start?: number | undefined;
	/** Factor by which the gradient is multiplied. @default 100 */
	readonly stepSize?: number | undefined;
	/** Maximum number of steps. @default 100 */
	readonly maxSteps?: number | undefined;
	/** Number of bins of the calibration error. @default 10 */
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

/** A temperature and the squared calibration error at it. */
export interface TemperatureFit {
	readonly temperature: number;
	readonly error: number;
}

/** The last temperature of a descent. */
export interface TemperatureDescent extends TemperatureFit {
	/** All temperatures, starting with `start`. */
	readonly path: readonly TemperatureFit[];
}

/** The results of one model for several questions, as `judgedScores` returns them. */
export interface ModelOutcomes {
	/** `[questions, k]`: the best scores of each question, −Infinity if the model found fewer than k. */
	readonly scores: Vectors;
	/** For each question, whether the model's best passage is right. */
	readonly correct: readonly boolean[];
}

/**
Fits the one temperature of model uncertainty fusion (Yang et al., 2023, §3.2): it minimizes the squared calibration error of
the fused predictions, which are those of the most confident model for each question. All models have the same questions in
the same order, and the same temperature.

`search` (the default) finds the temperature with the smallest error, within eight powers of ten around the spread of the
scores; on random data its error was at most 1.001 times the minimum. `descent` is the paper's method: T ← T − stepSize · dE/dT from T₀ = 0.1
with a step size of 100 (§4.2), where dE/dT uses the derivative of the most confident model's confidence. It ends when the
gradient is 0 or after `maxSteps` steps; a step to 0 or below halves the temperature instead. Its result depends on T₀ and on the
size of the scores: see docs/calibration.md. Progress counts intervals of temperatures, or steps.

Fails with `ERR_ARGUMENT` without models or if their numbers of questions differ, and with `ERR_DIMENSION` if `scores` does not
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
Fits the temperature of a single model: it minimizes the squared calibration error of Yang et al. (2023, §3.2), which is that
of `expectedCalibrationError`. Methods and options are those of `fitFusionTemperature`, which fits one temperature for several
models as the paper does; a temperature per model is an extension.

`scores` is `[questions, k]`: the best scores of each question, −Infinity if the model found fewer than k. `correct` says
whether its best passage is right. `judgedScores` returns both for a run.

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

async function fit(
	name: string,
	options: TemperatureSearchOptions | TemperatureDescentOptions,
	outcomes: () => readonly Outcomes[],
): Promise<TemperatureFit | TemperatureDescent> {
	// The options of a search are checked once the method is known.
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

/** Maximum number of bins of a search, which visits a breakpoint for every bin and question. */
const MAX_SEARCH_BINS = 1000;

interface Outcomes {
	readonly scores: Vectors;
	/** One value per question: 1 if the best passage is right, else 0. */
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

/** `at` is the start of error messages. */
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

function points({temperatures, errors}: Binding.NativePath): TemperatureFit[] {
	return Array.from(temperatures, (temperature, i) => ({temperature, error: errors[i]!}));
}
