/** Reads the examples of a training run. */
import {RetrievalError} from '../../core/errors.ts';
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {checkExample, type TrainingExample} from '../data/training-example.ts';

/** The examples that can be used, and the number of others. */
export interface UsableExamples {
	readonly examples: readonly TrainingExample[];
	/** Number of examples that were not used. */
	readonly skipped: number;
}

/** Reads all examples. Those without a positive are skipped and counted. `reduced` drops what is not used, to save memory. */
export async function collectExamples(
	what: string,
	from: Iterable<TrainingExample> | AsyncIterable<TrainingExample>,
	reduced: (example: TrainingExample) => TrainingExample,
	signal: AbortSignal | undefined,
): Promise<UsableExamples> {
	const examples: TrainingExample[] = [];
	let skipped = 0;
	for await (const example of from) {
		signal?.throwIfAborted();
		await yieldIfOverBudget();
		checkExample(`${what}[${examples.length + skipped}]`, example);
		if (example.positives.length === 0) {
			skipped += 1;
			continue;
		}
		examples.push(reduced(example));
	}
	return {examples, skipped};
}

/** Fails if there should be validation examples, but none can be used. */
export function checkDev(dev: unknown, {examples}: UsableExamples): void {
	if (dev !== undefined && examples.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'dev: expected at least 1 example with a positive, got 0');
	}
}
