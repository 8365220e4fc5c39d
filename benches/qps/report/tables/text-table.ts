// Formats tables as plain text.

/** Aligns columns: the first one to the left, and the last one too if its heading is `version`; all others to the right. */
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
