// What measures one kind of definition: BM25, vectors, encoding, or DPR's table.

export type Say = (line: string) => void;

export interface Options {
	/** Builds indexes anew, whatever is kept. */
	readonly rebuild: boolean;
	/** One round: does everything work? */
	readonly smoke: boolean;
	/** Systems whose setup failed, by their folders below this one, and why. */
	readonly failed: ReadonlyMap<string, string>;
	readonly say: Say;
}

/** What measuring a definition came to. */
export interface Outcome {
	/** The definition as it was run. */
	readonly definition: object;
	/** Where passages and queries, or vectors, come from. */
	readonly data: object;
	readonly results: readonly object[];
	readonly table: string;
	/** An SVG; none of what is a table in words. */
	readonly figure?: string;
	/** What must not be so. */
	readonly wrong: readonly string[];
}

/** A folder beside this file, with definitions/, systems/ and what measures them. */
export interface Part {
	/** The folders, below this one, of the systems that a definition names. */
	systemsOf(definition: object): readonly string[];
	measure(definition: object, options: Options): Promise<Outcome>;
}
