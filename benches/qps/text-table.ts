// Rows of text as columns.

/** The first column, and a last one called version, stand to the left; the others to the right. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const widths = head.map((cell, i) => Math.max(cell.length, ...rows.map(row => row[i]!.length)));
	const last = head.at(-1) === 'version' ? head.length - 1 : -1;
	const line = (row: readonly string[]): string =>
		row
			.map((cell, i) => (i === 0 || i === last ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
			.join('  ')
			.trimEnd();
	return [head, ...rows].map(row => line(row)).join('\n');
}
