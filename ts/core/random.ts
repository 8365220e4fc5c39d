/** Pseudorandom numbers: the same seed gives the same numbers. */

/** Returns a generator of uniformly distributed numbers in [0, 1): mulberry32 by Tommy Ettinger (2017). */
export function uniform(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** Returns a generator of normally distributed numbers with mean 0 and variance 1 (Box and Muller, 1958). */
export function normal(seed: number): () => number {
	const next = uniform(seed);
	// The method yields two numbers at a time.
	let second: number | undefined;
	return () => {
		if (second !== undefined) {
			const value = second;
			second = undefined;
			return value;
		}
		const radius = Math.sqrt(-2 * Math.log(1 - next()));
		const angle = 2 * Math.PI * next();
		second = radius * Math.sin(angle);
		return radius * Math.cos(angle);
	};
}
