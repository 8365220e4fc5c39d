// Formats tables as plain text.

/** Aligns the columns. The first column, and the last one if it is `version`, are aligned left; the others right. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const widths = head.map((cell, i) => Math.max(cell.length, ...rows.map(row => row[i]!.length)));
	const leftAlignedLast = head.at(-1) === 'version' ? head.length - 1 : -1;
	const line = (row: readonly string[]): string =>
		row
			.map((cell, i) => (i === 0 || i === leftAlignedLast ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
			.join('  ')
			.trimEnd();
	return [head, ...rows].map(row => line(row)).join('\n');
}
