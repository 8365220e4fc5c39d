/** Prints a result to standard output. Notes go to standard error. */
export function print(text: string): void {
	process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

export function printJson(value: unknown): void {
	print(
		JSON.stringify(
			value,
			(_key, part: unknown) => (part instanceof Map ? Object.fromEntries(part) : part),
			process.stdout.isTTY ? 2 : undefined,
		),
	);
}

export function note(text: string): void {
	process.stderr.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Styles text if the stream is a terminal that shows colors. */
export function styled(
	style: 'bold' | 'dim' | 'green' | 'yellow' | 'cyan' | 'inverse',
	text: string,
	stream: NodeJS.WriteStream = process.stdout,
): string {
	const [on, off] = codes[style];
	return usesColor(stream) ? `\u001B[${on}m${text}\u001B[${off}m` : text;
}

/** Highlights an answer in its passage: inverse on a terminal, between « and » elsewhere. */
export function marked(text: string): string {
	return usesColor(process.stdout) ? styled('inverse', text) : `«${text}»`;
}

const codes = {bold: [1, 22], dim: [2, 22], green: [32, 39], yellow: [33, 39], cyan: [36, 39], inverse: [7, 27]} as const;

function usesColor(stream: NodeJS.WriteStream): boolean {
	if (process.env['NO_COLOR']) {
		return false;
	}
	return Boolean(stream.isTTY) || !['', '0', undefined].includes(process.env['FORCE_COLOR']);
}
