/** Checks of arguments: what was expected, and what came. */
import {isFloat32Array} from 'node:util/types';
import {RetrievalError} from './errors.ts';
import type {Passage, Query, Question, Vectors} from './types.ts';

/** A class, also one whose constructor is private. */
// biome-ignore lint/complexity/noBannedTypes: `instanceof` takes nothing narrower.
type Class<T> = Function & {readonly prototype: T};

export function checkString(what: string, value: unknown): asserts value is string {
	if (typeof value !== 'string') {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a string, got ${kindOf(value)}`);
	}
}

/** A string that UTF-8 can hold: ids with lone surrogates would become one and the same id. */
export function checkId(what: string, value: unknown): asserts value is string {
	checkString(what, value);
	if (!isWellFormed(value)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected well-formed Unicode, got a lone surrogate in ${JSON.stringify(value)}`);
	}
}

export function checkIds(what: string, values: unknown): asserts values is readonly string[] {
	checkArray(what, values, 'strings');
	for (const [i, value] of values.entries()) {
		// Most calls have nothing to say: their message would cost more than the check.
		if (typeof value !== 'string' || !isWellFormed(value)) {
			checkId(`${what}[${i}]`, value);
		}
	}
}

/** Whether a string has no half of a surrogate pair alone. */
export function isWellFormed(value: string): boolean {
	// TypeScript has it in a later library than the one that Node 20 has all of.
	return (value as string & {isWellFormed(): boolean}).isWellFormed();
}

/** `of` names the members, as in `an array of strings`. */
export function checkArray(what: string, values: unknown, of: string): asserts values is readonly unknown[] {
	if (!isArray(values)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected an array of ${of}, got ${kindOf(values)}`);
	}
}

/** `Array.isArray`, which throws for a revoked proxy. */
export function isArray(value: unknown): value is readonly unknown[] {
	try {
		return Array.isArray(value);
	} catch {
		return false;
	}
}

/** Queries by id and text. */
export function checkQueries(what: string, queries: unknown): asserts queries is readonly Query[] {
	checkArray(what, queries, '{id, text}');
	for (const [i, query] of (queries as readonly (Query | undefined)[]).entries()) {
		if (typeof query?.id !== 'string' || typeof query.text !== 'string' || !isWellFormed(query.id)) {
			checkQuery(`${what}[${i}]`, query);
		}
	}
}

export function checkQuery(what: string, query: unknown): asserts query is Query {
	checkObject(what, query, '{id, text}');
	checkId(`${what}: id`, query['id']);
	checkString(`${what}: text`, query['text']);
}

/** A passage by id, text and, where it has one, title. */
export function checkPassage(what: string, passage: unknown): asserts passage is Passage {
	checkObject(what, passage, '{id: string, text: string, title?: string}');
	checkId(`${what}: id`, passage['id']);
	checkString(`${what}: text`, passage['text']);
	if (passage['title'] !== undefined && passage['title'] !== null) {
		checkString(`${what}: title`, passage['title']);
	}
}

/** Questions by id, text and accepted answers. */
export function checkQuestions(what: string, questions: unknown): asserts questions is readonly Question[] {
	checkQueries(what, questions);
	for (const [i, {answers}] of (questions as readonly Question[]).entries()) {
		checkStrings(`${what}[${i}]: answers`, answers);
	}
}

/** Any object that is no array; `expected` says of which shape it should be. */
export function checkObject(what: string, value: unknown, expected: string): asserts value is Readonly<Record<string, unknown>> {
	if (!isObject(value) || isArray(value)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected ${expected}, got ${kindOf(value)}`);
	}
}

/** An object that can be read: of a revoked proxy nothing can. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
	try {
		Array.isArray(value);
		return typeof value === 'object' && value !== null;
	} catch {
		return false;
	}
}

/** What can be read by `for await`: an array, a generator, a stream. */
export function checkIterable(what: string, values: unknown, of: string): void {
	if (typeof values === 'string' || !(hasMethods(values, Symbol.iterator) || hasMethods(values, Symbol.asyncIterator))) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected an array or another iterable of ${of}, got ${kindOf(values)}`);
	}
}

/** A `Map`, or another object with a map's `get` and iterator. `of` says from what to what it maps. */
export function checkMap(what: string, value: unknown, of: string): asserts value is ReadonlyMap<string, unknown> {
	if (hasMethods(value, 'get', 'has', Symbol.iterator)) {
		return;
	}
	const hint = isPlain(value) ? '; convert it: new Map(Object.entries(it))' : '';
	throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a Map of ${of}, got ${kindOf(value)}${hint}`);
}

/** An object that was written as `{…}`, or one without a prototype. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
	try {
		return typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
	} catch {
		return false;
	}
}

/**
Refuses a call of a constructor that only the class itself calls, with an object of the addon. `instead` says what makes one.
*/
export function checkMade(what: string, made: unknown, kind: Class<unknown>, instead: string): void {
	if (!isInstance(made, kind)) {
		throw new RetrievalError('ERR_ARGUMENT', `new ${what}: expected ${instead} in place of the constructor, got ${kindOf(made)}`);
	}
}

