// Finds differences between the conditions of two records: machine, data and definition.
import type {QpsRecord} from '../records/record.ts';

/** A value that differs between two records. */
export interface Difference {
	/** The path of a value in the record, such as `machine.cpu`. */
	readonly path: string;
	readonly older: string;
	readonly newer: string;
	/** Whether the difference makes speeds not comparable. */
	readonly matters: boolean;
}

/**
The values of `machine` and `definition` that must be equal for speeds to be comparable. All values of `data` must be
equal too, except `about` and `checked`.
*/
const MATTERS = new Set([
	'machine.cpu',
	'machine.cores',
	'machine.flags',
	'machine.platform',
	'definition.name',
	'definition.corpus',
	'definition.queries',
	'definition.analysis',
	'definition.data',
	'definition.rows',
	'definition.similarity',
	'definition.filter',
	'definition.reopen',
	'definition.level',
]);
/** Differences of memory up to this share are ignored: on the same machine, the operating system may reserve a little more or less. */
const MEMORY_TOLERANCE = 0.05;

/** Returns the differences: first of the machine, then of the data and of the definition. Entries of the definition are matched by name. */
export function differences(newer: QpsRecord, older: QpsRecord): readonly Difference[] {
	const changes = [
		...changed(flattened('machine', newer.machine), flattened('machine', older.machine)).filter(({path}) => path !== 'machine.date'),
		...changed(flattened('data', newer.data), flattened('data', older.data)),
		...changed(definitionOf(newer), definitionOf(older)),
	];
	return changes
		.filter(({path}) => path !== 'machine.memoryBytes' || !isNear(newer.machine.memoryBytes, older.machine.memoryBytes))
		.map(change => ({
			...change,
			matters: MATTERS.has(change.path) || (change.path.startsWith('data.') && !/^data\.(?:about|checked)/u.test(change.path)),
		}));
}

/** Flattens a definition; each entry is one value, as JSON. */
function definitionOf({definition}: QpsRecord): Readonly<Record<string, string>> {
	const {systems = [], ...rest} = definition as {readonly systems?: ReadonlyArray<{readonly name: string}>};
	const entries = Object.fromEntries(systems.map(({name, ...entry}) => [`systems[${name}]`, JSON.stringify(entry)]));
	return {...flattened('definition', rest), ...flattened('definition', entries)};
}

/** Returns a map from paths to values, for all values that are not objects. A list is one value. */
function flattened(path: string, object: object): Readonly<Record<string, string>> {
	return Object.fromEntries(
		Object.entries(object).flatMap(([key, value]): Array<[string, string]> => {
			const valuePath = `${path}.${key}`;
			if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
				return Object.entries(flattened(valuePath, value as object));
			}
			return value === undefined ? [] : [[valuePath, typeof value === 'string' ? value : JSON.stringify(value)]];
		}),
	);
}

/** Returns the paths whose values differ, or that only one of the records has. */
function changed(
	newer: Readonly<Record<string, string>>,
	older: Readonly<Record<string, string>>,
): ReadonlyArray<Omit<Difference, 'matters'>> {
	return [...new Set([...Object.keys(newer), ...Object.keys(older)])]
		.filter(path => newer[path] !== older[path])
		.map(path => ({path, older: older[path] ?? '–', newer: newer[path] ?? '–'}));
}

/** Whether two sizes of memory differ by at most `MEMORY_TOLERANCE`. */
const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= MEMORY_TOLERANCE * Math.max(a, b);
