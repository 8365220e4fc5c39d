/** Makes the batches of an epoch from training examples. */
import {RetrievalError} from '../../core/errors.ts';
import {type Binding} from '../../core/native/native.ts';
import {uniform} from '../../core/random.ts';
import type {TrainingExample, TrainingPassage} from '../data/index.ts';
import type {CheckedTrainEncoderOptions} from './options.ts';

/** A batch, in the columns that native code takes. */
export type Batch = Binding.NativeTrainingBatch;

type BatchOptions = Pick<CheckedTrainEncoderOptions, 'batchSize' | 'hardNegatives' | 'negatives' | 'inBatch' | 'repeat' | 'seed'>;

/** The batches of all epochs. The same examples, options and seed give the same batches. */
export class Batches {
	/** Number of batches per epoch. */
	readonly count: number;
	readonly #examples: readonly TrainingExample[];
	readonly #options: BatchOptions;
	/** Positions of the examples of an epoch, with repetitions. */
	readonly #epoch: readonly number[];

	constructor(examples: readonly TrainingExample[], options: BatchOptions) {
		this.#examples = examples;
		this.#options = options;
		const times = ({dataset}: TrainingExample): number => (dataset === undefined ? 1 : (options.repeat[dataset] ?? 1));
		this.#epoch = examples.flatMap((example, i) => Array.from({length: times(example)}, () => i));
		// The last batch would often be small. Its questions would have fewer negatives and a greater weight than others.
		this.count = Math.max(1, Math.floor(this.#epoch.length / options.batchSize));
		if (this.#epoch.length < 2 && options.inBatch) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				`examples: expected at least 2 with a positive, because questions need the positives of others as negatives, got ${this.#epoch.length}`,
			);
		}
	}

	/** Returns the positions of the examples of a batch of an epoch. */
	positions(epoch: number, batch: number): readonly number[] {
		const {batchSize} = this.#options;
		return this.#order(epoch).slice(batch * batchSize, (batch + 1) * batchSize);
	}

	#shuffled: {readonly epoch: number; readonly order: readonly number[]} | undefined;

	#order(epoch: number): readonly number[] {
		if (this.#shuffled?.epoch !== epoch) {
			this.#shuffled = {epoch, order: shuffled(this.#epoch, uniform(mixed(this.#options.seed, epoch)))};
		}
		return this.#shuffled.order;
	}

	/** Makes a batch of an epoch. */
	batch(epoch: number, number: number): Batch {
		const random = uniform(mixed(this.#options.seed, epoch, number + 1));
		const examples = this.positions(epoch, number).map(i => this.#examples[i]!);
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
	const passages = new Map<string, number>();
	const titles: string[] = [];
	const texts: string[] = [];
	const place = (passage: TrainingPassage): number => {
		const key = passageKey(passage);
		const known = passages.get(key);
		if (known !== undefined) {
			return known;
		}
		passages.set(key, texts.length);
		titles.push(passage.title ?? '');
		return texts.push(passage.text) - 1;
	};
	const positives = examples.map(({positives}) => place(positives[0]!));
	const own = examples.map(example => [
		...drawn(example.hardNegatives, hardNegatives, random).map(place),
		...drawn(example.negatives, negatives, random).map(place),
	]);
	const excluded: number[] = [];
	for (const [question, example] of examples.entries()) {
		const isPositive = new Set(example.positives.map(({text}) => text));
		for (const [passage, text] of texts.entries()) {
			if (isPositive.has(text) && passage !== positives[question]) {
				excluded.push(question, passage);
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

/** Passages with the same title and text are the same input. */
export function passageKey({title = '', text}: TrainingPassage): string {
	return `${title}\u0000${text}`;
}

/** Draws at most `count` passages at random, without repetition. */
function drawn(passages: readonly TrainingPassage[], count: number, random: () => number): readonly TrainingPassage[] {
	if (count === 0 || passages.length === 0) {
		return [];
	}
	return shuffled(passages, random).slice(0, count);
}

/** Returns the values in random order (Fisher and Yates). */
function shuffled<T>(values: readonly T[], random: () => number): T[] {
	const result = [...values];
	for (let i = result.length - 1; i > 0; i -= 1) {
		const j = Math.floor(random() * (i + 1));
		[result[i], result[j]] = [result[j]!, result[i]!];
	}
	return result;
}

/** Combines numbers into a seed of 32 bits. */
function mixed(...numbers: readonly number[]): number {
	let hash = 0;
	for (const number of numbers) {
		hash = Math.imul(hash ^ number, 0x9e37_79b1);
		hash ^= hash >>> 15;
	}
	return hash >>> 0;
}