/** An object of a class of ours. */
export function checkInstance<T>(what: string, value: unknown, kind: Class<T>): asserts value is T {
	if (!isInstance(value, kind)) {
		const article = /^[AEIO]/u.test(kind.name) ? 'an' : 'a';
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected ${article} ${kind.name}, got ${kindOf(value)}`);
	}
}

/** `instanceof`, which throws for a revoked proxy. */
export function isInstance<T>(value: unknown, kind: Class<T>): value is T {
	try {
		return value instanceof kind;
	} catch {
		return false;
	}
}

export function checkFunction(what: string, value: unknown): void {
	if (typeof value !== 'function') {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a function, got ${kindOf(value)}`);
	}
}

export function checkStrings(what: string, values: unknown): asserts values is readonly string[] {
	checkArray(what, values, 'strings');
	for (const [i, value] of values.entries()) {
		if (typeof value !== 'string') {
			throw new RetrievalError('ERR_ARGUMENT', `${what}[${i}]: expected a string, got ${kindOf(value)}`);
		}
	}
}

/** A whole number from `least` to `most`. */
export function checkCount(what: string, value: unknown, least: number, most = 0xff_ff_ff_ff): asserts value is number {
	if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
		const range = most === 0xff_ff_ff_ff ? `of at least ${least}` : `from ${least} to ${most}`;
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a whole number ${range}, got ${shown(value)}`);
	}
}

export function checkNumber(what: string, value: unknown): asserts value is number {
	if (typeof value !== 'number' || !Number.isFinite(value)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a finite number, got ${shown(value)}`);
	}
}

export function checkBoolean(what: string, value: unknown): asserts value is boolean {
	if (typeof value !== 'boolean') {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a boolean, got ${shown(value)}`);
	}
}

export function checkOneOf<T extends string>(what: string, value: unknown, choices: readonly T[]): asserts value is T {
	if (!choices.includes(value as T)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected one of ${choices.join(', ')}, got ${shown(value)}`);
	}
}

/** A `Float32Array`, `length` long. `expected` is the length to tell a detached array by, where another is an error of its own. */
export function checkFloats(what: string, value: unknown, length?: number, expected = length): asserts value is Float32Array {
	// Also one that the addon made, which under Jest is of another context than this module.
	if (!isFloat32Array(value)) {
		const hint = isArray(value) || ArrayBuffer.isView(value) ? '; pass Float32Array.from(it)' : '';
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a Float32Array, got ${kindOf(value)}${hint}`);
	}
	if (value.length === 0 && expected !== 0 && isDetached(value.buffer)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a Float32Array with its memory, got a detached one`);
	}
	if (length !== undefined && value.length !== length) {
		throw new RetrievalError('ERR_DIMENSION', `${what}: expected vectors of dimension ${length}, got ${value.length} values`);
	}
}

function isDetached(buffer: ArrayBufferLike): boolean {
	try {
		// Throws if its memory went to another thread. Node 20 has no property that says so.
		buffer.slice(0, 0);
		return false;
	} catch {
		return true;
	}
}

/** `[rows, dim]` of an index's dimension, as many rows as `rows` says. */
export function checkVectors(what: string, vectors: Vectors, dim: number, rows?: number): void {
	checkObject(what, vectors, '{data, rows, dim}');
	if (vectors.dim !== dim) {
		throw new RetrievalError('ERR_DIMENSION', `${what}: expected vectors of dimension ${dim}, got ${shown(vectors.dim)}`);
	}
	checkCount(`${what}: rows`, vectors.rows, 0);
	checkFloats(`${what}: data`, vectors.data, undefined, vectors.rows * dim);
	if (vectors.data.length !== vectors.rows * dim) {
		throw new RetrievalError('ERR_DIMENSION', `${what}: expected ${vectors.rows} × ${dim} values, got ${vectors.data.length}`);
	}
	if (rows !== undefined && vectors.rows !== rows) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected one vector for each of ${rows} ids, got ${vectors.rows}`);
	}
}

/** An object with all of these functions. A proxy that throws has none. */
export function hasMethods(value: unknown, ...names: readonly PropertyKey[]): boolean {
	if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
		return false;
	}
	try {
		return names.every(name => typeof (value as Record<PropertyKey, unknown>)[name] === 'function');
	} catch {
		return false;
	}
}

/** What `kindOf` reads may be a getter or a proxy that throws: a message must not fail on the value that it is about. */
export function kindOf(value: unknown): string {
	if (value === null) {
		return 'null';
	}
	if (typeof value !== 'object') {
		return typeof value;
	}
	try {
		const name: unknown = value.constructor?.name;
		return `a ${typeof name === 'string' && name !== '' ? name : 'object'}`;
	} catch {
		return 'an object';
	}
}

export function shown(value: unknown): string {
	switch (typeof value) {
		case 'string': {
			return `"${value}"`;
		}
		case 'number':
		case 'undefined': {
			return String(value);
		}
		case 'bigint': {
			return `${value}n`;
		}
		default: {
			return kindOf(value);
		}
	}
}
