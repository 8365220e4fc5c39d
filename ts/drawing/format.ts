/** How reports write names and numbers. */

/** A name that may end in a subscript, as those of hybrids do. */
export interface Label {
	readonly text: string;
	readonly sub?: string;
}

export const plain = ({text, sub}: Label): string => (sub === undefined ? text : `${text}-${sub}`);

/** A share, 0 to 1, in per cent with a decimal. */
export const percent = (share: number): string => (100 * share).toFixed(1);

/** A difference of shares in points, with its sign. */
export function points(difference: number): string {
	const size = Math.abs(100 * difference).toFixed(1);
	return size === '0.0' ? size : `${difference > 0 ? '+' : '−'}${size}`;
}

/** Without a sign. */
export const size = (difference: number): string => Math.abs(100 * difference).toFixed(1);

/** Two significant digits, or that it is less than a thousandth. */
export function pValue(p: number): string {
	if (p < 0.001) {
		return '< 0.001';
	}
	// As many decimals as two digits need: 0.0012, 0.012, 0.12; more than 0.995 is 1.
	const digits = 1 - Math.floor(Math.log10(p));
	const rounded = p.toFixed(digits);
	return Number(rounded) >= 1 ? '1.0' : rounded;
}

/** "p < 0.001", "p = 0.012". */
export const equalsP = (p: number): string => (p < 0.001 ? `p ${pValue(p)}` : `p = ${pValue(p)}`);

/** Thousands apart: 7,324. */
export const grouped = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');

/** "1 passage", "2 passages". */
export const many = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;

/** "a", "a and b", "a, b and c". */
export function listed(words: readonly string[]): string {
	return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
