import {checkCount, checkFloats, checkObject, checkOneOf, isArray, kindOf, shown} from '../check.ts';
import {RetrievalError} from '../errors.ts';
import {type Binding, callNative, native} from '../native.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../options.ts';
import type {CallOptions, Vectors} from '../types.ts';

export interface TemperatureSearchOptions extends CallOptions {
	/** @default 'search' */
	readonly method?: 'search' | undefined;
	/** Bins of the calibration error. @default 10 */
	readonly bins?: number | undefined;
}

export interface TemperatureDescentOptions extends CallOptions {
	readonly method: 'descent';
	/** Where it begins, T₀. @default 0.1 */
	readonly start?: number | undefined;
	/** What the gradient is multiplied by. @default 100 */
	readonly stepSize?: number | undefined;
	/** Steps at most. @default 100 */
	readonly steps?: number | undefined;
	/** Bins of the calibration error. @default 10 */
	readonly bins?: number | undefined;
}

const searchOptions: OptionNames = optionNames<TemperatureSearchOptions>({...callNames, method: true, bins: true});
const descentOptions: OptionNames = optionNames<TemperatureDescentOptions>({
	...callNames,
	method: true,
	bins: true,
	start: true,
	stepSize: true,
	steps: true,
});

/** A temperature, and the squared calibration error there. */
export interface TemperatureFit {
	readonly temperature: number;
	readonly error: number;
}

/** Where a descent ended. */
export interface TemperatureDescent extends TemperatureFit {
	/** Where it was, from the start to the end. */
	readonly path: readonly TemperatureFit[];
}

/**
The temperature at which a model's confidence is nearest to how often it is right: with the least squared calibration error
of Yang et al. (2023, §3.2), that of `expectedCalibrationError`.

`search` looks over eight powers of ten around the spread of the scores, then closer around the best; it needs no start and no
step. `descent` is the paper's: T ← T − step · dE/dT from T₀ = 0.1 with a step of 100 (§4.2), until the gradient is 0 or the steps
are done; a step that would lead to 0 or below leads half the way there. Where it ends depends on the start and on the size of
the scores, and need not be good: docs/calibration.md.

`scores` is `[questions, k]`, each row a question's best scores, −Infinity where the model found fewer than k; `correct` says
whether its best passage is right. `judgedScores` has both of a run. Progress counts temperatures looked at.

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
	// Search options are checked later, when it is known that this is a search.
	checkOptions('fitTemperature', options, descentOptions);
	const {method = 'search', bins = 10} = options;
	checkOneOf('method', method, ['search', 'descent']);
	checkOptions(`fitTemperature by ${method}`, options, method === 'search' ? searchOptions : descentOptions);
	checkCount('bins', bins, 1, MOST_BINS);
	const truths = checkOutcomes(scores, correct);
	const {data, dim} = scores;
	if (options.method !== 'descent') {
		const [found] = points(await callNative(options, control => native.searchTemperature(data, dim, truths, bins, control)));
		return found!;
	}
	const {start = 0.1, stepSize = 100, steps = 100} = options;
	checkTemperature('start', start);
	checkTemperature('stepSize', stepSize);
	checkCount('steps', steps, 0);
	const path = points(
		await callNative(options, control => native.descendTemperature(data, dim, truths, bins, start, stepSize, steps, control)),
	);
	return {...path.at(-1)!, path};
}

/** @internal More would be memory for nothing. */
export const MOST_BINS = 1_000_000;

/** @internal */
export function checkTemperature(what: string, value: unknown): asserts value is number {
	if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a finite number above 0, got ${shown(value)}`);
	}
}

/** @internal Each 0 or 1. */
export function checkCorrect(correct: readonly boolean[], what: (i: number) => string): Uint8Array {
	return Uint8Array.from(correct, (value, i) => {
		if (typeof value !== 'boolean') {
			throw new RetrievalError('ERR_ARGUMENT', `${what(i)}: expected a boolean, got ${shown(value)}`);
		}
		return Number(value);
	});
}

function checkOutcomes(scores: Vectors, correct: readonly boolean[]): Uint8Array {
	checkObject('scores', scores, '{data, rows, dim}');
	checkCount('scores: dim', scores.dim, 1);
	checkCount('scores: rows', scores.rows, 1);
	checkFloats('scores: data', scores.data, undefined, scores.rows * scores.dim);
	if (scores.data.length !== scores.rows * scores.dim) {
		throw new RetrievalError('ERR_DIMENSION', `scores: expected ${scores.rows} × ${scores.dim} values, got ${scores.data.length}`);
	}
	if (!isArray(correct) || correct.length !== scores.rows) {
		const got = isArray(correct) ? String(correct.length) : kindOf(correct);
		throw new RetrievalError('ERR_ARGUMENT', `correct: expected one boolean for each of ${scores.rows} questions, got ${got}`);
	}
	return checkCorrect(correct, i => `correct[${i}]`);
}

function points({temperatures, errors}: Binding.NativePath): TemperatureFit[] {
	return Array.from(temperatures, (temperature, i) => ({temperature, error: errors[i]!}));
}
