/** The passages that the questions of a batch are compared with. */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import type {QuestionWithPositive} from './questions.ts';
import type {Retrieved} from './retrieval.ts';

/** Passages, and which of them are positive for each question. */
export interface Candidates {
	readonly ids: readonly string[];
	/** The exclusive end offset of each question's positives in `positives`. */
	readonly positiveEnds: Uint32Array;
	/** Positions in `ids`. */
	readonly positives: Uint32Array;
}

/**
Collects the passages that were retrieved for any question of a batch, each once, and the known positive of each question. All of them are
compared with all questions (Karpukhin et al., 2020, appendix D). Positives of a question are its known positive, those that were retrieved
for it, and, of its given positives, all that any question of the batch retrieved.
*/
export async function candidatesOf(
	questions: ReadonlyArray<Pick<QuestionWithPositive, 'positive' | 'positives'>>,
	retrieved: readonly Retrieved[],
): Promise<Candidates> {
	const positions = new Map<string, number>();
	for (const [i, {positive}] of questions.entries()) {
		for (const id of [positive, ...retrieved[i]!.ids]) {
			if (!positions.has(id)) {
				positions.set(id, positions.size);
			}
		}
		await yieldIfOverBudget();
	}
	const all: number[] = [];
	const ends: number[] = [];
	for (const [i, {positive, positives = []}] of questions.entries()) {
		const {ids, isPositive} = retrieved[i]!;
		const own = new Set([positive, ...ids.filter((_, at) => isPositive[at]), ...positives.filter(id => positions.has(id))]);
		all.push(...[...own].map(id => positions.get(id)!));
		ends.push(all.length);
		await yieldIfOverBudget();
	}
	return {ids: [...positions.keys()], positiveEnds: Uint32Array.from(ends), positives: Uint32Array.from(all)};
}
