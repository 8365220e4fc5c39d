/**
Checks arguments. A check that fails throws a `RetrievalError` with the code `ERR_ARGUMENT`, or `ERR_DIMENSION` for vectors of the wrong
length. The message has the form `what: expected …, got …`, where `what` names the argument.
*/
import {isFloat32Array} from 'node:util/types';
import {RetrievalError} from './errors.ts';
import type {Passage, Query, Question, Vectors} from './types.ts';

/** A class, including one whose constructor is private. */
// biome-ignore lint/complexity/noBannedTypes: `instanceof` accepts no narrower type.
type Class<T> = Function & {readonly prototype: T};

export function checkString(what: string, value: unknown): asserts value is string {
	if (typeof value !== 'string') {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a string, got ${kindOf(value)}`);
	}
}

/** Accepts a string without lone surrogates. UTF-8 cannot encode these, so different ids could become the same id in the addon. */
export function checkId(what: string, value: unknown): asserts value is string {
	checkString(what, value);
	if (!isWellFormed(value)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected well-formed Unicode, got a lone surrogate in ${JSON.stringify(value)}`);
	}
}

export function checkIds(what: string, values: unknown): asserts values is readonly string[] {
	checkArray(what, values, 'strings');
	for (const [i, value] of values.entries()) {
		// Most values are valid, and building the argument `what` would cost more than this check.
		if (typeof value !== 'string' || !isWellFormed(value)) {
			checkId(`${what}[${i}]`, value);
		}
	}
}

/** Whether a string has no lone surrogates. */
export function isWellFormed(value: string): boolean {
	// Node 20 has this method, but TypeScript declares it in a later `lib` than the one this package compiles against.
	return (value as string & {isWellFormed(): boolean}).isWellFormed();
}

/** Accepts an array. `of` names its elements in the message, as in "an array of strings". */
export function checkArray(what: string, values: unknown, of: string): asserts values is readonly unknown[] {
	if (!isArray(values)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected an array of ${of}, got ${kindOf(values)}`);
	}
}

/** Like `Array.isArray`, but returns false for a revoked proxy instead of throwing. */
export function isArray(value: unknown): value is readonly unknown[] {
	try {
		return Array.isArray(value);
	} catch {
		return false;
	}
}

/** Accepts an array of queries with id and text. */
export function checkQueries(what: string, queries: unknown): asserts queries is readonly Query[] {
	checkArray(what, queries, '{id, text}');
	const ids = new Set<string>();
	for (const [i, query] of (queries as readonly (Query | undefined)[]).entries()) {
		if (typeof query?.id !== 'string' || typeof query.text !== 'string' || !isWellFormed(query.id)) {
			checkQuery(`${what}[${i}]`, query);
		}
		if (ids.has(query!.id)) {
			throw new RetrievalError('ERR_DUPLICATE_ID', `${what}: expected distinct ids, got ${shown(query!.id)} twice`);
		}
		ids.add(query!.id);
	}
}

/** Accepts a query with id and text. */
export function checkQuery(what: string, query: unknown): asserts query is Query {
	checkObject(what, query, '{id, text}');
	checkId(`${what}: id`, query['id']);
	checkString(`${what}: text`, query['text']);
}

/** Accepts a passage with id, text and optional title. */
export function checkPassage(what: string, passage: unknown): asserts passage is Passage {
	checkObject(what, passage, '{id: string, text: string, title?: string}');
	checkId(`${what}: id`, passage['id']);
	checkString(`${what}: text`, passage['text']);
	if (passage['title'] !== undefined && passage['title'] !== null) {
		checkString(`${what}: title`, passage['title']);
	}
}

/** Accepts an array of questions with id, text and accepted answers. */
export function checkQuestions(what: string, questions: unknown): asserts questions is readonly Question[] {
	checkQueries(what, questions);
	for (const [i, {answers}] of (questions as readonly Question[]).entries()) {
		checkStrings(`${what}[${i}]: answers`, answers);
	}
}

/** Accepts any object except an array. `expected` describes its shape in the message. */
export function checkObject(what: string, value: unknown, expected: string): asserts value is Readonly<Record<string, unknown>> {
	if (!isObject(value) || isArray(value)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected ${expected}, got ${kindOf(value)}`);
	}
}

