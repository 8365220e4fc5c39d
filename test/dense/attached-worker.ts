// A worker thread for `workers.test.ts`: attaches to the index of the handle that it is given, and reports the properties of the index in
// its first message. Then it runs the tasks that the test sends, and answers each with one message. Errors are also sent as messages.
import {parentPort, workerData} from 'node:worker_threads';
import {FlatIndex, HnswIndex, type IndexHandle, type RetrievalError} from '../../ts/index.ts';

interface Task {
	/** One of the cases of the `switch` below. */
	readonly action: string;
	/** For `search`, `filter` and `flood`: the query of a search. For `add`: the vector to add. */
	readonly query?: Float32Array;
	/** For `filter`: the only id that the filter allows. For `add`: the id of the vector. */
	readonly id?: string;
	/** For `flood`: the number of queries that are searched in one batch, and of vectors that are added. */
	readonly count?: number;
}

const {handle, dim} = workerData as {handle: IndexHandle; dim: number};
const port = parentPort!;
try {
	const index =
		handle.kind === 'FlatIndex'
			? FlatIndex.attach(handle as IndexHandle<'FlatIndex'>)
			: HnswIndex.attach(handle as IndexHandle<'HnswIndex'>);
	port.on('message', async (task: Task) => {
		try {
			switch (task.action) {
				case 'search': {
					port.postMessage(await index.search(task.query!, {k: 5}));
					break;
				}
				case 'filter': {
					port.postMessage(await index.search(task.query!, {k: 5, filter: {where: id => id === task.id}}));
					break;
				}
				case 'add': {
					await index.add([task.id!], {data: task.query!, rows: 1, dim});
					port.postMessage(index.size);
					break;
				}
				// Starts many calls without waiting for them, so that the thread can be terminated while they run.
				case 'flood': {
					const queries = {data: new Float32Array(task.count! * dim).fill(0.5), rows: task.count!, dim};
					void index.searchMany(queries, {k: 100});
					void index.add(
						Array.from({length: task.count!}, (_, i) => `flood${i}`),
						queries,
					);
					for (let i = 0; i < 50; i++) {
						void index.search(task.query!, {onProgress() {}});
					}
					port.postMessage('flooding');
					break;
				}
				case 'close': {
					index.close();
					port.postMessage('closed');
					break;
				}
			}
		} catch (error) {
			port.postMessage({code: (error as RetrievalError).code, message: (error as Error).message});
		}
	});
	port.postMessage({size: index.size, dim: index.dim, similarity: index.similarity});
} catch (error) {
	port.postMessage({code: (error as RetrievalError).code, message: (error as Error).message});
}
