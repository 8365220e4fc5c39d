/** Names and numbers as pages and tables show them. */

/** A name that may end in a subscript. */
export interface Label {
	readonly text: string;
	readonly sub?: string;
}

/** A label without a subscript: `Hybrid-norm`. */
export const plain = ({text, sub}: Label): string => (sub === undefined ? text : `${text}-${sub}`);

/** A share, 0 to 1, in per cent with one decimal. */
export const percent = (share: number): string => (100 * share).toFixed(1);

/** A difference of shares in points, with its sign. */
export function points(difference: number): string {
	const size = Math.abs(100 * difference).toFixed(1);
	return size === '0.0' ? size : `${difference > 0 ? '+' : '−'}${size}`;
}

/** A difference of shares in points, without its sign. */
export const size = (difference: number): string => Math.abs(100 * difference).toFixed(1);

/** Two significant digits, or "< 0.001". */
export function pValue(p: number): string {
	if (p < 0.001) {
		return '< 0.001';
	}
	// Decimals for two significant digits: 0.0012, 0.012, 0.12. Values above 0.995 become 1.0.
	const digits = 1 - Math.floor(Math.log10(p));
	const rounded = p.toFixed(digits);
	return Number(rounded) >= 1 ? '1.0' : rounded;
}

/** "p < 0.001", "p = 0.012". */
export const equalsP = (p: number): string => (p < 0.001 ? `p ${pValue(p)}` : `p = ${pValue(p)}`);

/** A count with separated thousands: 7,324. */
export const grouped = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');

/** "1 passage", "2 passages". */
export const many = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;

/** "a", "a and b", "a, b and c". */
export function listed(words: readonly string[]): string {
	return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** Words with an upper-case first letter. */
export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
