// What measures one kind of definition: BM25, vectors, encoding, or DPR's table.

export type Say = (line: string) => void;

export interface Options {
	/** Whether to rebuild indexes even if they are cached. */
	readonly rebuild: boolean;
	/** Whether to run one round only, to check that everything works. */
	readonly smoke: boolean;
	/** The reasons why systems could not be set up, by the system's folder relative to this one. */
	readonly failed: ReadonlyMap<string, string>;
	readonly say: Say;
}

/** The result of measuring a definition. */
export interface Outcome {
	/** The definition as it was run. */
	readonly definition: object;
	/** The source of the passages and queries, or of the vectors. */
	readonly data: object;
	readonly results: readonly object[];
	readonly table: string;
	/** A chart as SVG, unless the result is only a table. */
	readonly figure?: string;
	/** Results that must not happen, such as an exact system with wrong hits. They fail the run, after the record is written. */
	readonly wrong: readonly string[];
}

/** A folder beside this file, with definitions/, systems/ and the code that measures them. */
export interface Part {
	/** Returns the folders of the systems that a definition names, relative to this folder. */
	systemsOf(definition: object): readonly string[];
	measure(definition: object, options: Options): Promise<Outcome>;
}
