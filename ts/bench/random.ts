/** Random numbers from a seed. */

/** Numbers from 0 to below 1 (mulberry32, Tommy Ettinger 2017). */
export function uniform(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** Numbers of mean 0 and variance 1 (Box and Muller, 1958). */
export function normal(seed: number): () => number {
	const next = uniform(seed);
	let other: number | undefined;
	return () => {
		if (other !== undefined) {
			const value = other;
			other = undefined;
			return value;
		}
		const radius = Math.sqrt(-2 * Math.log(1 - next()));
		const angle = 2 * Math.PI * next();
		other = radius * Math.sin(angle);
		return radius * Math.cos(angle);
	};
}
