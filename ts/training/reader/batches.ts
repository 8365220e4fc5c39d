/** Makes the batches of an epoch from the examples of a reader. */
import type {TrainingExample} from '../data/index.ts';
import {EpochOrder, seededRandom, shuffled} from '../run/random-order.ts';
import type {CheckedTrainReaderOptions} from './options.ts';
import {type QuestionPassages, chunks} from './questions.ts';

type BatchOptions = Pick<CheckedTrainReaderOptions, 'batchSize' | 'passagesPerQuestion' | 'seed'>;

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
	get batchCount(): number {
		return this.#order.batchCount;
	}

	/** Draws the passages of a batch's questions, in chunks for native code. The first passage of each question is its positive. */
	async *batch(epoch: number, number: number): AsyncGenerator<readonly QuestionPassages[], void, undefined> {
		const {seed, passagesPerQuestion} = this.#options;
		const random = seededRandom(seed, epoch, number + 1);
		const examples = (await this.#order.positions(epoch, number)).map(i => this.#examples[i]!);
		yield* chunks(examples, example => drawnPassages(example, passagesPerQuestion, random));
	}
}

/** Draws a positive and at most `count` − 1 negatives of an example, hard ones first. */
export function drawnPassages(
	{question, answers, positives, hardNegatives, negatives}: TrainingExample,
	count: number,
	random: () => number,
): QuestionPassages {
	const [positive] = shuffled(positives, random, 1);
	const hard = shuffled(hardNegatives, random, count - 1);
	const others = shuffled(negatives, random, count - 1 - hard.length);
	return {question, answers, passages: [positive!, ...hard, ...others]};
}
