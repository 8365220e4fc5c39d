/** Checks the options of searches in a collection, and converts the hits that the addon returns. */
import {checkArray, checkBoolean, checkCount, checkOneOf, shown} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {documentOf} from '../../core/filters/document-id.ts';
import {type NormalizedFilter, normalizedFilter} from '../../core/filters/normalize.ts';
import type {Binding} from '../../core/native/native.ts';
import {type OptionNames, optionNames} from '../../core/options.ts';
import type {StoredFieldsOf} from '../../core/typed-fields.ts';
import type {StoredFields} from '../../core/types.ts';
import {type FusionMethod, checkFusion, nativeFusion} from '../../fusion/method.ts';
import type {CollectionHit, CollectionSearchOptions, Highlight, Include, Retriever, StoredPassage} from './types.ts';
import {checkedVector} from './vector-rows.ts';

export const retrievers: readonly Retriever[] = ['bm25', 'dense', 'hybrid'];

const includes: readonly Include[] = ['text', 'title', 'fields', 'highlights', 'sentence'];

export const searchNames = {
	retriever: true,
	k: true,
	offset: true,
	filter: true,
	include: true,
	groupBy: true,
	fusion: true,
	depth: true,
	vector: true,
	efSearch: true,
	exact: true,
	signal: true,
} as const;
export const collectionSearchOptions: OptionNames = optionNames<CollectionSearchOptions>(searchNames);

/** What a search needs to know about the collection. */
export interface SearchContext {
	/** The dimension of the vectors; `undefined` without vectors. */
	readonly dim: number | undefined;
	/** Whether the vectors have length 1. */
	readonly unit: boolean;
	readonly k1: number | undefined;
	readonly b: number | undefined;
}

/** A search whose options were checked. */
export interface CheckedSearch {
	readonly request: Binding.NativeSearchRequest;
	readonly retriever: Retriever;
	readonly filter: NormalizedFilter | undefined;
	readonly vector: Float32Array | undefined;
	readonly include: ReadonlySet<Include>;
}

/** Checks the options of a search and adds the defaults. */
export function checkedSearch(text: string, options: CollectionSearchOptions, context: SearchContext): CheckedSearch {
	const {dim, unit, k1 = 0.9, b = 0.4} = context;
	const {k = 10, offset = 0, include = [], groupBy, exact = false} = options;
	const retriever = options.retriever ?? (dim === undefined ? 'bm25' : 'hybrid');
	checkOneOf('retriever', retriever, retrievers);
	if (retriever !== 'bm25' && dim === undefined) {
		throw new RetrievalError('ERR_ARGUMENT', `retriever: expected bm25, since the collection has no vectors, got ${shown(retriever)}`);
	}
	checkCount('k', k, 0);
	checkCount('offset', offset, 0);
	const depth = options.depth ?? listLength(offset + k);
	checkCount('depth', depth, 1);
	const efSearch = options.efSearch ?? (retriever === 'dense' && offset > 0 ? Math.max(128, listLength(offset + k)) : 128);
	checkCount('efSearch', efSearch, 1);
	checkBoolean('exact', exact);
	checkArray('include', include, includes.join(', '));
	include.forEach((part, i) => checkOneOf(`include[${i}]`, part, includes));
	const parts = new Set(include);
	if (parts.has('sentence') && retriever === 'bm25') {
		const reason = dim === undefined ? 'the collection has no vectors' : 'vectors choose the sentence';
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`include: sentence: expected the retriever dense or hybrid, since ${reason}, got bm25; highlights are the words that match`,
		);
	}
	const fusion: FusionMethod = options.fusion ?? (unit ? {method: 'hybridNorm', alpha: 0.05} : {method: 'dprHybrid'});
	checkFusion(fusion, 2);
	const filter = normalizedFilter(options.filter);
	const request: Binding.NativeSearchRequest = {
		text,
		retriever,
		k,
		offset,
		...(filter === undefined ? {} : {filter: filter.json}),
		groupByDocument: isByDocument(groupBy),
		k1,
		b,
		ef: efSearch,
		exact,
		...(retriever === 'hybrid' ? {fusion: nativeFusion(fusion)} : {}),
		depth,
		contents: parts.has('text') || parts.has('title') || parts.has('fields') || parts.has('sentence'),
		highlights: parts.has('highlights'),
	};
	const given = retriever === 'bm25' ? undefined : options.vector;
	const vector = given === undefined ? undefined : checkedVector('vector', given, dim);
	return {request, retriever, filter, vector, include: parts};
}

/**
Returns the default number of hits of a list for a search that reaches this number of hits: 100, 1,000, 10,000, … In this way, most
pages of a search come from the same list. A hybrid search fuses lists of this length; the pages of a dense search have this number of candidates.
*/
function listLength(hits: number): number {
	let length = 100;
	while (length < hits) {
		length *= 10;
	}
	return Math.min(length, 0xff_ff_ff_ff);
}

/** Whether a query has nothing to search for. Its vector would be that of an empty text, to which some passages are near by chance. */
export function isBlank(query: string): boolean {
	return !/\S/u.test(query);
}

/** Checks the option `groupBy`, and returns whether it is 'document'. */
export function isByDocument(groupBy: 'document' | undefined): boolean {
	if (groupBy !== undefined) {
		checkOneOf('groupBy', groupBy, ['document']);
	}
	return groupBy !== undefined;
}

/** Converts hits of the addon. `sentences` has the best sentence of each hit, if the search asked for sentences. */
export function hitsOf(
	found: Binding.NativeFound,
	include: ReadonlySet<Include>,
	sentences: readonly Highlight[] | undefined,
): CollectionHit[] {
	return found.ids.map((id, i) => {
		const title = found.titles[i];
		const bounds = found.highlights[i];
		return {
			id,
			document: documentOf(id),
			score: found.scores[i]!,
			...(include.has('text') ? {text: found.texts[i]!} : {}),
			...(include.has('title') && title ? {title} : {}),
			...(include.has('fields') ? {fields: JSON.parse(found.fields[i]!) as StoredFields} : {}),
			...(include.has('highlights') ? {highlights: highlightsOf(bounds ?? new Uint32Array(0))} : {}),
			...(sentences === undefined ? {} : {sentence: sentences[i]!}),
		};
	});
}

/** Converts passages of the addon. */
export function passagesOf<Fields>({ids, titles, texts, fields}: Binding.NativeStoredPassages): Array<StoredPassage<Fields>> {
	return ids.map((id, i) => ({
		id,
		document: documentOf(id),
		...(titles[i] ? {title: titles[i]} : {}),
		text: texts[i]!,
		fields: JSON.parse(fields[i]!) as StoredFieldsOf<Fields>,
	}));
}

/** Returns the number of a passage in its document, from 0; `undefined` if the id does not end in `#` and a number. */
export function numberOf(passage: string): number | undefined {
	const text = passage.slice(passage.lastIndexOf('#') + 1);
	return /^(0|[1-9]\d*)$/u.test(text) && passage.includes('#') ? Number(text) : undefined;
}

/** Converts highlights of the addon: `bounds` has the start and the end of each of them. */
function highlightsOf(bounds: Uint32Array): Highlight[] {
	const highlights: Highlight[] = [];
	for (let i = 0; i < bounds.length; i += 2) {
		highlights.push({start: bounds[i]!, end: bounds[i + 1]!});
	}
	return highlights;
}
