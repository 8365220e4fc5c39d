/** Random choices of training runs. The same seed gives the same choices. */
import {uniform} from '../../core/random.ts';

/** Returns a generator of uniformly distributed numbers in [0, 1) for an epoch, or for a batch of an epoch. */
export function randomOf(...numbers: readonly number[]): () => number {
	// Combines the numbers into a seed of 32 bits.
	let hash = 0;
	for (const number of numbers) {
		hash = Math.imul(hash ^ number, 0x9e37_79b1);
		hash ^= hash >>> 15;
	}
	return uniform(hash >>> 0);
}

/** Returns the first `count` of the values in random order (Fisher and Yates). */
export function shuffled<T>(values: readonly T[], random: () => number, count = values.length): T[] {
	const result = [...values];
	const end = Math.min(count, result.length);
	for (let i = 0; i < end; i += 1) {
		const j = i + Math.floor(random() * (result.length - i));
		[result[i], result[j]] = [result[j]!, result[i]!];
	}
	return result.slice(0, end);
}

/** The positions of an epoch's examples, which are in another random order in every epoch, and are split into batches. */
export class EpochOrder {
	/** Number of batches per epoch. An incomplete last batch is dropped, because its questions would have a greater weight. */
	readonly batches: number;
	readonly #positions: readonly number[];
	readonly #batchSize: number;
	readonly #seed: number;
	#shuffled: {readonly epoch: number; readonly order: readonly number[]} | undefined;

	constructor(positions: readonly number[], {batchSize, seed}: {readonly batchSize: number; readonly seed: number}) {
		this.#positions = positions;
		this.#batchSize = batchSize;
		this.#seed = seed;
		this.batches = Math.max(1, Math.floor(positions.length / batchSize));
	}

	/** Returns the positions of the examples of a batch of an epoch. */
	of(epoch: number, batch: number): readonly number[] {
		if (this.#shuffled?.epoch !== epoch) {
			this.#shuffled = {epoch, order: shuffled(this.#positions, randomOf(this.#seed, epoch))};
		}
		return this.#shuffled.order.slice(batch * this.#batchSize, (batch + 1) * this.#batchSize);
	}
}
