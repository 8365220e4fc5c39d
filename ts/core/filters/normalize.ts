/**
Checks filters and converts them to the long form, which the addon reads: `{price: {lt: 50}, inStock: true}` becomes
`{and: [{range: {field: 'price', lt: 50}}, {equals: {field: 'inStock', value: true}}]}`. `conditions.ts` converts the conditions on single
fields; this module converts everything else.
*/
import {isArray} from '../checks.ts';
import {RetrievalError} from '../errors.ts';
import {fieldParts, isLikeCondition, longConditions, longOperands} from './conditions.ts';
import type {Filter} from './filter.ts';
import {type LongFilter, type Part, type WrittenPaths, checkDepth, conjunction, withWrittenPath} from './long-form.ts';
import {checkText, isPlainObject, refuse} from './values.ts';

/** A checked filter. */
export interface NormalizedFilter {
	/** The long form. */
	readonly long: LongFilter;
	/** The long form as JSON. */
	readonly json: string;
	/** Replaces the path in an error of the addon with the path in the filter that the caller wrote. Returns all other values as they are. */
	readonly withWrittenPath: (error: unknown) => unknown;
}

/** Checks a filter and converts it. Returns `undefined` if `filter` is `undefined`. */
export function normalizedFilter(filter: Filter | undefined): NormalizedFilter | undefined {
	return filter === undefined ? undefined : requiredFilter(filter);
}

/** Checks a filter and converts it. Errors name the path to the invalid part, as in `filter.or[1].price.lt`. */
export function requiredFilter(filter: Filter): NormalizedFilter {
	const written: WrittenPaths = new Map();
	let long: LongFilter;
	try {
		long = longFilter('filter', filter, 1, written);
	} catch (error) {
		if (error instanceof RetrievalError) {
			throw error;
		}
		throw new RetrievalError('ERR_ARGUMENT', 'filter: expected a filter that can be read, got an object that throws', {cause: error});
	}
	return {long, json: JSON.stringify(long), withWrittenPath: error => withWrittenPath(error, long, written)};
}

/** Runs a search with the JSON of a filter. If the addon refuses a part of the filter, the error has the path that the caller wrote. */
export async function searchFiltered<T>(
	filter: NormalizedFilter | undefined,
	search: (json: string | undefined) => Promise<T>,
): Promise<T> {
	try {
		return await search(filter?.json);
	} catch (error) {
		throw filter === undefined ? error : filter.withWrittenPath(error);
	}
}

/**
Fails if the long form of the filter has a part with one of these names, such as `equals` or `documents`. The error has the path of the
first such part, followed by `message`.
*/
export function refuseParts({long, withWrittenPath}: NormalizedFilter, names: ReadonlySet<string>, message: string): void {
	const path = pathOf(long, names, 'filter');
	if (path !== undefined) {
		throw withWrittenPath(new RetrievalError('ERR_ARGUMENT', `${path}: ${message}`));
	}
}

/** Returns the path of the first part of a long form that has one of these names; `undefined` if there is none. */
function pathOf(filter: LongFilter, names: ReadonlySet<string>, path: string): string | undefined {
	const [[name, operand]] = Object.entries(filter) as [[string, unknown]];
	const at = `${path}.${name}`;
	if (names.has(name)) {
		return at;
	}
	if (name === 'not') {
		return pathOf(operand as LongFilter, names, at);
	}
	if (name !== 'and' && name !== 'or') {
		return undefined;
	}
	for (const [i, part] of (operand as readonly LongFilter[]).entries()) {
		const found = pathOf(part, names, `${at}[${i}]`);
		if (found !== undefined) {
			return found;
		}
	}
	return undefined;
}

/** Checks the filter at `path`, and converts it to the long form. `depth` is its nesting level, from 1. */
function longFilter(path: string, filter: unknown, depth: number, written: WrittenPaths): LongFilter {
	checkDepth(path, depth);
	if (!isPlainObject(filter)) {
		refuse(path, 'a filter such as {price: {lt: 50}}', filter);
	}
	const parts = Object.entries(filter).flatMap(([name, operand]): readonly Part[] => {
		if (!isReserved(name)) {
			return fieldParts(path, name, operand, written);
		}
		checkShape(`${path}.${name}`, name, operand);
		return [level => reservedParts[name](`${path}.${name}`, operand, level, written)];
	});
	return conjunction(path, parts, depth, written);
}

/** For each reserved name, a function that converts the operand at `path`. */
const reservedParts = {
	...longConditions,
	ids: (path: string, ids: unknown): LongFilter => ({ids: textsOf(path, ids)}),
	documents: (path: string, documents: unknown): LongFilter => ({documents: textsOf(path, documents)}),
	and: (path: string, parts: unknown, depth: number, written: WrittenPaths): LongFilter => ({and: filtersOf(path, parts, depth, written)}),
	or: (path: string, parts: unknown, depth: number, written: WrittenPaths): LongFilter => ({or: filtersOf(path, parts, depth, written)}),
	not: (path: string, part: unknown, depth: number, written: WrittenPaths): LongFilter => ({
		not: longFilter(path, part, depth + 1, written),
	}),
} as const;

type ReservedName = keyof typeof reservedParts;

/** The shape of the operand that each reserved name expects, for messages. */
const shapes: Readonly<Record<ReservedName, string>> = {
	...longOperands,
	ids: 'an array of strings',
	documents: 'an array of strings',
	and: 'an array of filters',
	or: 'an array of filters',
	not: 'a filter such as {price: {lt: 50}}',
};

function isReserved(name: string): name is ReservedName {
	return Object.hasOwn(reservedParts, name);
}

/** Refuses operands of the wrong shape. If the operand looks like a condition on a field, the message says how to write that condition. */
function checkShape(path: string, name: ReservedName, operand: unknown): void {
	const isShaped = shapes[name].startsWith('an array')
		? isArray(operand)
		: isPlainObject(operand) && (!Object.hasOwn(longOperands, name) || Object.hasOwn(operand, 'field'));
	if (!isShaped) {
		const hint = isLikeCondition(operand) ? `; for a field with the name "${name}", write {equals: {field: "${name}", value: …}}` : '';
		refuse(path, shapes[name], operand, hint);
	}
}

function textsOf(path: string, texts: unknown): string[] {
	return Array.from(texts as readonly unknown[], (text, i) => {
		checkText(`${path}[${i}]`, text);
		return text;
	});
}

function filtersOf(path: string, parts: unknown, depth: number, written: WrittenPaths): LongFilter[] {
	return Array.from(parts as readonly unknown[], (part, i) => longFilter(`${path}[${i}]`, part, depth + 1, written));
}
