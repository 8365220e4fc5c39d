/** Filters of a BM25 index, and the selection of passages by their fields for the searchers of other indexes. */
import {RetrievalError} from '../core/errors.ts';
import {yieldIfOverBudget} from '../core/event-loop.ts';
import {type Evaluate, evaluation} from '../core/filters/evaluate.ts';
import type {Filter} from '../core/filters/filter.ts';
import type {LongFilter} from '../core/filters/long-form.ts';
import {type NormalizedFilter, refuseParts, requiredFilter, searchFiltered} from '../core/filters/normalize.ts';
import {type Binding, callNative} from '../core/native/native.ts';
import type {StoredFields} from '../core/types.ts';

const DOCUMENTS: ReadonlySet<string> = new Set(['documents']);

/** Number of ids per call to the addon. Copying them takes well under a millisecond. */
const IDS_PER_CALL = 1024;
/** What the addon returns for an id that is not in the index. It returns 1 for a passage that matches and 0 for one that does not. */
const UNKNOWN_ID = 2;
/** Number of passages whose fields are read at the same time. */
const MAX_READS = 64;

/**
Checks a filter and converts it to the long form. A missing filter is an error only if `required` is true. Fails with `ERR_ARGUMENT` if the
filter has the part `documents`.
*/
export function checkedFilter(filter: Filter | undefined, required = false): NormalizedFilter | undefined {
	if (filter === undefined && !required) {
		return undefined;
	}
	const normalized = requiredFilter(filter as Filter);
	refuseParts(
		normalized,
		DOCUMENTS,
		'expected ids or fields, since a BM25 index does not know the documents of its passages, got documents; list the ids of the passages in {ids: […]}, or use a collection that Collection.open created',
	);
	return normalized;
}

/** Returns the given ids whose passages match a filter, in the order of `ids`. */
export async function matchingIds(
	index: Binding.NativeBm25Index,
	ids: readonly string[],
	filter: Filter,
	signal: AbortSignal | undefined,
): Promise<string[]> {
	const normalized = requiredFilter(filter);
	// A search with k = 0 rejects fields that the index does not have, and values whose type differs from that of their field.
	const json = JSON.stringify(withoutDocuments(normalized.long));
	await searchFiltered({...normalized, json}, async checked =>
		callNative({signal}, control => index.search('', 0, 0.9, 0.4, checked, control)),
	);
	const evaluate = evaluation(normalized.long);
	return json === JSON.stringify(normalized.long)
		? matchingInIndex(index, ids, json, evaluate, signal)
		: matchingByFields(index, ids, evaluate, signal);
}

/** Lets the index evaluate a filter without `documents`. An id that is not in the index counts as that of a passage without fields. */
async function matchingInIndex(
	index: Binding.NativeBm25Index,
	ids: readonly string[],
	json: string,
	evaluate: Evaluate,
	signal: AbortSignal | undefined,
): Promise<string[]> {
	const matching: string[] = [];
	for (let from = 0; from < ids.length; from += IDS_PER_CALL) {
		await yieldIfOverBudget();
		const slice = ids.slice(from, from + IDS_PER_CALL);
		const states = await callNative({signal}, control => index.matching(slice, json, control));
		matching.push(...slice.filter((id, i) => states[i] === 1 || (states[i] === UNKNOWN_ID && evaluate(id, {}))));
	}
	return matching;
}

/** Evaluates a filter in JavaScript. The fields of a passage are read only if its id alone does not decide. */
async function matchingByFields(
	index: Binding.NativeBm25Index,
	ids: readonly string[],
	evaluate: Evaluate,
	signal: AbortSignal | undefined,
): Promise<string[]> {
	const matching: string[] = [];
	for (let from = 0; from < ids.length; from += MAX_READS) {
		await yieldIfOverBudget();
		signal?.throwIfAborted();
		const slice = ids.slice(from, from + MAX_READS);
		const matches = await Promise.all(slice.map(id => evaluate(id) ?? fieldsOf(index, id).then(fields => evaluate(id, fields))));
		matching.push(...slice.filter((_, i) => matches[i]));
	}
	return matching;
}

/** Replaces each part `documents`, which the addon does not know, with a part that any index accepts. */
function withoutDocuments(filter: LongFilter): LongFilter {
	const [[name, operand]] = Object.entries(filter) as [[string, unknown]];
	switch (name) {
		case 'documents': {
			return {ids: []};
		}
		case 'not': {
			return {not: withoutDocuments(operand as LongFilter)};
		}
		case 'and':
		case 'or': {
			return {[name]: (operand as readonly LongFilter[]).map(withoutDocuments)};
		}
		default: {
			return filter;
		}
	}
}

/** Reads the fields of a passage; none for an unknown id. */
async function fieldsOf(index: Binding.NativeBm25Index, id: string): Promise<StoredFields> {
	try {
		return JSON.parse(await callNative({}, async () => index.fields(id))) as StoredFields;
	} catch (error) {
		if (error instanceof RetrievalError && error.code === 'ERR_ARGUMENT') {
			return {};
		}
		throw error;
	}
}
