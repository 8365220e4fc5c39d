/**
Checks the conditions of filters on single fields and converts them to the long form, which the addon reads. The short form is
`{price: {lt: 50}}`, the long form `{range: {field: 'price', lt: 50}}`; `filter.ts` describes both.
*/
import {Buffer} from 'node:buffer';
import {isArray} from '../checks.ts';
import {RetrievalError} from '../errors.ts';
import {nearestName} from '../options.ts';
import {type LongFilter, type Part, type WrittenPaths, conjunction, within} from './long-form.ts';
import type {Scalar} from './filter.ts';
import {checkText, isPlainObject, isValue, refuse, storedValue} from './values.ts';

const BOUNDS = ['gte', 'gt', 'lte', 'lt'] as const;
type Bound = (typeof BOUNDS)[number];

/** The operators of the short form. */
const OPERATORS = ['equals', 'in', 'not', 'lt', 'lte', 'gt', 'gte', 'exists', 'prefix'] as const;
type Operator = (typeof OPERATORS)[number];

/** Maximum length of a field's name in bytes of UTF-8. */
const MAX_NAME_BYTES = 255;

const VALUE = 'a string, a finite number, a boolean or a Date';
const VALUES = 'an array of strings, finite numbers, booleans and Dates';
const CONDITION = 'a string, a finite number, a boolean, a Date, an array of these or an object of operators';

/**
Converts a condition of the short form, `{[name]: condition}` in the filter at `path`. The result has one part for all bounds together, and
one for each other operator.
*/
export function fieldParts(path: string, name: string, condition: unknown, written: WrittenPaths): readonly Part[] {
	checkName(path, name);
	if (isArray(condition) && condition.some(isPlainObject)) {
		const near = nearestName(name, ['and', 'or']);
		refuse(within(path, name), VALUES, condition, near === undefined ? ' of objects' : ` of objects; did you mean ${near}?`);
	}
	return conditionParts(within(path, name), name, condition, written);
}

function conditionParts(path: string, field: string, condition: unknown, written: WrittenPaths): readonly Part[] {
	if (isValue(condition)) {
		return [shortPart('equals', path, {field, value: storedValue(path, condition, VALUE)}, written)];
	}
	if (isArray(condition)) {
		return [shortPart('in', path, {field, values: valuesOf(path, condition)}, written)];
	}
	if (!isPlainObject(condition)) {
		refuse(path, CONDITION, condition);
	}
	const entries = Object.entries(condition);
	const unknown = entries.find(([name]) => !isOperator(name));
	if (unknown !== undefined) {
		const near = nearestName(unknown[0], OPERATORS);
		const hint = near === undefined ? '' : `; did you mean ${near}?`;
		throw new RetrievalError('ERR_ARGUMENT', `${path}: expected operators among ${OPERATORS.join(', ')}, got "${unknown[0]}"${hint}`);
	}
	const parts = entries.flatMap(([name, operand]) => {
		const convert = operators[name as Exclude<Operator, Bound>];
		return convert === undefined ? [] : [convert(within(path, name), field, operand, written)];
	});
	const bounds = boundsOf(path, condition);
	if (Object.keys(bounds).length > 0) {
		parts.push(shortPart('range', path, {field, ...bounds}, written));
	}
	if (parts.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', `${path}: expected at least one operator among ${OPERATORS.join(', ')}, got none`);
	}
	return parts;
}

function isOperator(name: string): name is Operator {
	return OPERATORS.includes(name as Operator);
}

/** Whether a value could be meant as a condition on a field whose name is reserved. */
export function isLikeCondition(value: unknown): boolean {
	if (isArray(value)) {
		return value.length > 0 && value.every(isValue);
	}
	return isValue(value) || (isPlainObject(value) && Object.keys(value).length > 0 && Object.keys(value).every(isOperator));
}

/** For each operator, a function that converts the operand at `path`. Bounds have none: `conditionParts` combines them into one range. */
const operators: Readonly<
	Record<Exclude<Operator, Bound>, (path: string, field: string, operand: unknown, written: WrittenPaths) => Part> & {[B in Bound]?: never}
> = {
	equals: (path, field, value, written) => shortPart('equals', path, {field, value: storedValue(path, value, VALUE)}, written),
	in: (path, field, values, written) => shortPart('in', path, {field, values: valuesOf(path, values)}, written),
	not: (path, field, condition, written) => depth => ({
		not: conjunction(path, conditionParts(path, field, condition, written), depth + 1, written),
	}),
	exists(path, field, exists, written) {
		if (typeof exists !== 'boolean') {
			refuse(path, 'true or false', exists);
		}
		const part = shortPart('exists', path, {field}, written);
		return exists ? part : depth => ({not: conjunction(path, [part], depth + 1, written)});
	},
	prefix(path, field, value, written) {
		checkText(path, value);
		return shortPart('prefix', path, {field, value}, written);
	},
};

