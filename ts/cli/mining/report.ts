/** What commands show while they mine training examples, and afterwards. */
import {RetrievalError} from '../../core/errors.ts';
import type {MiningProgress, MiningStage, MiningStatistics} from '../../training/index.ts';
import {amountOf, note} from '../output.ts';
import {ProgressBar} from '../progress.ts';

/** Labels and units of the progress bars. */
const bars: Readonly<Record<MiningStage, readonly [label: string, unit: string]>> = {
	read: ['read', 'bytes'],
	index: ['bm25', 'passages'],
	positives: ['match', 'questions'],
	negatives: ['mine', 'questions'],
};

/** A progress bar for each stage of mining. */
export class MiningBars {
	#bar: ProgressBar | undefined;
	#stage: MiningStage | undefined;

	update({stage, ...progress}: MiningProgress): void {
		if (stage !== this.#stage) {
			this.end();
			this.#stage = stage;
			this.#bar = new ProgressBar(...bars[stage]);
		}
		this.#bar?.update(progress);
	}

	/** Clears the current bar. */
	end(): void {
		this.#bar?.end();
		this.#bar = undefined;
		this.#stage = undefined;
	}
}

const reasons: Readonly<Record<keyof MiningStatistics['dropped'], string>> = {
	nothingToMatch: 'without the ids, context or answers by which positives are found',
	unknownIds: 'whose gold passages are not among the passages',
	unmatchedContext: 'whose context matches no passage',
	contextWithoutAnswer: 'whose context matches only passages without an answer',
	noPassageWithAnswer: 'without an answer in the best passages',
};

/** Mining statistics for JSON: the numbers of dropped questions instead of their ids. */
export type MiningSummary = Omit<MiningStatistics, 'dropped'> & {readonly dropped: Readonly<Record<string, number>>};

export function miningSummary(statistics: MiningStatistics): MiningSummary {
	const dropped = Object.entries(statistics.dropped).map(([reason, ids]) => [reason, ids.length] as const);
	return {...statistics, dropped: Object.fromEntries(dropped)};
}

/** Fails if no question has a positive, and says why. */
export function checkMined(command: string, {questions, examples, dropped}: MiningStatistics): void {
	if (examples > 0) {
		return;
	}
	const causes = Object.entries(dropped)
		.filter(([, ids]) => ids.length > 0)
		.map(([reason, ids]) => `${amountOf(ids.length, 'question')} ${reasons[reason as keyof typeof dropped]}`);
	const got = questions === 0 ? 'no questions' : causes.join(', ');
	throw new RetrievalError('ERR_ARGUMENT', `${command}: expected questions for which the passages have a positive, got ${got}`);
}

/** Notes which questions were dropped, and which negatives are missing. `file` is that of the questions, if a command has several. */
export function noteMining({dropped, shortExamples, missing, unscoredPositives, unknownIds}: MiningStatistics, file?: string): void {
	const of = file === undefined ? '' : ` of ${file}`;
	for (const [reason, ids] of Object.entries(dropped)) {
		if (ids.length > 0) {
			note(`dropped ${amountOf(ids.length, 'question')}${of} ${reasons[reason as keyof typeof dropped]}`);
		}
	}
	if (unknownIds > 0) {
		note(`${amountOf(unknownIds, 'gold passage')}${of} not among the passages`);
	}
	if (shortExamples > 0) {
		const {hardNegatives, randomNegatives, goldNegatives} = missing;
		note(
			`${amountOf(shortExamples, 'example')}${of} with fewer negatives than asked for; missing: ${hardNegatives} hard, ${randomNegatives} random, ${goldNegatives} gold`,
		);
	}
	if (unscoredPositives > 0) {
		note(`${amountOf(unscoredPositives, 'example')}${of} without hard negatives, because the positive has no score for the margin`);
	}
}
