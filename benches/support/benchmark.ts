/**
A benchmark that `npm run bench -- NAME` runs. It prints lines with `say` while it runs, and resolves to its result: an object that
`run.ts` writes to the record as JSON.
*/
export type Benchmark = (say: (line: string) => void) => Promise<Result>;

interface Result {
	/** The name of the record's file, without `.json`. By default, the name of the benchmark. */
	readonly recordName?: string;
	readonly [key: string]: unknown;
}
