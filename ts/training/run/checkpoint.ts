/** The progress of a training run, which its checkpoint stores. */
import {createHash} from 'node:crypto';
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {RetrievalError} from '../../core/errors.ts';
import type {TrainingExample} from '../data/index.ts';
import {passageKey} from '../data/passage-list.ts';
import type {TrainingEpoch} from './result.ts';

/** The name of the checkpoint in the output folder. */
export const CHECKPOINT_FILE = 'checkpoint';

/** How far a training run is. */
export interface TrainingState<V> {
	/** Identifies the model, the examples and the options. */
	readonly fingerprint: string;
	/** The epoch of the next step, from 1. */
	readonly epoch: number;
	/** The next batch of this epoch, from 0. */
	readonly batch: number;
	/** The sum of the losses of this epoch's steps. */
	readonly lossSum: number;
	/** Number of texts of this epoch's steps, and number of those that were truncated. */
	readonly texts: number;
	readonly truncated: number;
	/** The finished epochs. */
	readonly epochs: ReadonlyArray<TrainingEpoch<V>>;
	/** The epoch whose weights are in the output folder. */
	readonly bestEpoch: number;
}

/** Fails unless a stored fingerprint is that of this training run. */
export function checkFingerprint(stored: unknown, fingerprint: string, folder: string): void {
	if (stored !== fingerprint) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`output: expected the same model, examples and options as those of the training run in ${folder}, got others; resume: false (--no-resume) starts over`,
		);
	}
}

/** Identifies everything that a training run depends on. */
export async function trainingFingerprint(settings: unknown, ...lists: ReadonlyArray<readonly TrainingExample[]>): Promise<string> {
	const hash = createHash('sha256').update(JSON.stringify(settings));
	for (const examples of lists) {
		hash.update(`${examples.length};`);
		for (const {question, answers, positives, hardNegatives, negatives, dataset = ''} of examples) {
			const parts = [
				question,
				dataset,
				answers,
				...[positives, hardNegatives, negatives].flatMap(list => [`${list.length}`, ...list.map(passageKey)]),
			];
			hash.update(JSON.stringify(parts));
			await yieldIfOverBudget();
		}
	}
	return hash.digest('hex');
}
