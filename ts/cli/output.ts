/** What commands print: results on standard output, notes on standard error, and styles for terminals. */

/** Prints a result to standard output. */
export function print(text: string): void {
	process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Prints a value as JSON: on several lines in a terminal, else on one. Maps become objects. */
export function printJson(value: unknown): void {
	print(
		JSON.stringify(
			value,
			(_key, part: unknown) => (part instanceof Map ? Object.fromEntries(part) : part),
			process.stdout.isTTY ? 2 : undefined,
		),
	);
}

/** Prints a message to standard error, so that it does not mix with results. */
export function note(text: string): void {
	process.stderr.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Formats a count with its noun: `1 document`, `2,000 documents`. */
export function amountOf(count: number, noun: string): string {
	return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** Styles text, if the stream shows colors. */
export function styled(
	style: 'bold' | 'dim' | 'green' | 'yellow' | 'cyan' | 'inverse',
	text: string,
	stream: NodeJS.WriteStream = process.stdout,
): string {
	const [on, off] = ansiCodes[style];
	return usesColor(stream) ? `\u001B[${on}m${text}\u001B[${off}m` : text;
}

/** Highlights an answer in its passage: in inverse colors if standard output shows colors, else between « and ». */
export function marked(text: string): string {
	return usesColor(process.stdout) ? styled('inverse', text) : `«${text}»`;
}

/** The ANSI codes that start and end each style. */
const ansiCodes = {bold: [1, 22], dim: [2, 22], green: [32, 39], yellow: [33, 39], cyan: [36, 39], inverse: [7, 27]} as const;

/**
Whether the stream shows colors. The environment variable `NO_COLOR` turns them off. Otherwise a terminal shows them,
and so do other streams if `FORCE_COLOR` is neither empty nor `0`.
*/
function usesColor(stream: NodeJS.WriteStream): boolean {
	if (process.env['NO_COLOR']) {
		return false;
	}
	return Boolean(stream.isTTY) || !['', '0', undefined].includes(process.env['FORCE_COLOR']);
}
