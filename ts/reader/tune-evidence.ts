/** Tunes the weights of evidence fusion and the number of passages on development questions. */
import {checkCount, checkInstance, checkNumber, checkOneOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {callNative} from '../core/native/native.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import type {AnswerKind, CallOptions, Question} from '../core/types.ts';
import {type ReadOptions, answerMerges} from './extractive-reader.ts';
import {Readings, checkedPassages, judgeOf} from './readings.ts';

/** The range of the values that are tried, including both ends. */
export interface SearchRange {
	readonly from: number;
	readonly to: number;
}

/**
The options of `tuneEvidence`. In evidence fusion, the relevance of a passage becomes β · relevance + γ · retrieval score. With the scoring
`original`, only γ is tuned; with `normalized`, β and δ = γ / β are tuned.
*/
export interface TuneEvidenceOptions extends CallOptions {
	/** How answers are scored, as in `ReadOptions`. @default 'normalized' */
	readonly scoring?: 'original' | 'normalized' | undefined;
	/** Which spans are merged into one answer, as in `ReadOptions`. @default 'text' */
	readonly merge?: ReadOptions['merge'];
	/** Whether accepted answers are texts or regular expressions, as for the function `exactMatch`. @default 'text' */
	readonly answerKind?: AnswerKind | undefined;
	/**
	Numbers of passages to try with each pair of weights.
	@default the multiples of 20 up to the depth of the readings, at most 500; the depth itself if it is below 20
	*/
	readonly passages?: readonly number[] | undefined;
	/** Range of β, the weight of the relevance, for `normalized`. `from` must be above 0. @default {from: 0.01, to: 2} */
	readonly beta?: SearchRange | undefined;
	/**
	Range of γ, the weight of the retrieval score, for `original`. It should include the ratio between the size of the reader's logits and the
	spread of the retrieval scores. The default suits BM25 scores and DPR's inner products. For vectors of unit length, use a range ten
	times as large. @default {from: 0, to: 2}
	*/
	readonly gamma?: SearchRange | undefined;
	/** Range of δ = γ / β, for `normalized`. Choose it in the same way as `gamma`. @default {from: 0, to: 2} */
	readonly delta?: SearchRange | undefined;
	/** Number of threads. The result does not depend on it. @default all cores */
	readonly threads?: number | undefined;
}

const tuneOptions: OptionNames = optionNames<TuneEvidenceOptions>({
	...callNames,
	scoring: true,
	merge: true,
	answerKind: true,
	passages: true,
	beta: true,
	gamma: true,
	delta: true,
	threads: true,
});
const rangeOptions: OptionNames = optionNames<SearchRange>({from: true, to: true});

/** The result for one pair of weights and one number of passages. */
export interface EvidenceTrial {
	readonly beta: number;
	readonly gamma: number;
	readonly passages: number;
	/** Share of the questions with accepted answers for which the best answer is accepted, 0 to 1. */
	readonly exactMatch: number;
}

/** The result of `tuneEvidence`. */
export interface TunedEvidence {
	/** The best weights, for `ReadOptions.evidence`. */
	readonly evidence: {readonly beta: number; readonly gamma: number};
	/** The best number of passages. */
	readonly passages: number;
	/** The exact match of the best trial, 0 to 1. */
	readonly exactMatch: number;
	/** All trials in order: for each pair of weights, one trial for every number of passages. */
	readonly trials: readonly EvidenceTrial[];
}

/**
Finds the weights of evidence fusion and the number of passages that give the highest exact match on development questions, by a grid search
as in Ma et al. (2021, §3, "Hyperparameters").

- With the scoring `original`, β is 1. γ is tried in steps of 0.05, then in steps of 0.01 within ±0.04 of the best value.
- With `normalized`, β and δ = γ / β are tried in steps of 0.2, then in steps of 0.05 within ±0.15 of the best pair, then in steps of 0.01
  within ±0.04 of the best pair.

All values stay within their ranges, and every pair of weights is tried with every number of passages. If several trials are best, the one
with the fewest passages wins, then the one with the smallest γ, then the one with β nearest to 1. The model does not run: a trial evaluates
the answers that `readings.answers` returns for its weights. Fails with `ERR_ARGUMENT` if no question has accepted answers. Progress counts
questions, once for every pair of weights.

@example
```
const readings = await readRun(reader, dev, devRun, store, {depth: 500, cache});
const {evidence, passages} = await tuneEvidence(readings, dev);
//=> {evidence: {beta: 0.46, gamma: 0.31}, passages: 100, …}
const answers = await readings.answers({evidence, passages});
```
*/
export async function tuneEvidence(
	readings: Readings,
	questions: readonly Question[],
	options: TuneEvidenceOptions = {},
): Promise<TunedEvidence> {
	checkInstance('readings', readings, Readings);
	checkOptions('tuneEvidence', options, tuneOptions);
	const {scoring = 'normalized', merge = 'text', threads = 0} = options;
	checkOneOf('scoring', scoring, ['original', 'normalized']);
	checkOneOf('merge', merge, answerMerges);
	checkCount('threads', threads, 0);
	const passages = checkedPassages(options.passages ?? multiplesOfTwenty(readings.depth));
	const betaRange = checkedRange('beta', options.beta ?? {from: 0.01, to: 2});
	const weight = scoring === 'original' ? 'gamma' : 'delta';
	const weightRange = checkedRange(weight, options[weight] ?? {from: 0, to: 2});
	const {judge, ids} = await judgeOf(readings, questions, options.answerKind);
	if (ids.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'tuneEvidence: expected questions with accepted answers, got none');
	}
	const tuned = await callNative(options, async control =>
		judge.tune({scoring, merge, passages, beta: betaRange, weight: weightRange, threads}, control),
	);
	const trials: EvidenceTrial[] = [];
	for (const [i, right] of tuned.right.entries()) {
		trials.push({beta: tuned.betas[i]!, gamma: tuned.gammas[i]!, passages: tuned.passages[i]!, exactMatch: right / ids.length});
	}
	const best = trials[tuned.best]!;
	return {evidence: {beta: best.beta, gamma: best.gamma}, passages: best.passages, exactMatch: best.exactMatch, trials};
}

/** The multiples of 20 up to `depth`, at most 500; `depth` itself if it is below 20. */
function multiplesOfTwenty(depth: number): number[] {
	const count = Math.min(Math.floor(depth / 20), 25);
	return count === 0 ? [Math.max(depth, 1)] : Array.from({length: count}, (_, i) => 20 * (i + 1));
}

/** Checks a range and returns its two ends. `what` is the name of the option. */
function checkedRange(what: string, range: SearchRange): number[] {
	checkRequiredOptions(what, range, rangeOptions);
	const {from, to} = range;
	checkNumber(`${what}: from`, from);
	checkNumber(`${what}: to`, to);
	if (to < from) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a range that does not end below its start, got ${from} to ${to}`);
	}
	return [from, to];
}
