/**
The long form of filters, which the addon reads as JSON: each part is an object with one key, and a condition names its field inside, as in
`{range: {field: 'price', lt: 50}}`. The paths of parts in the long form differ from those that the caller wrote, so this module also
translates the paths in errors of the addon.
*/
import {RetrievalError} from '../errors.ts';

/** A filter in the long form. */
export type LongFilter = Readonly<Record<string, unknown>>;

/** A function that makes the long form of one part of a filter. `depth` is the nesting level of the result, from 1. */
export type Part = (depth: number) => LongFilter;

/**
Maps objects of the long form to their paths in the filter that the caller wrote. `isShort` marks operands of conditions that the caller
wrote in the short form, which does not have the keys `field`, `value` and `values`.
*/
export type WrittenPaths = Map<unknown, {readonly path: string; readonly isShort?: boolean}>;

/** Maximum depth of nested filters in the long form. */
const MAX_DEPTH = 32;

/** Fails if a filter at `path` is nested too deeply. */
export function checkDepth(path: string, depth: number): void {
	if (depth > MAX_DEPTH) {
		throw new RetrievalError('ERR_ARGUMENT', `${path}: expected at most ${MAX_DEPTH} levels of nested filters, got more`);
	}
}

/** Combines the parts of the object at `path`. Several parts become an `and`, whose parts are one level deeper. */
export function conjunction(path: string, parts: readonly Part[], depth: number, written: WrittenPaths): LongFilter {
	checkDepth(path, depth);
	const converted = (part: Part, level: number): LongFilter => {
		checkDepth(path, level);
		const long = part(level);
		written.set(long, {path});
		return long;
	};
	if (parts.length === 1) {
		return converted(parts[0]!, depth);
	}
	const long = {and: parts.map(part => converted(part, depth + 1))};
	written.set(long, {path});
	return long;
}

/** Returns the path of a property. Names that are not identifiers are quoted: `filter["a.b"]`. */
export function within(path: string, name: string): string {
	return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}

/** Matches an error message of the addon about a part of a filter, which starts with the path of the part in the long form. */
const PATH_PATTERN = /^filter((?:\.\w+|\[\d+\])*): (.*)$/su;

/** Replaces the path in an error of the addon with the path in the filter that the caller wrote. Returns all other values as they are. */
export function withWrittenPath(error: unknown, long: LongFilter, written: WrittenPaths): unknown {
	const match = error instanceof RetrievalError && error.code === 'ERR_ARGUMENT' ? PATH_PATTERN.exec(error.message) : null;
	if (match === null) {
		return error;
	}
	const [, steps, message] = match;
	let part: unknown = long;
	let {path, isShort = false} = written.get(long) ?? {path: 'filter'};
	for (const [step] of steps!.matchAll(/\.\w+|\[\d+\]/gu)) {
		const key = step.replaceAll(/[.[\]]/gu, '');
		part = (part as Readonly<Record<string, unknown>> | undefined)?.[key];
		const known = written.get(part);
		if (known !== undefined) {
			({path, isShort = false} = known);
		} else if (!isShort || !['field', 'value', 'values'].includes(key)) {
			path += step;
		}
	}
	return new RetrievalError('ERR_ARGUMENT', `${path}: ${message}`, {cause: error});
}
