/** Attaches to the index of the main thread, and sends back the id of the vector that is most similar to a query. */
import {parentPort, workerData} from 'node:worker_threads';
import {FlatIndex} from 'passagekit';

const {handle, query} = workerData;
// This object uses the memory of the main thread's index. Each thread closes its own object.
const index = FlatIndex.attach(handle);
const [hit] = await index.search(query, {k: 1});
index.close();
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort.postMessage(hit.id);
