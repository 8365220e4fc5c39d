/** Random choices of training runs. The same seed gives the same choices. */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {uniform} from '../../core/random.ts';

/** Returns a generator of uniformly distributed numbers in [0, 1), for a seed and, for example, an epoch and a batch. */
export function seededRandom(...numbers: readonly number[]): () => number {
	// Combines the numbers into a seed of 32 bits.
	let hash = 0;
	for (const number of numbers) {
		hash = Math.imul(hash ^ number, 0x9e37_79b1);
		hash ^= hash >>> 15;
	}
	return uniform(hash >>> 0);
}

/** Draws `count` values without replacement, in random order (Fisher and Yates); all of them if there are fewer. */
export function shuffled<T>(values: readonly T[], random: () => number, count = values.length): T[] {
	const result = [...values];
	const end = Math.min(count, result.length);
	for (let i = 0; i < end; i += 1) {
		swapRandomly(result, i, random);
	}
	return result.slice(0, end);
}

/** Returns all values in random order, as `shuffled` does, but in several turns of the event loop. */
async function shuffledInTurns<T>(values: readonly T[], random: () => number): Promise<T[]> {
	const result = [...values];
	for (let i = 0; i < result.length; i += 1) {
		swapRandomly(result, i, random);
		if (i % 1000 === 0) {
			await yieldIfOverBudget();
		}
	}
	return result;
}

/** Swaps the value at a position with itself or a later one. */
function swapRandomly(values: unknown[], i: number, random: () => number): void {
	const j = i + Math.floor(random() * (values.length - i));
	[values[i], values[j]] = [values[j], values[i]];
}

/** The positions of an epoch's examples, which are in another random order in every epoch, and are split into batches. */
export class EpochOrder {
	/**
	Number of batches per epoch. An incomplete last batch is dropped, unless it is the only one, because its questions would have a greater
	weight.
	*/
	readonly batchCount: number;
	readonly #positions: readonly number[];
	readonly #batchSize: number;
	readonly #seed: number;
	#shuffled: {readonly epoch: number; readonly order: readonly number[]} | undefined;

	constructor(positions: readonly number[], {batchSize, seed}: {readonly batchSize: number; readonly seed: number}) {
		this.#positions = positions;
		this.#batchSize = batchSize;
		this.#seed = seed;
		this.batchCount = Math.max(1, Math.floor(positions.length / batchSize));
	}

	/** Returns the positions of the examples of a batch of an epoch. */
	async positions(epoch: number, batch: number): Promise<readonly number[]> {
		if (this.#shuffled?.epoch !== epoch) {
			this.#shuffled = {epoch, order: await shuffledInTurns(this.#positions, seededRandom(this.#seed, epoch))};
		}
		return this.#shuffled.order.slice(batch * this.#batchSize, (batch + 1) * this.#batchSize);
	}
}
