/** Makes the batches of an epoch from the examples of a reader. */
import type {TrainingExample} from '../data/index.ts';
import {EpochOrder, randomOf, shuffled} from '../run/random-order.ts';
import type {CheckedTrainReaderOptions} from './options.ts';
import type {QuestionPassages} from './questions.ts';

type BatchOptions = Pick<CheckedTrainReaderOptions, 'batchSize' | 'passages' | 'seed'>;

/** The batches of all epochs. The same examples, options and seed give the same batches. */
export class ReaderBatches {
	readonly #examples: readonly TrainingExample[];
	readonly #options: BatchOptions;
	readonly #order: EpochOrder;

	constructor(examples: readonly TrainingExample[], options: BatchOptions) {
		this.#examples = examples;
		this.#options = options;
		this.#order = new EpochOrder([...examples.keys()], options);
	}

	/** Number of batches per epoch. */
	get count(): number {
		return this.#order.batches;
	}

	/** Makes a batch of an epoch. The first passage of each question is its positive. */
	batch(epoch: number, number: number): QuestionPassages[] {
		const {seed, passages} = this.#options;
		const random = randomOf(seed, epoch, number + 1);
		return this.#order.of(epoch, number).map(i => drawnPassages(this.#examples[i]!, passages, random));
	}
}

/** Draws a positive and at most `count` − 1 negatives of an example, hard ones first. */
export function drawnPassages(
	{question, answers, positives, hardNegatives, negatives}: TrainingExample,
	count: number,
	random: () => number,
): QuestionPassages {
	const [positive] = shuffled(positives, random, 1);
	// A passage with the text of a positive is none of its negatives.
	const texts = new Set(positives.map(({text}) => text));
	const [hard, others] = [hardNegatives, negatives].map(list => list.filter(({text}) => !texts.has(text)));
	const drawn = shuffled(hard!, random, count - 1);
	const filling = shuffled(others!, random, count - 1 - drawn.length);
	return {question, answers, passages: [positive!, ...drawn, ...filling]};
}
