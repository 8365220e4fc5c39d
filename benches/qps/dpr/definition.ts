// The definition of the benchmark `dpr-table` (definitions/dpr-table.json), which repeats the run-time measurements of
// DPR (Karpukhin et al., 2020, § 5.4), and its results. `sparse` means BM25, `dense` means HNSW.
import type {Result} from '../bm25/results/result.ts';
import type {Entry as SparseEntry} from '../bm25/system.ts';
import type {Summary} from '../vectors/results/summary.ts';
import type {Entry as DenseEntry} from '../vectors/system.ts';

/** The content of definitions/<name>.json. */
export interface Definition {
	/** What is measured, in words. */
	readonly about: string;
	/** The name of a corpus in ../bm25/data/data.json. */
	readonly corpus: string;
	/** The name of a list of queries in ../bm25/data/data.json. */
	readonly queries: string;
	/** The folder of the encoder model, relative to the shared folder (../harness/folders.ts). */
	readonly model: string;
	/** The number of hits per question. */
	readonly k: number;
	/** The size of the candidate list in a graph search (`efSearch`). */
	readonly effort: number;
	/** The number of timed rounds. */
	readonly rounds: number;
	/** The warm-up of answering questions with BM25, as in ../bm25/definition.ts. */
	readonly warmUp: {readonly rounds: number; readonly seconds: number};
	/** The name of the entry of `sparse` that the others are compared with. */
	readonly reference: string;
	/** The BM25 systems, each with the way in which it is called. */
	readonly sparse: readonly SparseEntry[];
	/** The HNSW systems, each with its options. */
	readonly dense: readonly DenseEntry[];
}

/** The results of one run. */
export interface Measured {
	readonly encoded: Encoded;
	/** The results of answering questions with BM25. */
	readonly sparse: readonly Result[];
	/** The results of building BM25 indexes from raw text. */
	readonly sparseBuilds: readonly Result[];
	/** The results of building HNSW indexes and searching them. */
	readonly dense: readonly Summary[];
	/** `dense` without the entries that search the index of an earlier entry. */
	readonly denseBuilds: readonly Summary[];
}

/** How long it took to encode a file of texts. */
export interface Encoding {
	/** The number of texts in the file. */
	readonly texts: number;
	/** The number of texts that were encoded: fewer in a smoke run. */
	readonly rows: number;
	readonly dim: number;
	/** The wall time. */
	readonly seconds: number;
	/** The CPU time of the process. */
	readonly cpuSeconds: number;
}

/** How long it took to encode the passages and the questions. */
export interface Encoded {
	/** The version of passagekit, which encodes the texts. */
	readonly version: string;
	readonly passages: Encoding;
	/** Questions are encoded in one call each. */
	readonly questions: Encoding;
}
