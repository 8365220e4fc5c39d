/** Returns the mean of values; 0 if there are none. */
export function mean(values: Iterable<number>): number {
	let [sum, count] = [0, 0];
	for (const value of values) {
		sum += value;
		count += 1;
	}
	return count === 0 ? 0 : sum / count;
}
