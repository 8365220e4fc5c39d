/** Searches the index of another thread for the best vector. */
import {parentPort, workerData} from 'node:worker_threads';
import {FlatIndex} from 'passagekit';

const {handle, query} = workerData;
// This thread has an object of its own over the same memory, and closes it itself.
const index = FlatIndex.attach(handle);
const [hit] = await index.search(query, {k: 1});
index.close();
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort.postMessage(hit.id);
