// The interface of a suite: a folder such as `bm25/`, `vectors/`, `encoding/` or `dpr/`, which measures one kind of
// definition. A definition (`definitions/<name>.json` in the folder of a suite) says what is measured and which systems
// are compared.

/** Prints one line of progress or results. */
export type Say = (line: string) => void;

/** How to measure a definition. */
export interface Options {
	/** Whether to rebuild indexes even if they are cached. */
	readonly rebuild: boolean;
	/** Whether to run only one round, to check that everything works. All suites except BM25 then use little data. */
	readonly smoke: boolean;
	/** The systems that could not be set up, each with the reason. The key is the folder of the system, relative to benches/qps. */
	readonly failed: ReadonlyMap<string, string>;
	readonly say: Say;
}

/** The result of measuring a definition. */
export interface Outcome {
	/** The definition as it was run: for a smoke run, with smaller numbers. */
	readonly definition: object;
	/** The source of the passages and queries, or of the vectors. */
	readonly data: object;
	readonly results: readonly object[];
	/** The results as tables in plain text. */
	readonly table: string;
	/** A chart as SVG, unless the suite has only tables. */
	readonly figure?: string;
	/** Results that must not occur, such as wrong hits of an exact system. They fail the run, after the record is written. */
	readonly violations: readonly string[];
}

/** What the `measure.ts` of a suite exports. */
export interface Suite {
	/** Returns the folders of the systems that a definition needs, relative to benches/qps. */
	systemsOf(definition: object): readonly string[];
	/** Measures a definition. If the system of an entry fails, the results say so, and the other entries are still measured. */
	measure(definition: object, options: Options): Promise<Outcome>;
}
