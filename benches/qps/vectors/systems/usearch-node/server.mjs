// usearch, the npm package, as a server of benches/qps/vectors. Its functions are synchronous. Options: `index` is `exact`, or
// `hnsw` with `m`, `efConstruction` and `storage` (`f32` or `f16`).
import {join} from 'node:path';
import {requirePeer, serve, versionOf} from '../protocol.mjs';

const {Index, exactSearch} = requirePeer('usearch');
const metrics = {dot: 'ip', l2: 'l2sq'};
/**
One index object per effort, because usearch takes the size of the candidate list (`expansion_search`) when an index
object is created.
*/
const indexOfEffort = new Map();
/** The request that opened the index. */
let opened;
/** The rows, for exact search. */
let rows;

/** `expansion` is the size of the candidate list while searching. */
const newIndex = ({dim, similarity, options}, expansion) =>
	new Index({
		dimensions: dim,
		metric: metrics[similarity],
		quantization: options.storage,
		connectivity: options.m,
		expansion_add: options.efConstruction,
		expansion_search: expansion,
		multi: false,
	});

/** Returns the index object for an effort. */
function indexOf(effort) {
	if (!indexOfEffort.has(effort)) {
		const index = newIndex(opened, effort);
		// `view` maps the file into memory, so that all index objects share its pages.
		index.view(join(opened.folder, 'index'));
		indexOfEffort.set(effort, index);
	}
	return indexOfEffort.get(effort);
}

let built;
await serve({
	version: versionOf('usearch'),
	threadedTasks: ['build', 'batch'],
	async build(vectors, request) {
		if (request.options.index === 'hnsw') {
			// The value 64 does not matter, because this index object is not searched.
			built = newIndex(request, 64);
			const batch = 10_000;
			for (let from = 0; from < vectors.rows; from += batch) {
				const to = Math.min(vectors.rows, from + batch);
				const keys = BigUint64Array.from({length: to - from}, (_, i) => BigInt(from + i));
				built.add(keys, vectors.data.slice(from * vectors.dim, to * vectors.dim), request.threads ?? 1);
			}
		}
	},
	save: async folder => built?.save(join(folder, 'index')),
	async open(request, readRows) {
		opened = request;
		rows = request.options.index === 'exact' ? readRows().data : undefined;
		indexOfEffort.clear();
	},
	// A copy, because usearch ignores the byte offset of a `Float32Array` in its buffer.
	toQuery: query => query.slice(),
	search: async (query, k, effort) => (rows ? searchExactly(query, k, 1) : indexOf(effort).search(query, k, 1)),
	async searchMany({data, rows: count}, k, effort, threads) {
		const {keys} = rows ? searchExactly(data, k, threads) : indexOf(effort).search(data, k, threads);
		return Array.from({length: count}, (_, i) => ({keys: keys.subarray(i * k, (i + 1) * k)}));
	},
	toRows: ({keys}) => Array.from(keys, Number),
});

function searchExactly(queries, k, threads) {
	return exactSearch(rows, queries, opened.dim, k, metrics[opened.similarity], threads);
}
