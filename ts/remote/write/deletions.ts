/** Deletes documents: by their ids, or those with a passage that matches a filter. */
import type {Filter} from '../../core/filters/filter.ts';
import {documentsOf, scanPassages} from '../search/read.ts';
import {removal} from './bulk.ts';
import {type WriteTarget, oldPassages} from './documents.ts';

/** Number of documents whose passages are looked for at a time. */
const DOCUMENTS_PER_SEARCH = 1000;

/** Deletes documents by id, with the changes that searches do not see yet, and returns how many of them existed. */
export async function deleteDocuments(target: WriteTarget, documents: readonly string[]): Promise<number> {
	const {index} = target;
	const concrete = await index.current();
	const old = await oldPassages(index, concrete, [...new Set(documents)], undefined);
	await deletePassages(target, concrete, [...old.values()].flat());
	return [...old.values()].filter(passages => passages.length > 0).length;
}

/** Deletes the documents that have a passage that matches and that searches see, and returns their number. */
export async function deleteMatching(target: WriteTarget, filter: Filter): Promise<number> {
	const {index} = target;
	const concrete = await index.current();
	const documents = await documentsOf(index, filter);
	for (let from = 0; from < documents.length; from += DOCUMENTS_PER_SEARCH) {
		const slice = documents.slice(from, from + DOCUMENTS_PER_SEARCH);
		const old = await oldPassages(index, concrete, slice, undefined);
		const ids = new Set([...old.values()].flat());
		// The ids of passages that were pushed from a corpus do not always follow from the id of their document.
		for await (const {id} of scanPassages(index, {documents: slice})) {
			ids.add(id);
		}
		await deletePassages(target, concrete, [...ids]);
	}
	return documents.length;
}

/** Deletes passages: the first passage of each document last, because later calls find the others by the number that it stores. */
async function deletePassages({bulk}: WriteTarget, concrete: string, ids: readonly string[]): Promise<void> {
	const isFirst = (id: string): boolean => id.endsWith('#0');
	await bulk.write(concrete, ids.filter(id => !isFirst(id)).map(removal));
	await bulk.write(concrete, ids.filter(isFirst).map(removal));
}
