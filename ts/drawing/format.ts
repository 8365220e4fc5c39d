/**
Formats names, numbers and lists for pages and tables. A share is a number from 0 to 1; a difference of shares is shown
in percentage points.
*/

/** A name that may end in a subscript. */
export interface Label {
	readonly text: string;
	readonly sub?: string;
}

/** Formats a label as plain text, with a hyphen instead of the subscript: `Hybrid-norm`. */
export const plainLabel = ({text, sub}: Label): string => (sub === undefined ? text : `${text}-${sub}`);

/** Formats a share in percent with one decimal and without the percent sign: `97.2`. */
export const percent = (share: number): string => (100 * share).toFixed(1);

/** Formats a difference of shares in percentage points, with a plus or minus sign unless it rounds to zero: `+1.5`. */
export function points(difference: number): string {
	const unsigned = unsignedPoints(difference);
	return unsigned === '0.0' ? unsigned : `${difference > 0 ? '+' : '−'}${unsigned}`;
}

/** Formats a difference of shares in percentage points, without a plus or minus sign: `1.5`. */
export const unsignedPoints = (difference: number): string => Math.abs(100 * difference).toFixed(1);

/** Formats a p-value with two significant digits, or as "< 0.001". */
export function pValue(p: number): string {
	if (p < 0.001) {
		return '< 0.001';
	}
	// The number of decimals for two significant digits: 0.0012, 0.012, 0.12. Values that round to 1.00 become 1.0.
	const decimals = 1 - Math.floor(Math.log10(p));
	const rounded = p.toFixed(decimals);
	return Number(rounded) >= 1 ? '1.0' : rounded;
}

/** Formats a p-value as an equation or inequality: "p < 0.001", "p = 0.012". */
export const equalsP = (p: number): string => (p < 0.001 ? `p ${pValue(p)}` : `p = ${pValue(p)}`);

/** Formats a whole number with commas between groups of three digits: "7,324". */
export const withCommas = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');

/** Formats a count with its noun in the singular or plural: "1 passage", "2 passages". */
export const counted = (count: number, noun: string): string => `${withCommas(count)} ${noun}${count === 1 ? '' : 's'}`;

/** Joins words as a list in a sentence: "a", "a and b", "a, b and c". */
export function listed(words: readonly string[]): string {
	return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** Changes the first letter to upper case. */
export const capitalized = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
