/** Reads the examples of a training run. */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {checkExample, type TrainingExample, type TrainingPassage} from '../data/training-example.ts';

/** The examples that can be used, and the number of others. */
export interface UsableExamples {
	readonly examples: readonly TrainingExample[];
	/** Number of examples that were not used. */
	readonly skipped: number;
}

/**
Reads all examples. `reduced` returns a copy of an example without what is not used, to save memory; or `undefined` for an example that cannot
be used, which is skipped and counted.
*/
export async function collectExamples(
	what: string,
	from: Iterable<TrainingExample> | AsyncIterable<TrainingExample>,
	reduced: (example: TrainingExample) => TrainingExample | undefined,
	signal: AbortSignal | undefined,
): Promise<UsableExamples> {
	const examples: TrainingExample[] = [];
	let skipped = 0;
	for await (const example of from) {
		signal?.throwIfAborted();
		await yieldIfOverBudget();
		checkExample(`${what}[${examples.length + skipped}]`, example);
		const usable = reduced(example);
		if (usable === undefined) {
			skipped += 1;
		} else {
			examples.push(usable);
		}
	}
	return {examples, skipped};
}

/** Copies the titles and texts of passages. */
export function textsOf(passages: readonly TrainingPassage[]): TrainingPassage[] {
	return passages.map(({title, text}) => (title === undefined ? {text} : {title, text}));
}
