/** Checks that the passages of an index have the fields, and the types of values, that a filter compares. */
import type {RemoteIndex} from '../index/remote-index.ts';
import {names} from '../index/schema.ts';
import {type RemoteFilter, missingType} from './filters.ts';
import {answersOf} from './multi-search.ts';

/** For each open index, the types that it is known to have. A type is not forgotten when its last passage is deleted. */
const knownTypes = new WeakMap<RemoteIndex, Set<string>>();

/**
Fails with `ERR_ARGUMENT` if no passage has a value of a type that the filter compares: such a filter would match nothing, or everything with
`not`. An index without passages accepts any filter.
*/
export async function typesExist(index: RemoteIndex, filter: RemoteFilter, signal: AbortSignal | undefined): Promise<void> {
	const known = knownTypes.get(index) ?? new Set();
	knownTypes.set(index, known);
	const unknown = filter.types.filter(({attribute}) => !known.has(attribute));
	if (unknown.length === 0) {
		return;
	}
	const attributes = [...new Set(unknown.map(({attribute}) => attribute))];
	const queries = [...attributes.map(attribute => ({term: {[names.attributes]: {value: attribute}}})), {match_all: {}}];
	const {connection, name} = index.parts;
	const answers = await answersOf(
		{connection, name, signal},
		queries.map(query => ({body: {query, size: 1, terminate_after: 1, track_total_hits: false, _source: false}, dfs: false})),
	);
	const isFound = answers.map(({hits}) => (hits?.hits.length ?? 0) > 0);
	const hasPassages = isFound.at(-1)!;
	for (const [i, attribute] of attributes.entries()) {
		if (isFound[i]) {
			known.add(attribute);
		}
	}
	const missing = unknown.find(({attribute}) => !known.has(attribute));
	if (missing !== undefined && hasPassages) {
		throw missingType(missing, filter.normalized);
	}
}
