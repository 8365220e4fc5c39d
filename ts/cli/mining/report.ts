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
	nothingToMatch: 'no ids of positives, no context and no answers',
	unknownIds: 'the gold passages are not among the passages',
	unmatchedContext: 'no passage matches the context',
	contextWithoutAnswer: 'the passages that match the context contain no answer',
	noPassageWithAnswer: 'no answer in the best hits for question and answer',
};

/** Number of dropped questions whose ids are noted. */
const IDS_SHOWN = 5;

/** Formats why questions were dropped: `2 questions (a, b): no passage matches the context`. */
function causes(dropped: MiningStatistics['dropped'], file?: string): string[] {
	const of = file === undefined ? '' : ` of ${file}`;
	return Object.entries(dropped)
		.filter(([, ids]) => ids.length > 0)
		.map(([reason, ids]) => {
			const shown = ids.slice(0, IDS_SHOWN).join(', ');
			const more = ids.length > IDS_SHOWN ? ', …' : '';
			return `${amountOf(ids.length, 'question')}${of} (${shown}${more}): ${reasons[reason as keyof typeof dropped]}`;
		});
}

/** Fails if no question has a positive, and says why. `file` is that of the questions. */
export function checkMined(command: string, {questions, examples, dropped}: MiningStatistics, file: string): void {
	if (examples > 0) {
		return;
	}
	const got = questions === 0 ? 'no questions' : causes(dropped).join('; ');
	throw new RetrievalError('ERR_ARGUMENT', `${command}: ${file}: expected questions for which the passages have a positive, got: ${got}`);
}

/** Notes which questions were dropped, and which negatives are missing. `file` is that of the questions, if a command has several. */
export function noteMining({dropped, shortExamples, missing, unscoredPositives, unknownIds}: MiningStatistics, file?: string): void {
	const of = file === undefined ? '' : ` of ${file}`;
	for (const cause of causes(dropped, file)) {
		note(`dropped ${cause}`);
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
