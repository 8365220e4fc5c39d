/** A generator of random numbers, which depend only on its seed. The algorithm is SFC32 from PractRand (Doty-Humphrey, 2010). */
export class Random {
	readonly #state: Uint32Array;
	/** The second number of the last pair that `gaussian` generated, until it is returned. */
	#spare: number | undefined;

	constructor(seed: number) {
		this.#state = Uint32Array.of(seed, 0x9e3779b9, 0x243f6a88, 1);
		for (let i = 0; i < 16; i++) {
			this.next();
		}
	}

	/** Returns a random number, at least 0 and less than 1. */
	next(): number {
		const [a, b, c, counter] = this.#state as unknown as [number, number, number, number];
		const result = (a + b + counter) >>> 0;
		this.#state[3] = counter + 1;
		this.#state[0] = b ^ (b >>> 9);
		this.#state[1] = c + (c << 3);
		this.#state[2] = ((c << 21) | (c >>> 11)) + result;
		return result / 2 ** 32;
	}

	/** Returns a random integer, at least 0 and less than `limit`. */
	below(limit: number): number {
		return Math.floor(this.next() * limit);
	}

	/** Returns a number from the normal distribution with mean 0 and standard deviation 1 (Box and Muller, 1958). */
	gaussian(): number {
		if (this.#spare !== undefined) {
			const spare = this.#spare;
			this.#spare = undefined;
			return spare;
		}
		const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
		const angle = 2 * Math.PI * this.next();
		this.#spare = radius * Math.sin(angle);
		return radius * Math.cos(angle);
	}
}
