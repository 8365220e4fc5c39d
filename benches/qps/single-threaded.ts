// What tables say of systems that have one thread where others have several.

/** A line that names the results measured on one of several threads; none where there are no such. */
export function singleThreaded(
	results: ReadonlyArray<{readonly name: string; readonly threads?: number}>,
	threads: number,
): readonly string[] {
	const names = threads === 1 ? [] : results.filter(result => result.threads === 1).map(({name}) => name);
	return names.length > 0 ? [`on one of ${threads} threads, for it has no more: ${names.join('; ')}`] : [];
}
