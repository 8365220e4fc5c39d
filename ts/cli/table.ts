/** Formats rows as aligned columns: the first one left-aligned, the others right-aligned, with a rule under the heading. */
export function table(heading: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const widths = heading.map((title, column) => rows.reduce((most, row) => Math.max(most, width(row[column] ?? '')), width(title)));
	const line = (cells: readonly string[]): string =>
		widths
			.map((size, column) => pad(cells[column] ?? '', size, column > 0))
			.join('  ')
			.trimEnd();
	return [line(heading), widths.map(size => '─'.repeat(size)).join('  '), ...rows.map(line)].join('\n');
}

/** Places blocks of text side by side, `columns` characters wide in total. */
export function sideBySide(blocks: ReadonlyArray<readonly string[]>, columns: number): string {
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

/** Breaks a text into lines of at most `columns` characters. Lines that fit are left unchanged. */
export function wrapped(text: string, columns: number): string {
	return wrap(text.replaceAll(/\s+/gu, ' '), columns).join('\n');
}

// oxlint-disable-next-line no-control-regex -- colors are control characters
const COLORS = /\u001B\[\d+m/gu;
// oxlint-disable-next-line no-control-regex -- the same
const PIECES = /\u001B\[\d+m|./gsu;

function width(text: string): number {
	return [...text.replaceAll(COLORS, '')].length;
}

function pad(text: string, size: number, right: boolean): string {
	const space = ' '.repeat(Math.max(0, size - width(text)));
	return right ? space + text : text + space;
}

/** Truncates a text to `size - 1` characters and `…`, and keeps its colors. */
function cut(word: string, size: number): string {
	let left = size - 1;
	let text = '';
	let marked = false;
	for (const [piece] of word.matchAll(PIECES)) {
		if (piece.startsWith('\u001B[')) {
			text += piece;
		} else if (left > 0) {
			text += piece;
			left--;
		} else if (!marked) {
			text += '…';
			marked = true;
		}
	}
	return text;
}

/** Breaks a line between words; a color that is active at a break continues in the next line. */
function wrap(line: string, size: number): string[] {
	const lines: string[] = [];
	let current = '';
	let on = '';
	for (const word of line.split(' ')) {
		if (current !== '' && width(current) + 1 + width(word) > size) {
			lines.push(on === '' ? current : `${current}\u001B[0m`);
			current = on;
		} else if (current !== '' && current !== on) {
			current += ' ';
		}
		// A word wider than the column is cut.
		current += width(word) > size ? cut(word, size) : word;
		for (const [color] of word.matchAll(COLORS)) {
			on = /\[(0|2[2-9]|39|49)m/u.test(color) ? '' : color;
		}
	}
	lines.push(current);
	return lines;
}
