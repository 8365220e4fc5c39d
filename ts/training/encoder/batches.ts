/** Makes the batches of an epoch from training examples. */
import {RetrievalError} from '../../core/errors.ts';
import {type Binding} from '../../core/native/native.ts';
import type {TrainingExample, TrainingPassage} from '../data/index.ts';
import {PassageList} from '../data/passage-list.ts';
import {EpochOrder, seededRandom, shuffled} from '../run/random-order.ts';
import type {CheckedTrainEncoderOptions} from './options.ts';

/** Maximum number of examples per epoch, with repetitions. */
const MAX_EPOCH = 100_000_000;

/** A batch, in the columns that native code takes. */
export type Batch = Binding.NativeTrainingBatch;

type BatchOptions = Pick<CheckedTrainEncoderOptions, 'batchSize' | 'hardNegatives' | 'negatives' | 'inBatch' | 'repeat' | 'seed'>;

/** The batches of all epochs. The same examples, options and seed give the same batches. */
export class Batches {
	readonly #examples: readonly TrainingExample[];
	readonly #options: BatchOptions;
	/** The order of the examples, with repetitions. */
	readonly #order: EpochOrder;

	constructor(examples: readonly TrainingExample[], options: BatchOptions) {
		this.#examples = examples;
		this.#options = options;
		const positions = positionsOfEpoch(examples, options.repeat);
		this.#order = new EpochOrder(positions, options);
		checkNegatives(examples, positions.length, options);
	}

	/** Number of batches per epoch. */
	get batchCount(): number {
		return this.#order.batchCount;
	}

	/** Makes a batch of an epoch. */
	async batch(epoch: number, number: number): Promise<Batch> {
		const random = seededRandom(this.#options.seed, epoch, number + 1);
		const examples = (await this.#order.positions(epoch, number)).map(i => this.#examples[i]!);
		return makeBatch(examples, this.#options, random);
	}
}

/**
Makes a batch of examples. A passage that several examples have is in the batch once. A question is compared neither with its other positives
nor with passages that have the text of one of its positives.
*/
export function makeBatch(
	examples: readonly TrainingExample[],
	{hardNegatives, negatives, inBatch}: Pick<BatchOptions, 'hardNegatives' | 'negatives' | 'inBatch'>,
	random: () => number,
): Batch {
	const passages = new PassageList();
	const positives = examples.map(({positives: [first]}) => passages.add(first!));
	const own = examples.map(example => [
		...drawn(example.hardNegatives, hardNegatives, random).map(passages.add),
		...drawn(example.negatives, negatives, random).map(passages.add),
	]);
	const {titles, texts} = passages.takeNew();
	const withText = new Map<string, number[]>();
	for (const [passage, text] of texts.entries()) {
		withText.set(text, [...(withText.get(text) ?? []), passage]);
	}
	const excluded: number[] = [];
	for (const [question, example] of examples.entries()) {
		for (const text of new Set(example.positives.map(positive => positive.text))) {
			for (const passage of withText.get(text) ?? []) {
				if (passage !== positives[question]) {
					excluded.push(question, passage);
				}
			}
		}
	}
	const lists: Pick<Batch, 'candidateEnds' | 'candidates'> = {};
	if (!inBatch) {
		let end = 0;
		lists.candidateEnds = Uint32Array.from(own, list => (end += list.length));
		lists.candidates = Uint32Array.from(own.flat());
	}
	return {
		questions: examples.map(({question}) => question),
		titles,
		texts,
		positives: Uint32Array.from(positives),
		...lists,
		excluded: Uint32Array.from(excluded),
	};
}

/** Draws at most `count` passages at random, without repetition. */
function drawn(passages: readonly TrainingPassage[], count: number, random: () => number): readonly TrainingPassage[] {
	if (count === 0 || passages.length === 0) {
		return [];
	}
	return shuffled(passages, random, count);
}

/** Returns the positions of the examples of an epoch. Examples of a data set in `repeat` occur several times. */
function positionsOfEpoch(examples: readonly TrainingExample[], repeat: BatchOptions['repeat']): number[] {
	const datasets = new Set(examples.map(({dataset}) => dataset));
	const unknown = Object.keys(repeat).find(name => !datasets.has(name));
	if (unknown !== undefined) {
		throw new RetrievalError('ERR_ARGUMENT', `repeat: expected names of data sets of the examples, got "${unknown}"`);
	}
	const times = ({dataset}: TrainingExample): number => (dataset !== undefined && Object.hasOwn(repeat, dataset) ? repeat[dataset]! : 1);
	const length = examples.reduce((sum, example) => sum + times(example), 0);
	if (length > MAX_EPOCH) {
		throw new RetrievalError('ERR_ARGUMENT', `repeat: expected at most ${MAX_EPOCH} examples per epoch, got ${length}`);
	}
	const epoch: number[] = [];
	for (const [i, example] of examples.entries()) {
		for (let time = times(example); time > 0; time -= 1) {
			epoch.push(i);
		}
	}
	return epoch;
}

/** Fails if no question would be compared with anything but its positive. */
function checkNegatives(
	examples: readonly TrainingExample[],
	length: number,
	{inBatch, batchSize, hardNegatives, negatives}: BatchOptions,
): void {
	if (length < 2 && inBatch) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`examples: expected at least 2 with a positive, because questions need the positives of others as negatives, got ${length}`,
		);
	}
	const hasOwn = examples.some(
		example => Math.min(hardNegatives, example.hardNegatives.length) + Math.min(negatives, example.negatives.length) > 0,
	);
	if (!hasOwn && (!inBatch || batchSize < 2)) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`examples: expected some with negatives, because each question would be compared with its positive only, got none of ${length}`,
		);
	}
}
