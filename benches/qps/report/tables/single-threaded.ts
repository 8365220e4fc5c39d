// The note below the tables of a benchmark with several threads. It names the systems that can use only one thread.

/**
Returns the note as one line. Returns no line if no system is single-threaded, or if `threads`, the number of threads of the
benchmark, is 1.
*/
export function singleThreaded(
	results: ReadonlyArray<{readonly name: string; readonly threads?: number}>,
	threads: number,
): readonly string[] {
	const names = threads === 1 ? [] : results.filter(result => result.threads === 1).map(({name}) => name);
	return names.length > 0
		? [`measured on one thread instead of ${threads}, because the system is single-threaded: ${names.join('; ')}`]
		: [];
}
