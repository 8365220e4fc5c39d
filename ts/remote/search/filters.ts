/** Converts filters to queries of OpenSearch, with the rules of embedded indexes (`ts/core/filters/filter.ts`). */
import {RetrievalError} from '../../core/errors.ts';
import type {Bounds, Filter, Scalar} from '../../core/filters/filter.ts';
import type {LongFilter} from '../../core/filters/long-form.ts';
import {type NormalizedFilter, requiredFilter} from '../../core/filters/normalize.ts';
import {names} from '../index/schema.ts';
import {existenceAttributes, typeAttribute, typeRange, valueAttribute} from './attributes.ts';

/** A query in the language of OpenSearch. */
export type Query = Readonly<Record<string, unknown>>;

/** A converted filter. */
export interface RemoteFilter {
	readonly query: Query;
	/** The types of fields with which the filter compares values. If no passage has one of them, the search fails, as an embedded one does. */
	readonly types: readonly FieldType[];
	readonly normalized: NormalizedFilter;
}

/** A field, and the type of the values that a filter compares with it. */
export interface FieldType {
	readonly field: string;
	/** The value whose type is meant. */
	readonly example: Scalar;
	/** The path of the condition in the long form of the filter. */
	readonly path: string;
	/** The string that all passages with values of this type have. */
	readonly attribute: string;
}

/** Maximum number of values in one query by values (`index.max_terms_count`). */
const MAX_VALUES = 65_536;

/** Converts a filter. Returns `undefined` if there is none. */
export function remoteFilter(filter: Filter | undefined): RemoteFilter | undefined {
	if (filter === undefined) {
		return undefined;
	}
	const normalized = requiredFilter(filter);
	const types: FieldType[] = [];
	return {query: converted(normalized.long, 'filter', types), types, normalized};
}

function converted(filter: LongFilter, path: string, types: FieldType[]): Query {
	const [[name, operand]] = Object.entries(filter) as [[string, unknown]];
	const at = `${path}.${name}`;
	switch (name) {
		case 'ids': {
			return {ids: {values: operand}};
		}
		case 'documents': {
			return anyOf(names.document, operand as readonly string[]);
		}
		case 'not': {
			return {bool: {must_not: [converted(operand as LongFilter, at, types)]}};
		}
		case 'and': {
			return {bool: {filter: (operand as readonly LongFilter[]).map((part, i) => converted(part, `${at}[${i}]`, types))}};
		}
		case 'or': {
			const parts = (operand as readonly LongFilter[]).map((part, i) => converted(part, `${at}[${i}]`, types));
			return parts.length === 0 ? {match_none: {}} : {bool: {should: parts, minimum_should_match: 1}};
		}
		case 'exists': {
			return anyOf(names.attributes, existenceAttributes((operand as {readonly field: string}).field));
		}
		default: {
			return condition(name, operand, at, types);
		}
	}
}

/** Converts a comparison with the values of a field. */
function condition(name: string, operand: unknown, path: string, types: FieldType[]): Query {
	const {field} = operand as {readonly field: string};
	const needs = (example: Scalar, step: string): void => {
		types.push({field, example, path: `${path}.${step}`, attribute: typeAttribute(field, example)});
	};
	switch (name) {
		case 'equals': {
			const {value} = operand as {readonly value: Scalar};
			needs(value, 'value');
			return {term: {[names.attributes]: {value: valueAttribute(field, value)}}};
		}
		case 'in': {
			const {values} = operand as {readonly values: readonly Scalar[]};
			values.forEach((value, i) => needs(value, `values[${i}]`));
			return anyOf(
				names.attributes,
				values.map(value => valueAttribute(field, value)),
			);
		}
		case 'prefix': {
			const {value} = operand as {readonly value: string};
			needs(value, 'value');
			return {prefix: {[names.attributes]: {value: valueAttribute(field, value)}}};
		}
		// `range`.
		default: {
			const {gte, gt, lte, lt} = operand as Bounds<number | string>;
			const [bound, example] = Object.entries({gte, gt, lte, lt}).find(([, value]) => value !== undefined) as [string, Scalar];
			needs(example, bound);
			const [from, to] = typeRange(field, example);
			const written = (value: number | string): string => valueAttribute(field, value);
			return {
				range: {
					[names.attributes]: {
						...(gte === undefined ? (gt === undefined ? {gte: from} : {gt: written(gt)}) : {gte: written(gte)}),
						...(lte === undefined ? (lt === undefined ? {lt: to} : {lt: written(lt)}) : {lte: written(lte)}),
					},
				},
			};
		}
	}
}

function anyOf(field: string, values: readonly string[]): Query {
	if (values.length <= MAX_VALUES) {
		return values.length === 0 ? {match_none: {}} : {terms: {[field]: values}};
	}
	const parts: Query[] = [];
	for (let from = 0; from < values.length; from += MAX_VALUES) {
		parts.push({terms: {[field]: values.slice(from, from + MAX_VALUES)}});
	}
	return {bool: {should: parts, minimum_should_match: 1}};
}

/** Returns the error for a type that no passage has. */
export function missingType({field, example, path}: FieldType, {withWrittenPath}: NormalizedFilter): unknown {
	return withWrittenPath(
		new RetrievalError(
			'ERR_ARGUMENT',
			`${path}: expected a field and a type of value that a passage of the index has, got "${field}" with a ${typeof example}`,
		),
	);
}
