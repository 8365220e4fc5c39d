/** `Collection.search` for a collection that `Collection.build` made. */
import {checkCount, checkOneOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {documentOf} from '../core/filters/document-id.ts';
import type {BuiltCollection} from './built-collection.ts';
import {checkedSearch, isBlank, retrievers} from './live/hits.ts';
import type {CollectionSearchOptions, SearchResult} from './live/types.ts';

/**
Searches with the collection's searcher, and adds the requested texts and titles. Fails with `ERR_ARGUMENT` for the options that only an
updatable collection has: `groupBy`, `vector`, `efSearch`, and fields, highlights and sentences in `include`.
*/
export async function searchBuilt(collection: BuiltCollection, query: string, options: CollectionSearchOptions): Promise<SearchResult> {
	const {encoder} = collection.manifest;
	const {filter, groupBy, vector, efSearch, include = [], k = 10, offset = 0, exact, signal} = options;
	const refused = Object.entries({groupBy, vector, efSearch}).find(([, value]) => value !== undefined)?.[0];
	const part = include.find(name => name === 'fields' || name === 'highlights' || name === 'sentence');
	if (refused !== undefined || part !== undefined) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`search: ${refused ?? `include: ${part}`}: expected a collection that Collection.open created, got one that Collection.build made`,
		);
	}
	const {retriever, request} = checkedSearch(query, options, {
		dim: encoder?.dim,
		unit: encoder?.unit ?? false,
		k1: undefined,
		b: undefined,
	});
	checkOneOf('retriever', retriever, retrievers);
	checkCount('k', k, 0);
	if (isBlank(query)) {
		return {hits: [], retriever};
	}
	const searcher = await collection.searcher(retriever, {
		fusion: options.fusion,
		depth: request.depth,
		...(exact === true ? {vectorIndex: 'flat'} : {}),
	});
	const hits = (await searcher.search(query, {k: offset + k, signal, filter})).slice(offset);
	if (include.length === 0) {
		return {hits: hits.map(hit => ({...hit, document: documentOf(hit.id)})), retriever};
	}
	const passages = await collection.passagesOf(hits);
	return {
		hits: passages.map(({id, score, text, title}) => ({
			id,
			document: documentOf(id),
			score,
			...(include.includes('text') ? {text} : {}),
			...(include.includes('title') && title !== undefined ? {title} : {}),
		})),
		retriever,
	};
}
