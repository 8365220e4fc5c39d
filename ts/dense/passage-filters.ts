/**
Filters for searchers whose index has passage ids but no fields. The parts `ids` and `documents` of a filter need only the ids. For
conditions on fields, a `FieldIndex` of the same passages tells which ids match. In both cases, the vector index compiles the matching ids
to a bit set. `PassageFilters` checks and compiles the filters of one searcher.
*/
import {hasMethods, isArray, isInstance, isPlain, kindOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {yieldIfOverBudget} from '../core/event-loop.ts';
import {documentOf} from '../core/filters/document-id.ts';
import {conditionNames} from '../core/filters/evaluate.ts';
import type {Filter} from '../core/filters/filter.ts';
import type {LongFilter} from '../core/filters/long-form.ts';
import {type NormalizedFilter, refuseParts, requiredFilter} from '../core/filters/normalize.ts';
import type {FieldIndex} from '../core/types.ts';
import {type IdFilter, VectorFilter} from './vector-filter.ts';

/** The option that lets a searcher filter by fields. */
export interface FieldsOption {
	/**
	An index of the fields of the same passages, with the same ids, usually a `Bm25Index`; required for filters by fields. A vector
	whose id is not in this index counts as a passage without fields. @default none: only `ids` and `documents` may be used in filters
	*/
	readonly fields?: FieldIndex | undefined;
}

/** The filter option of searches for passages by vectors. */
export interface PassageFilterOptions {
	/**
	Restricts the search to passages that match, before the best ones are chosen: a `Filter`, which all searchers accept, or an `IdFilter`
	of the vector index. A condition on a field fails with `ERR_ARGUMENT` unless the searcher has `fields`. All filters fail with
	`ERR_ARGUMENT` if the vector index is not one of this package's classes. The part `documents` of a filter compares the part of a passage
	id before the last `#`.
	@default every passage
	*/
	readonly filter?: Filter | IdFilter | undefined;
}

/** An index whose vectors are selected by ids. */
export interface IdIndex {
	/** A number that changes whenever the ids change. While it is `undefined`, compiled filters are not reused. */
	readonly version: number | undefined;
	ids(): AsyncIterable<string>;
	filter(filter: IdFilter, options: {readonly signal?: AbortSignal | undefined}): Promise<VectorFilter>;
}

/** A checked filter: one by ids, which the vector index compiles, or one by fields, which `PassageFilters` compiles. */
export type CheckedFilter = {readonly byIds: IdFilter} | {readonly byFields: NormalizedFilter; readonly fields: FieldIndex};

/** A filter that is being compiled, or has been. */
interface Compilation {
	readonly filter: Promise<VectorFilter>;
	/** Stops the compilation when no call waits for it anymore. */
	readonly controller: AbortController;
	/** Number of calls that wait for the filter. */
	waiting: number;
}

/** Maximum number of compiled filters that are kept. */
const MAX_COMPILED = 16;

/** Checks and compiles the filters of one searcher of one index. */
export class PassageFilters {
	readonly #searcher: string;
	readonly #fields: FieldIndex | undefined;
	/** Filters by their JSON, compiled for the state `#state` of both indexes. In order of use: the most recently used filter is the last. */
	readonly #compiled = new Map<string, Compilation>();
	#state = '';

	/** Fails if `fields` is not an index of fields. `searcher` is the name of the class, for messages. */
	constructor(searcher: string, fields: FieldIndex | undefined) {
		if (fields !== undefined && !hasMethods(fields, 'matching')) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				`${searcher}: fields: expected a Bm25Index, or another object with the method matching, got ${kindOf(fields)}`,
			);
		}
		this.#searcher = searcher;
		this.#fields = fields;
	}

	/** Checks a filter, and copies it unless it is an `IdFilter`. Fails if it has a condition on a field and the searcher has no fields. */
	checked(filter: Filter | IdFilter): CheckedFilter {
		if (isIdFilter(filter)) {
			return {byIds: filter};
		}
		const normalized = requiredFilter(filter);
		if (this.#fields === undefined) {
			refuseParts(
				normalized,
				conditionNames,
				`expected ids or documents, since the ${this.#searcher} has no fields, got a condition on a field; create it with the option fields, a Bm25Index of the same passages`,
			);
			return {byIds: idFilterOf(normalized.long)};
		}
		return needsFields(normalized.long) ? {byFields: normalized, fields: this.#fields} : {byIds: idFilterOf(normalized.long)};
	}

	/** Compiles a filter by fields, and returns any other as it is. A recent filter is compiled again only if an index has changed. */
	async compiled(index: IdIndex, filter: CheckedFilter, signal: AbortSignal | undefined): Promise<IdFilter> {
		if ('byIds' in filter) {
			return filter.byIds;
		}
		signal?.throwIfAborted();
		const {byFields, fields} = filter;
		const state = stateOf(index, fields);
		if (state === undefined) {
			return compile(index, byFields, fields, signal);
		}
		if (state !== this.#state) {
			this.#compiled.clear();
			this.#state = state;
		}
		const {json} = byFields;
		const compilation = this.#compiled.get(json) ?? this.#started(index, byFields, fields, state);
		this.#compiled.delete(json);
		this.#compiled.set(json, compilation);
		for (const oldest of [...this.#compiled.keys()].slice(0, -MAX_COMPILED)) {
			this.#compiled.delete(oldest);
		}
		return waitFor(compilation, signal, () => this.#drop(json, compilation));
	}

	/** Starts the compilation of a filter. */
	#started(index: IdIndex, byFields: NormalizedFilter, fields: FieldIndex, state: string): Compilation {
		const controller = new AbortController();
		const filter = compile(index, byFields, fields, controller.signal);
		const compilation = {filter, controller, waiting: 0};
		const drop = (): void => this.#drop(byFields.json, compilation);
		// A filter that was compiled during a change may lack some ids: later searches compile it again.
		filter.then(() => (stateOf(index, fields) === state ? undefined : drop()), drop);
		return compilation;
	}

	#drop(json: string, compilation: Compilation): void {
		if (this.#compiled.get(json) === compilation) {
			this.#compiled.delete(json);
		}
	}
}

