/**
Evaluates filters in JavaScript, passage by passage, for `Bm25Index.matching` (`ts/sparse/filters.ts`): filters with the part `documents`,
which a BM25 index cannot evaluate itself, and all filters for ids that the index does not have. The rules are those of
`crates/sparse/src/filter/`: a condition on a field that the passage does not have is false, and a field with several strings matches if one
of the strings does.
*/
import type {StoredFields, StoredFieldValue} from '../types.ts';
import {documentOf} from './document-id.ts';
import type {Bounds, Scalar} from './filter.ts';
import type {LongFilter} from './long-form.ts';

/** Returns whether a passage matches. Without `fields`, returns `undefined` if the result depends on them. */
export type Evaluate = (id: string, fields?: StoredFields) => boolean | undefined;

type Condition = (value: Scalar) => boolean;

/** The names of the parts that are conditions on a field. */
export const conditionNames: ReadonlySet<string> = new Set(['equals', 'in', 'range', 'exists', 'prefix']);

/** Returns a function that evaluates a filter in the long form. */
export function evaluation(filter: LongFilter): Evaluate {
	const [[name, operand]] = Object.entries(filter) as [[string, unknown]];
	switch (name) {
		case 'ids': {
			const ids = new Set(operand as readonly string[]);
			return id => ids.has(id);
		}
		case 'documents': {
			const documents = new Set(operand as readonly string[]);
			return id => documents.has(documentOf(id));
		}
		case 'not': {
			const evaluate = evaluation(operand as LongFilter);
			return (id, fields) => {
				const matches = evaluate(id, fields);
				return matches === undefined ? undefined : !matches;
			};
		}
		case 'and':
		case 'or': {
			return combined((operand as readonly LongFilter[]).map(evaluation), name === 'or');
		}
		default: {
			const {field} = operand as {readonly field: string};
			const condition = conditionOf(name, operand);
			return (_, fields) => (fields === undefined ? undefined : valuesOf(fields, field).some(condition));
		}
	}
}

/**
Combines the parts of an `or`, for which `decisive` is true, or of an `and`, for which it is false. If a part has the value `decisive`, so has
the combination, and the parts after it are not evaluated.
*/
function combined(parts: readonly Evaluate[], decisive: boolean): Evaluate {
	return (id, fields) => {
		let result: boolean | undefined = !decisive;
		for (const part of parts) {
			const matches = part(id, fields);
			if (matches === decisive) {
				return decisive;
			}
			result = matches === undefined ? undefined : result;
		}
		return result;
	};
}

function conditionOf(name: string, operand: unknown): Condition {
	switch (name) {
		case 'equals': {
			const {value: expected} = operand as {readonly value: Scalar};
			return value => value === expected;
		}
		case 'in': {
			const values = new Set((operand as {readonly values: readonly Scalar[]}).values);
			return value => values.has(value);
		}
		case 'range': {
			return within(operand as Bounds<number | string>);
		}
		case 'prefix': {
			const {value: prefix} = operand as {readonly value: string};
			return value => typeof value === 'string' && value.startsWith(prefix);
		}
		// `exists`: an empty array counts as missing.
		default: {
			return () => true;
		}
	}
}

function within({gte, gt, lte, lt}: Bounds<number | string>): Condition {
	const type = typeof (gte ?? gt ?? lte ?? lt);
	return value =>
		typeof value === type &&
		(gte === undefined || compare(value, gte) >= 0) &&
		(gt === undefined || compare(value, gt) > 0) &&
		(lte === undefined || compare(value, lte) <= 0) &&
		(lt === undefined || compare(value, lt) < 0);
}

/** Compares two numbers, or two strings in code point order. */
function compare(a: Scalar, b: Scalar): number {
	if (typeof a !== 'string' || typeof b !== 'string') {
		return Number(a) - Number(b);
	}
	const length = Math.min(a.length, b.length);
	for (let i = 0; i < length; i++) {
		if (a.codePointAt(i) !== b.codePointAt(i)) {
			return a.codePointAt(i)! - b.codePointAt(i)!;
		}
	}
	return a.length - b.length;
}

function valuesOf(fields: StoredFields, name: string): readonly Scalar[] {
	const value: StoredFieldValue | undefined = Object.hasOwn(fields, name) ? fields[name] : undefined;
	if (value === undefined) {
		return [];
	}
	return typeof value === 'object' ? value : [value];
}
