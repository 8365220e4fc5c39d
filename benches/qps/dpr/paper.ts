// The figures that Karpukhin et al. (2020), "Dense Passage Retrieval for Open-Domain Question Answering", report in §
// 5.4. They were measured on a server with an Intel Xeon E5-2698 v4 at 2.20 GHz and 512 GB of memory, over 21 million
// passages (21,015,324 in § 4.1), for the best 100 passages per question.
const PASSAGES = 21e6;
const HOUR = 3600;

export const paper = {
	passages: PASSAGES,
	/**
	Faiss HNSW in memory: 512 neighbors, 200 candidates while building and 128 while searching. The paper does not give
	the number of threads.
	*/
	dense: {questionsPerSecond: 995, buildSeconds: 8.5 * HOUR},
	/**
	Lucene's BM25 with the index in files: questions per second per CPU thread, and "about 30 minutes" of building with an
	unknown number of threads.
	*/
	sparse: {questionsPerSecond: 23.7, buildSeconds: 0.5 * HOUR},
	/** "Roughly 8.8 hours on 8 GPUs." */
	encoding: {seconds: 8.8 * HOUR, gpus: 8},
} as const;

/** Passages per second per GPU. */
export const paperEncodingRate = PASSAGES / paper.encoding.seconds / paper.encoding.gpus;