/** Identifies the current state of both indexes; `undefined` if one of them may change without notice. */
function stateOf({version}: IdIndex, {generation}: FieldIndex): string | undefined {
	return version === undefined || generation === undefined ? undefined : `${version} ${generation}`;
}

/** Waits for a compilation. If all calls that wait for it are aborted, `abandon` is called, and the compilation stops. */
async function waitFor(compilation: Compilation, signal: AbortSignal | undefined, abandon: () => void): Promise<VectorFilter> {
	const abort = (): void => {
		compilation.waiting -= 1;
		if (compilation.waiting === 0) {
			abandon();
			compilation.controller.abort(signal?.reason);
		}
	};
	compilation.waiting += 1;
	signal?.addEventListener('abort', abort);
	try {
		return await compilation.filter;
	} finally {
		signal?.removeEventListener('abort', abort);
		signal?.throwIfAborted();
		compilation.waiting -= 1;
	}
}

async function compile(
	index: IdIndex,
	{long, withWrittenPath}: NormalizedFilter,
	fields: FieldIndex,
	signal: AbortSignal | undefined,
): Promise<VectorFilter> {
	const ids: string[] = [];
	for await (const id of index.ids()) {
		signal?.throwIfAborted();
		ids.push(id);
	}
	let matching: string[];
	try {
		matching = await fields.matching(ids, long as Filter, {signal});
	} catch (error) {
		// The path in the error is that of the long form; the caller may have written the filter in the short form.
		throw withWrittenPath(error);
	}
	await yieldIfOverBudget();
	return index.filter({ids: matching}, {signal});
}

/**
Whether a filter can only be an `IdFilter`, because it contains a compiled filter or a function. A filter of `ids` alone means the same in
both types.
*/
function isIdFilter(filter: unknown, depth = 1): filter is IdFilter {
	if (isInstance(filter, VectorFilter)) {
		return true;
	}
	// Deeper filters are invalid, and may be cyclic.
	if (depth > 32 || !isPlain(filter)) {
		return false;
	}
	try {
		const {where, and, or, not} = filter;
		const parts = [not, ...(isArray(and) ? and : []), ...(isArray(or) ? or : [])];
		return typeof where === 'function' || parts.some(part => isIdFilter(part, depth + 1));
	} catch {
		return false;
	}
}

/** Whether a filter has a condition on a field. In the long form, every filter has exactly one entry. */
function needsFields(filter: LongFilter): boolean {
	const [[name, operand]] = Object.entries(filter) as [[string, unknown]];
	if (name === 'not') {
		return needsFields(operand as LongFilter);
	}
	return name === 'and' || name === 'or' ? (operand as readonly LongFilter[]).some(needsFields) : conditionNames.has(name);
}

/** Converts a filter without conditions on fields to an `IdFilter`. */
function idFilterOf(filter: LongFilter): IdFilter {
	const [[name, operand]] = Object.entries(filter) as [[string, unknown]];
	switch (name) {
		case 'and': {
			return {and: (operand as readonly LongFilter[]).map(idFilterOf)};
		}
		case 'or': {
			return {or: (operand as readonly LongFilter[]).map(idFilterOf)};
		}
		case 'not': {
			return {not: idFilterOf(operand as LongFilter)};
		}
		case 'documents': {
			const documents = new Set(operand as readonly string[]);
			return {where: id => documents.has(documentOf(id))};
		}
		default: {
			return {ids: operand as readonly string[]};
		}
	}
}
