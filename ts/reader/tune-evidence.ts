import {checkCount, checkInstance, checkNumber, checkOneOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {callNative} from '../core/native/native.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import type {AnswerKind, CallOptions, Question} from '../core/types.ts';
import {type ReadOptions, answerMerges} from './extractive-reader.ts';
import {Readings, checkedPassages, judgeOf} from './readings.ts';

/** Where values are tried, ends included. */
export interface SearchRange {
	readonly from: number;
	readonly to: number;
}

export interface TuneEvidenceOptions extends CallOptions {
	/** @default 'normalized' */
	readonly scoring?: 'original' | 'normalized' | undefined;
	/** Which answers are equal: as in `ReadOptions`. @default 'text' */
	readonly merge?: ReadOptions['merge'];
	/** Whether accepted answers are texts or regular expressions, as in `exactMatch`. @default 'text' */
	readonly answerKind?: AnswerKind | undefined;
	/** Numbers of passages, tried with each pair of weights. @default every 20 up to what was read, 500 at most; where fewer than 20 were read, all of them */
	readonly passages?: readonly number[] | undefined;
	/** Of β, above 0; for `normalized`. @default {from: 0.01, to: 2} */
	readonly beta?: SearchRange | undefined;
	/**
	Of γ, for `original`. Its size should be that of the reader's logits over that of the spread of retrieval scores: BM25 scores
	and DPR's inner products are covered; for scores of unit vectors take ten times as much. @default {from: 0, to: 2}
	*/
	readonly gamma?: SearchRange | undefined;
	/** Of δ = γ / β, for `normalized`; the same holds as for `gamma`. @default {from: 0, to: 2} */
	readonly delta?: SearchRange | undefined;
	/** The result does not depend on it. @default all cores */
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

/** One pair of weights with one number of passages. */
export interface EvidenceTrial {
	readonly beta: number;
	readonly gamma: number;
	readonly passages: number;
	/** Share of the answerable questions whose best answer is an accepted one, 0 to 1. */
	readonly exactMatch: number;
}

export interface TunedEvidence {
	/** For `ReadOptions.evidence`. */
	readonly evidence: {readonly beta: number; readonly gamma: number};
	readonly passages: number;
	readonly exactMatch: number;
	/** All that was tried, in order: weights by weights, each with every number of passages. */
	readonly trials: readonly EvidenceTrial[];
}

/**
The weights of evidence fusion and the number of passages with the highest exact match on questions, development ones as a rule
(Ma et al., 2021, §3, "Hyperparameters").

- `original`: β = 1; γ by steps of 0.05, then of 0.01 within ±0.04 of the best.
- `normalized`: β and δ = γ / β by steps of 0.2, then of 0.05 within ±0.15 of the best pair, then of 0.01 within ±0.04.

All within their ranges, and each with every number of passages. Of equal ones the fewest passages win, then the least γ, then
the β nearest to 1. Nothing is read: this is arithmetic on `readings`, and every trial counts the answers that
`readings.answers` gives with its weights. Progress counts pairs of weights, times questions with an accepted answer among
those that were read.

@example
```
const {evidence, passages} = await tuneEvidence(await readRun(reader, dev, devRun, store, {depth: 500, cache}), dev);
//=> {beta: 0.46, gamma: 0.31}, 100
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
