// A definition of DPR's table (definitions/<name>.json), and what one run comes to.
import type {Result} from '../bm25/definition.ts';
import type {Entry as SparseEntry} from '../bm25/system.ts';
import type {Summary} from '../vectors/summary.ts';
import type {Entry as DenseEntry} from '../vectors/system.ts';

/** definitions/<name>.json. */
export interface Definition {
	readonly about: string;
	/** Of ../bm25/data.json. */
	readonly corpus: string;
	/** Of ../bm25/data.json. */
	readonly queries: string;
	/** A folder of the shared data. */
	readonly model: string;
	/** Hits of a question. */
	readonly k: number;
	/** Candidates of a walk over a graph. */
	readonly effort: number;
	readonly rounds: number;
	readonly warmUp: {readonly rounds: number; readonly seconds: number};
	/** The entry of `sparse` whose hits are the right ones. */
	readonly reference: string;
	readonly sparse: readonly SparseEntry[];
	readonly dense: readonly DenseEntry[];
}

/** What one run comes to. */
export interface Measured {
	readonly encoded: Encoded;
	/** Answering questions. */
	readonly sparse: readonly Result[];
	/** Building an index of raw text, round by round. */
	readonly sparseBuilds: readonly Result[];
	readonly dense: readonly Summary[];
	/** The first of each index. */
	readonly denseBuilds: readonly Summary[];
}

export interface Encoding {
	/** Texts that there are. */
	readonly texts: number;
	/** Of the first, fewer in a smoke run. */
	readonly rows: number;
	readonly dim: number;
	readonly seconds: number;
	/** Of the process. */
	readonly cpuSeconds: number;
}

export interface Encoded {
	readonly version: string;
	readonly passages: Encoding;
	/** One call for each. */
	readonly questions: Encoding;
}
