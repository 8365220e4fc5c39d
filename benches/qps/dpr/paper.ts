// What Karpukhin et al. (2020), "Dense Passage Retrieval for Open-Domain Question Answering", § 5.4, report: on a server with
// an Intel Xeon E5-2698 v4 at 2.20 GHz and 512 GB of memory, of 21 million passages (§ 4.1: 21,015,324) and the best 100.
const PASSAGES = 21e6;
const HOUR = 3600;

export const paper = {
	passages: PASSAGES,
	/** HNSW of Faiss in memory: 512 neighbours, depth 200 of construction and 128 of search. How many threads is not told. */
	dense: {questionsPerSecond: 995, buildSeconds: 8.5 * HOUR},
	/** BM25 of Lucene with its index in files, a CPU thread; "about 30 minutes" of building, on how many is not told. */
	sparse: {questionsPerSecond: 23.7, buildSeconds: 0.5 * HOUR},
	/** "Roughly 8.8 hours on 8 GPUs." */
	encoding: {seconds: 8.8 * HOUR, gpus: 8},
} as const;

/** Of a GPU. */
export const paperEncodingRate = PASSAGES / paper.encoding.seconds / paper.encoding.gpus;
