/** The ids of documents: the passages of document `d` are `d#0`, `d#1`, …; a passage whose id has no `#` is a document of its own. */

/** Returns the id of a passage's document. */
export function documentOf(passage: string): string {
	const end = passage.lastIndexOf('#');
	return end < 0 ? passage : passage.slice(0, end);
}
