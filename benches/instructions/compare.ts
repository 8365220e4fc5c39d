// Counts of instructions beside those of a record.

/** What counts depend on beside the code: where any of it differs, they cannot be compared. */
export interface Machine {
	/** As `rustc --version` has it. */
	readonly rustc: string;
	/** The target triple. */
	readonly target: string;
	/** The C library, in which memory is copied and allocated. */
	readonly libc: string;
	/** As `valgrind --version` has it: it decides what the CPU that it emulates can do. */
	readonly valgrind: string;
}

/** Instructions by case. */
export type Counts = Readonly<Record<string, number>>;

/** What is kept in `record.json`. */
export interface CountRecord extends Machine {
	readonly instructions: Counts;
}

export interface Row {
	readonly name: string;
	/** None for a case that is new. */
	readonly recorded?: number;
	/** None for a case that is gone. */
	readonly now?: number;
	/** now / recorded, of a case that is in both. */
	readonly ratio?: number;
}

export interface Comparison {
	/** Those of now in their order, then those that are gone. */
	readonly rows: readonly Row[];
	/** What is not as it was when the counts were recorded, such as `rustc: 1.95.0, recorded with 1.94.0`; none if they are comparable. */
	readonly differences: readonly string[];
	/** Cases that grew by more than is allowed; none where counts are not comparable. */
	readonly grown: readonly string[];
	/** Cases that became as much less, of which a record no longer says what they take. */
	readonly shrunk: readonly string[];
	readonly added: readonly string[];
	readonly gone: readonly string[];
}

/** By how much of what is recorded a case may grow: less comes of how the compiler lays code out that did not change. */
export const ALLOWED_GROWTH = 0.03;

/** Compares the counts of now with recorded ones. */
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
		.filter(what => recorded[what] !== now[what])
		.map(what => `${what}: ${now[what]}, recorded with ${recorded[what]}`);
	const named = (wanted: (row: Row) => boolean): string[] => rows.filter(wanted).map(({name}) => name);
	const ratios = (wanted: (ratio: number) => boolean): string[] =>
		differences.length > 0 ? [] : named(({ratio}) => ratio !== undefined && wanted(ratio));
	return {
		rows,
		differences,
		grown: ratios(ratio => ratio > 1 + allowed),
		shrunk: ratios(ratio => ratio < 1 - allowed),
		added: named(row => row.recorded === undefined),
		gone: named(row => row.now === undefined),
	};
}

/** The rows as lines: case, recorded, now, ratio. */
export function table({rows, grown}: Comparison): string[] {
	const cells = rows.map(({name, recorded, now, ratio}) => [
		name,
		count(recorded),
		count(now),
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

function count(instructions: number | undefined): string {
	return instructions?.toLocaleString('en-US') ?? '–';
}
