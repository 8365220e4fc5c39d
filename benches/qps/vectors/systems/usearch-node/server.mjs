// usearch of npm behind the line protocol of benches/qps/vectors. It is synchronous. Options: `index` is `exact`, or
// `hnsw` with `m`, `efConstruction` and `storage` (`f32` or `f16`).
import {join} from 'node:path';
import {packages, serve, versionOf} from '../protocol.mjs';

const {Index, exactSearch} = packages('usearch');
const metrics = {dot: 'ip', l2: 'l2sq'};
/** By effort: the candidates of a search are given when an index is made. */
const indexes = new Map();
let opened;
let rows;

const make = ({dim, similarity, options}, expansion) =>
	new Index({
		dimensions: dim,
		metric: metrics[similarity],
		quantization: options.storage,
		connectivity: options.m,
		expansion_add: options.efConstruction,
		expansion_search: expansion,
		multi: false,
	});

function indexOf(effort) {
	if (!indexes.has(effort)) {
		const index = make(opened, effort);
		// Mapped, so that all share the pages.
		index.view(join(opened.folder, 'index'));
		indexes.set(effort, index);
	}
	return indexes.get(effort);
}

let built;
await serve({
	version: versionOf('usearch'),
	ways: ['build', 'batch'],
	async build(vectors, request) {
		if (request.options.index === 'hnsw') {
			built = make(request, 64);
			const size = 10_000;
			for (let from = 0; from < vectors.rows; from += size) {
				const to = Math.min(vectors.rows, from + size);
				const keys = BigUint64Array.from({length: to - from}, (_, at) => BigInt(from + at));
				built.add(keys, vectors.data.slice(from * vectors.dim, to * vectors.dim), request.threads ?? 1);
			}
		}
	},
	save: async folder => built?.save(join(folder, 'index')),
	async open(request, read) {
		opened = request;
		rows = request.options.index === 'exact' ? read().data : undefined;
		indexes.clear();
	},
	// It ignores where a view begins in its buffer.
	prepared: query => query.slice(),
	search: async (query, k, effort) => (rows ? exactly(query, k, 1) : indexOf(effort).search(query, k, 1)),
	async searchMany({data, rows: count}, k, effort, threads) {
		const {keys} = rows ? exactly(data, k, threads) : indexOf(effort).search(data, k, threads);
		return Array.from({length: count}, (_, at) => ({keys: keys.subarray(at * k, (at + 1) * k)}));
	},
	numbered: ({keys}) => Array.from(keys, Number),
});

function exactly(queries, k, threads) {
	return exactSearch(rows, queries, opened.dim, k, metrics[opened.similarity], threads);
}