/** Whether a value is an object whose properties can be read. False for a revoked proxy. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
	try {
		// Throws for a revoked proxy.
		Array.isArray(value);
		return typeof value === 'object' && value !== null;
	} catch {
		return false;
	}
}

/** Accepts anything that `for await` can iterate, except a string: an array, a generator, a stream. `of` names its elements. */
export function checkIterable(what: string, values: unknown, of: string): void {
	if (typeof values === 'string' || !(hasMethods(values, Symbol.iterator) || hasMethods(values, Symbol.asyncIterator))) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected an array or another iterable of ${of}, got ${kindOf(values)}`);
	}
}

/** Accepts a `Map`, or another object with `get`, `has` and an iterator. `of` describes keys and values in the message. */
export function checkMap(what: string, value: unknown, of: string): asserts value is ReadonlyMap<string, unknown> {
	if (hasMethods(value, 'get', 'has', Symbol.iterator)) {
		return;
	}
	const hint = isPlain(value) ? '; convert it: new Map(Object.entries(it))' : '';
	throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a Map of ${of}, got ${kindOf(value)}${hint}`);
}

/** Whether a value is an object literal, or an object without a prototype. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
	try {
		return typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
	} catch {
		return false;
	}
}

/**
Rejects direct calls of a constructor that only the factory methods of its class may call. A factory method passes the constructor an object
of the class `kind`, which other callers cannot make; `made` is what the constructor was given. `instead` names the factory methods in the
message.
*/
export function checkFactoryMade(what: string, made: unknown, kind: Class<unknown>, instead: string): void {
	if (!isInstance(made, kind)) {
		throw new RetrievalError('ERR_ARGUMENT', `new ${what}: expected ${instead} in place of the constructor, got ${kindOf(made)}`);
	}
}

/** Accepts an instance of a class of this package. */
export function checkInstance<T>(what: string, value: unknown, kind: Class<T>): asserts value is T {
	if (!isInstance(value, kind)) {
		const article = /^[AEIO]/u.test(kind.name) ? 'an' : 'a';
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected ${article} ${kind.name}, got ${kindOf(value)}`);
	}
}

/** Like `instanceof`, but returns false for a revoked proxy instead of throwing. */
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

/** Accepts a whole number from `min` to `max`. */
export function checkCount(what: string, value: unknown, min: number, max = 0xff_ff_ff_ff): asserts value is number {
	if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
		// The default maximum is mentioned only if the value is above it.
		const isUnlimited = max === 0xff_ff_ff_ff && !(Number.isInteger(value) && (value as number) > max);
		const range = isUnlimited ? `of at least ${min}` : `from ${min} to ${max}`;
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

/**
Accepts a `Float32Array` of `length` values, or of any length if `length` is `undefined`. A detached array, whose memory was transferred to
another thread, is empty. It is reported as detached, unless `expected`, the length that the caller will check, is 0.
*/
export function checkFloats(what: string, value: unknown, length?: number, expected = length): asserts value is Float32Array {
	// Not `instanceof`: under Jest, arrays that the addon created belong to another JavaScript context than this module.
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
		// Throws if the memory was transferred to another thread. Node 20 does not have `ArrayBuffer.prototype.detached`.
		buffer.slice(0, 0);
		return false;
	} catch {
		return true;
	}
}

/** Accepts vectors of dimension `dim`: `rows` of them, or any number if `rows` is `undefined`. */
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

/** Whether a value has methods with all of these names. False for a proxy that throws. */
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

/** Describes a value for an error message. Never throws, even if the value has a getter or is a proxy that throws. */
export function kindOf(value: unknown): string {
	if (value === null) {
		return 'null';
	}
	if (typeof value !== 'object') {
		return typeof value;
	}
	try {
		const name: unknown = value.constructor?.name;
		if (typeof name !== 'string' || name === '' || name === 'Object') {
			return 'an object';
		}
		return /^(?:[AEIO]|Hnsw)/u.test(name) ? `an ${name}` : `a ${name}`;
	} catch {
		return 'an object';
	}
}

/** Shows a value in an error message: strings in quotes, numbers as they are, other values by their kind. */
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
