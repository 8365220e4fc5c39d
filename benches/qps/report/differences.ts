// In what two records were not measured alike.
import type {QpsRecord} from './record.ts';

export interface Difference {
	/** A path, as `machine.cpu`. */
	readonly what: string;
	readonly older: string;
	readonly newer: string;
	/** Whether speeds are not comparable for it. */
	readonly matters: boolean;
}

/** Of a machine and a definition, what speeds hang on. Of data all does; what an entry is given, for that entry. */
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
]);
/** Two of one machine differ in it by what the system keeps for itself. */
const MEMORY = 0.05;

/** In the order of a record. Entries are told apart by name. */
export function differences(newer: QpsRecord, older: QpsRecord): readonly Difference[] {
	const pairs = [
		...changed(flat('machine', newer.machine), flat('machine', older.machine)).filter(({what}) => what !== 'machine.date'),
		...changed(flat('data', newer.data), flat('data', older.data)),
		...changed(definitionOf(newer), definitionOf(older)),
	];
	return pairs
		.filter(({what}) => what !== 'machine.memoryBytes' || !near(newer.machine.memoryBytes, older.machine.memoryBytes))
		.map(pair => ({
			...pair,
			matters: MATTERS.has(pair.what) || (pair.what.startsWith('data.') && !/^data\.(?:about|checked)/u.test(pair.what)),
		}));
}

function definitionOf({definition}: QpsRecord): Readonly<Record<string, string>> {
	const {systems = [], ...rest} = definition as {readonly systems?: ReadonlyArray<{readonly name: string}>};
	const entries = Object.fromEntries(systems.map(({name, ...entry}) => [`systems[${name}]`, JSON.stringify(entry)]));
	return {...flat('definition', rest), ...flat('definition', entries)};
}

/** Values that are no objects, by path; lists are one value. */
function flat(path: string, of: object): Readonly<Record<string, string>> {
	return Object.fromEntries(
		Object.entries(of).flatMap(([key, value]): Array<[string, string]> => {
			const here = `${path}.${key}`;
			if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
				return Object.entries(flat(here, value as object));
			}
			return value === undefined ? [] : [[here, typeof value === 'string' ? value : JSON.stringify(value)]];
		}),
	);
}

function changed(
	newer: Readonly<Record<string, string>>,
	older: Readonly<Record<string, string>>,
): ReadonlyArray<Omit<Difference, 'matters'>> {
	return [...new Set([...Object.keys(newer), ...Object.keys(older)])]
		.filter(what => newer[what] !== older[what])
		.map(what => ({what, older: older[what] ?? '–', newer: newer[what] ?? '–'}));
}

const near = (a: number, b: number): boolean => Math.abs(a - b) <= MEMORY * Math.max(a, b);
