// Compares instruction counts with recorded ones, and formats the comparison as a table.

/** What instruction counts depend on, apart from the code that is counted. If any of these differ, counts are not comparable. */
export interface Machine {
	/** Output of `rustc --version`. */
	readonly rustc: string;
	/** The target triple. */
	readonly target: string;
	/** Version of the C library, which copies and allocates memory. */
	readonly libc: string;
	/** Output of `valgrind --version`. It determines the instruction sets of the CPU that valgrind emulates. */
	readonly valgrind: string;
}

/** Number of instructions by the name of the case. */
export type Counts = Readonly<Record<string, number>>;

/** The content of `record.json`. */
export interface CountRecord extends Machine {
	readonly instructions: Counts;
}

/** One case in a comparison. */
export interface Row {
	readonly name: string;
	/** The recorded count. Absent if the case is new. */
	readonly recorded?: number;
	/** The current count. Absent if the case no longer exists. */
	readonly now?: number;
	/** `now / recorded`, if both exist. */
	readonly ratio?: number;
}

/** The result of `compare`. */
export interface Comparison {
	/** The current cases in their order, then those that no longer exist. */
	readonly rows: readonly Row[];
	/** Differences between the machines, such as `rustc: 1.95.0, recorded with 1.94.0`. Empty if the counts are comparable. */
	readonly differences: readonly string[];
	/** Cases whose count grew by more than the allowed share of the recorded count. Empty if the counts are not comparable. */
	readonly grown: readonly string[];
	/**
	Cases whose count shrank by more than the same share. Their current counts should be recorded: compared with the old ones, later growth
	would not be detected. Empty if the counts are not comparable.
	*/
	readonly shrunk: readonly string[];
	/** Cases that are not in the record. */
	readonly added: readonly string[];
	/** Cases of the record that no longer exist. */
	readonly gone: readonly string[];
}

/**
A count may grow by this share of the recorded one. Such small changes can come from the compiler, which may generate different machine
code for unchanged source code.
*/
export const ALLOWED_GROWTH = 0.03;

/** Compares the current counts with recorded ones. `allowed` is the allowed share of growth. */
export function compare(recorded: CountRecord, now: CountRecord, allowed = ALLOWED_GROWTH): Comparison {
	const rows: Row[] = Object.entries(now.instructions).map(([name, count]) => {
		const before = recorded.instructions[name];
		return before === undefined ? {name, now: count} : {name, recorded: before, now: count, ratio: count / before};
	});
	for (const [name, count] of Object.entries(recorded.instructions)) {
		if (now.instructions[name] === undefined) {
			rows.push({name, recorded: count});
		}
	}
	const differences = (['rustc', 'target', 'libc', 'valgrind'] as const)
		.filter(property => recorded[property] !== now[property])
		.map(property => `${property}: ${now[property]}, recorded with ${recorded[property]}`);
	const namesOf = (matches: (row: Row) => boolean): string[] => rows.filter(matches).map(({name}) => name);
	const namesByRatio = (matches: (ratio: number) => boolean): string[] =>
		differences.length > 0 ? [] : namesOf(({ratio}) => ratio !== undefined && matches(ratio));
	return {
		rows,
		differences,
		grown: namesByRatio(ratio => ratio > 1 + allowed),
		shrunk: namesByRatio(ratio => ratio < 1 - allowed),
		added: namesOf(row => row.recorded === undefined),
		gone: namesOf(row => row.now === undefined),
	};
}

/** Formats the rows as lines of text: case, recorded count, current count, ratio, and `GREW` if the count grew too much. */
export function table({rows, grown}: Comparison): string[] {
	const cells = rows.map(({name, recorded, now, ratio}) => [
		name,
		formatted(recorded),
		formatted(now),
		ratio?.toFixed(4) ?? (recorded === undefined ? 'new' : 'gone'),
		grown.includes(name) ? 'GREW' : '',
	]);
	cells.unshift(['case', 'recorded', 'now', 'ratio', '']);
	const widths = [0, 1, 2, 3].map(column => Math.max(...cells.map(line => line[column]!.length)));
	return cells.map(line =>
		line
			.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column] ?? 0)))
			.join('  ')
			.trimEnd(),
	);
}

function formatted(instructions: number | undefined): string {
	return instructions?.toLocaleString('en-US') ?? '–';
}