/** Returns the part `{[kind]: operand}` of a condition that the caller wrote in the short form, at `path`. */
function shortPart(kind: string, path: string, operand: object, written: WrittenPaths): Part {
	written.set(operand, {path, isShort: true});
	return () => ({[kind]: operand});
}

/** For each condition of the long form, a function that checks and converts the operand at `path`. */
export const longConditions = {
	equals(path: string, operand: unknown): LongFilter {
		const {field, value} = checkedOperand(path, 'equals', operand, ['value']);
		return {equals: {field, value: storedValue(`${path}.value`, value, VALUE)}};
	},
	in(path: string, operand: unknown): LongFilter {
		const {field, values} = checkedOperand(path, 'in', operand, ['values']);
		return {in: {field, values: valuesOf(`${path}.values`, values)}};
	},
	range(path: string, operand: unknown): LongFilter {
		const range = checkedOperand(path, 'range', operand, BOUNDS);
		const bounds = boundsOf(path, range);
		if (Object.keys(bounds).length === 0) {
			throw new RetrievalError('ERR_ARGUMENT', `${path}: expected at least one of gte, gt, lte and lt, got none`);
		}
		return {range: {field: range['field'], ...bounds}};
	},
	exists(path: string, operand: unknown): LongFilter {
		const {field} = checkedOperand(path, 'exists', operand, []);
		return {exists: {field}};
	},
	prefix(path: string, operand: unknown): LongFilter {
		const {field, value} = checkedOperand(path, 'prefix', operand, ['value']);
		checkText(`${path}.value`, value);
		return {prefix: {field, value}};
	},
} as const;

/** The shapes of the operands of the long form, for messages. */
export const longOperands: Readonly<Record<keyof typeof longConditions, string>> = {
	equals: '{field, value}',
	in: '{field, values}',
	range: '{field, gte or gt, lte or lt}',
	exists: '{field}',
	prefix: '{field, value}',
};

/** Checks that an operand of the long form has the name of a field, and no other properties than `properties`. */
function checkedOperand(
	path: string,
	kind: keyof typeof longOperands,
	operand: unknown,
	properties: readonly string[],
): Readonly<Record<string, unknown>> {
	const expected = longOperands[kind];
	if (!isPlainObject(operand)) {
		refuse(path, expected, operand);
	}
	checkText(`${path}.field`, operand['field']);
	checkName(path, operand['field']);
	const unknown = Object.keys(operand).find(name => name !== 'field' && !properties.includes(name));
	if (unknown !== undefined) {
		throw new RetrievalError('ERR_ARGUMENT', `${path}: expected ${expected}, got "${unknown}" too`);
	}
	return operand;
}

function checkName(path: string, name: string): void {
	checkText(`${path}: name`, name);
	const bytes = Buffer.byteLength(name);
	if (bytes === 0 || bytes > MAX_NAME_BYTES) {
		throw new RetrievalError('ERR_ARGUMENT', `${path}: expected field names of 1 to ${MAX_NAME_BYTES} bytes, got ${bytes} bytes`);
	}
}

function valuesOf(path: string, values: unknown): Scalar[] {
	if (!isArray(values)) {
		refuse(path, VALUES, values);
	}
	// Unlike `map`, `Array.from` also visits the empty slots of a sparse array.
	return Array.from(values, (value, i) => storedValue(`${path}[${i}]`, value, VALUE));
}

/** Returns the bounds of an object, without those that are `undefined`, and checks that they can be the bounds of one range. */
function boundsOf(path: string, object: Readonly<Record<string, unknown>>): Partial<Record<Bound, Scalar>> {
	const bounds: Partial<Record<Bound, Scalar>> = {};
	for (const name of BOUNDS) {
		const value = object[name];
		if (value !== undefined) {
			const expected = 'a finite number, a string or a Date';
			bounds[name] =
				typeof value === 'boolean' ? refuse(`${path}.${name}`, expected, value) : storedValue(`${path}.${name}`, value, expected);
		}
	}
	for (const [included, excluded] of [
		['gte', 'gt'],
		['lte', 'lt'],
	] as const) {
		if (bounds[included] !== undefined && bounds[excluded] !== undefined) {
			throw new RetrievalError('ERR_ARGUMENT', `${path}: expected one of ${included} and ${excluded}, got both`);
		}
	}
	const [first, second] = Object.values(bounds).map(value => typeof value);
	if (second !== undefined && first !== second) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`${path}: expected bounds that are both numbers or both strings, got a ${first} and a ${second}`,
		);
	}
	return bounds;
}
