/** What commands show while they mine training examples, and afterwards. */
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
	nothingToMatch: 'that lack the ids, the context or the answers by which positives are found',
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
