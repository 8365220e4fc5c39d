/** Searches one index from several worker threads. The index is in memory only once. */
import {Worker} from 'node:worker_threads';
import {FlatIndex} from 'passagekit';

const index = new FlatIndex({dim: 2});
await index.add(['east', 'north', 'northeast'], {data: Float32Array.of(1, 0, 0, 1, 1, 1), rows: 3, dim: 2});

const queries = [Float32Array.of(2, 1), Float32Array.of(-1, 1)];
const found = await Promise.all(
	queries.map(async query => {
		// The handle is a plain object, so it can also be sent with postMessage.
		const worker = new Worker(new URL('search-worker.mjs', import.meta.url), {workerData: {handle: index.share(), query}});
		return new Promise((resolve, reject) => {
			worker.once('message', resolve).once('error', reject);
		});
	}),
);
console.log(found);
index.close();
