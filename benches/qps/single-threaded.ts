// The note below tables of multi-threaded runs that names the systems that can only use one thread.

/** Returns a line that names the single-threaded results, or nothing if there are none or the run has one thread anyway. */
export function singleThreaded(
	results: ReadonlyArray<{readonly name: string; readonly threads?: number}>,
	threads: number,
): readonly string[] {
	const names = threads === 1 ? [] : results.filter(result => result.threads === 1).map(({name}) => name);
	return names.length > 0
		? [`measured on one thread instead of ${threads}, because the system is single-threaded: ${names.join('; ')}`]
		: [];
}
