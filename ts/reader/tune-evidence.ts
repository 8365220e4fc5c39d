/** Tunes the weights of evidence fusion and the number of passages on development questions. */
import {checkCount, checkInstance, checkNumber, checkOneOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {callNative} from '../core/native/native.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import type {AnswerKind, CallOptions, Question} from '../core/types.ts';
import {type ReadOptions, answerMerges} from './extractive-reader.ts';
import {Readings, checkedPassages, judgeOf} from './readings.ts';

/** The range in which values are tried, both ends included. */
export interface SearchRange {
	readonly from: number;
	readonly to: number;
}

export interface TuneEvidenceOptions extends CallOptions {
	/** How spans are scored, as in `ReadOptions`: it decides which weights are searched. @default 'normalized' */
	readonly scoring?: 'original' | 'normalized' | undefined;
	/** Which answers count as equal, as in `ReadOptions`. @default 'text' */
	readonly merge?: ReadOptions['merge'];
	/** Whether accepted answers are texts or regular expressions, as in `exactMatch`. @default 'text' */
	readonly answerKind?: AnswerKind | undefined;
	/**
	Numbers of passages to try with each pair of weights.
	@default the multiples of 20 up to the depth of the readings, at most 500; the depth itself if it is below 20
	*/
	readonly passages?: readonly number[] | undefined;
	/** Range of β, the weight of the reader's relevance, for `normalized`. Above 0. @default {from: 0.01, to: 2} */
	readonly beta?: SearchRange | undefined;
	/**
	Range of γ, the weight of the retrieval score, for `original`: relevance becomes β · relevance + γ · score. γ should be about the size of the reader's logits divided by the spread of the retrieval scores. The
	default suits BM25 scores and DPR's inner products. For scores of unit vectors use ten times as much. @default {from: 0, to: 2}
	*/
	readonly gamma?: SearchRange | undefined;
	/** Range of δ = γ / β, for `normalized`. Choose it as for `gamma`. @default {from: 0, to: 2} */
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
	/** Share of the answerable questions whose best answer is accepted, 0 to 1. */
	readonly exactMatch: number;
}

export interface TunedEvidence {
	/** The best weights, for `ReadOptions.evidence`. */
	readonly evidence: {readonly beta: number; readonly gamma: number};
	readonly passages: number;
	readonly exactMatch: number;
	/** All trials in order: for each pair of weights, one trial for every number of passages. */
	readonly trials: readonly EvidenceTrial[];
}

/**
Finds the weights of evidence fusion and the number of passages with the highest exact match on (usually development) questions, by a
grid search as in Ma et al. (2021, §3, "Hyperparameters").

- `original`: β = 1; γ in steps of 0.05, then in steps of 0.01 within ±0.04 of the best.
- `normalized`: β and δ = γ / β in steps of 0.2, then of 0.05 within ±0.15 of the best pair, then of 0.01 within ±0.04.

All values stay within their ranges, and every pair of weights is tried with every number of passages. Ties are broken by the
fewest passages, then by the smallest γ, then by the β nearest to 1. The model does not run: every trial scores the answers that
`readings.answers` returns for its weights. The total of the progress is the number of pairs
of weights times the number of answerable questions that were read.

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
	const passages = checkedPassages(options.passages ?? everyTwenty(readings.depth));
	const beta = checkedRange('beta', options.beta ?? {from: 0.01, to: 2});
	const weight = scoring === 'original' ? 'gamma' : 'delta';
	const weights = checkedRange(weight, options[weight] ?? {from: 0, to: 2});
	const {judge, ids} = await judgeOf(readings, questions, options.answerKind);
	if (ids.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'tuneEvidence: expected questions with accepted answers, got none');
	}
	const tuned = await callNative(options, async control => judge.tune({scoring, merge, passages, beta, weight: weights, threads}, control));
	const trials: EvidenceTrial[] = [];
	for (const [i, right] of tuned.right.entries()) {
		trials.push({beta: tuned.betas[i]!, gamma: tuned.gammas[i]!, passages: tuned.passages[i]!, exactMatch: right / ids.length});
	}
	const best = trials[tuned.best]!;
	return {evidence: {beta: best.beta, gamma: best.gamma}, passages: best.passages, exactMatch: best.exactMatch, trials};
}

function everyTwenty(depth: number): number[] {
	const steps = Math.min(Math.floor(depth / 20), 25);
	return steps === 0 ? [Math.max(depth, 1)] : Array.from({length: steps}, (_, i) => 20 * (i + 1));
}

function checkedRange(what: string, range: SearchRange): number[] {
	checkRequiredOptions(what, range, rangeOptions);
	const {from, to} = range;
	checkNumber(`${what}: from`, from);
	checkNumber(`${what}: to`, to);
	if (to < from) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a range from a number to one not below it, got ${from} to ${to}`);
	}
	return [from, to];
}
