/**
Formats tables and blocks of text for the terminal. Text may contain ANSI codes of colors and styles, which have no
width.
*/

/**
Formats rows as a table. The first column is left-aligned, the others are right-aligned, and a rule separates the
heading from the rows.
*/
export function table(heading: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const widths = heading.map((title, column) => rows.reduce((max, row) => Math.max(max, width(row[column] ?? '')), width(title)));
	const line = (cells: readonly string[]): string =>
		widths
			.map((size, column) => pad(cells[column] ?? '', size, column > 0))
			.join('  ')
			.trimEnd();
	return [line(heading), widths.map(size => '─'.repeat(size)).join('  '), ...rows.map(line)].join('\n');
}

/** Places blocks of lines side by side. Lines are wrapped so that the result is at most `columns` characters wide. */
export function sideBySide(blocks: ReadonlyArray<readonly string[]>, columns: number): string {
	// 3 is the width of the separator ` │ `.
	const size = Math.floor((columns - 3 * (blocks.length - 1)) / blocks.length);
	const wrapped = blocks.map(lines => lines.flatMap(line => wrap(line, size)));
	const height = Math.max(...wrapped.map(lines => lines.length));
	return Array.from({length: height}, (_, row) =>
		wrapped
			.map(lines => pad(lines[row] ?? '', size, false))
			.join(' │ ')
			.trimEnd(),
	).join('\n');
}

/**
Breaks a text into lines of at most `columns` characters. White space, including line breaks, becomes single spaces.
*/
export function wrapped(text: string, columns: number): string {
	return wrap(text.replaceAll(/\s+/gu, ' '), columns).join('\n');
}

// oxlint-disable-next-line no-control-regex -- colors are control characters
const COLORS = /\u001B\[\d+m/gu;
// oxlint-disable-next-line no-control-regex -- colors are control characters
const COLORS_AND_CHARACTERS = /\u001B\[\d+m|./gsu;

/** Returns the number of visible characters. */
function width(text: string): number {
	return [...text.replaceAll(COLORS, '')].length;
}

/** Pads a text with spaces to `size` columns. */
function pad(text: string, size: number, alignRight: boolean): string {
	const space = ' '.repeat(Math.max(0, size - width(text)));
	return alignRight ? space + text : text + space;
}

/** Truncates a word to `size - 1` characters and `…`. Colors are kept. */
function cut(word: string, size: number): string {
	let remaining = size - 1;
	let text = '';
	let hasEllipsis = false;
	for (const [piece] of word.matchAll(COLORS_AND_CHARACTERS)) {
		if (piece.startsWith('\u001B[')) {
			text += piece;
		} else if (remaining > 0) {
			text += piece;
			remaining--;
		} else if (!hasEllipsis) {
			text += '…';
			hasEllipsis = true;
		}
	}
	return text;
}

/** Breaks a line between words. A color that is active at a break continues on the next line. */
function wrap(line: string, size: number): string[] {
	const lines: string[] = [];
	let current = '';
	let activeColor = '';
	for (const word of line.split(' ')) {
		if (current !== '' && width(current) + 1 + width(word) > size) {
			lines.push(activeColor === '' ? current : `${current}\u001B[0m`);
			current = activeColor;
		} else if (current !== '' && current !== activeColor) {
			current += ' ';
		}
		// A word that is wider than the column is truncated.
		current += width(word) > size ? cut(word, size) : word;
		// The codes 0, 22 to 29, 39 and 49 end a style or color; all others start one.
		for (const [color] of word.matchAll(COLORS)) {
			activeColor = /\[(0|2[2-9]|39|49)m/u.test(color) ? '' : color;
		}
	}
	lines.push(current);
	return lines;
}
