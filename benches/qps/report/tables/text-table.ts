// Formats tables as plain text.

/** Formats a table. The first column is aligned left, and so is a last column with the heading `version`; others are aligned right. */
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
