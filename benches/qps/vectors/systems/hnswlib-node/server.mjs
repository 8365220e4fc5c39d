// hnswlib-node as a server of benches/qps/vectors. Its searches are synchronous. They take arrays of numbers instead of a
// `Float32Array`, so queries are converted before the clock starts. Options: `index` is `exact`, or `hnsw` with `m` and
// `efConstruction`.
import {join} from 'node:path';
import {requirePeer, serve, versionOf} from '../protocol.mjs';

const {BruteforceSearch, HierarchicalNSW} = requirePeer('hnswlib-node');
const spaces = {dot: 'ip', l2: 'l2'};
let index;
let isExact;
let isAllowed;

await serve({
	version: versionOf('hnswlib-node'),
	async build(vectors, {similarity, options}) {
		isExact = options.index === 'exact';
		index = new (isExact ? BruteforceSearch : HierarchicalNSW)(spaces[similarity], vectors.dim);
		if (isExact) {
			index.initIndex(vectors.rows);
		} else {
			index.initIndex({maxElements: vectors.rows, m: options.m, efConstruction: options.efConstruction});
		}
		for (let row = 0; row < vectors.rows; row++) {
			index.addPoint(Array.from(vectors.row(row)), row);
		}
	},
	save: async folder => index.writeIndex(join(folder, 'index')),
	async open({dim, similarity, options, folder}) {
		isAllowed = undefined;
		isExact = options.index === 'exact';
		index = new (isExact ? BruteforceSearch : HierarchicalNSW)(spaces[similarity], dim);
		await index.readIndex(join(folder, 'index'));
	},
	setFilter(allowed) {
		isAllowed = allowed && (row => allowed[row] === 1);
	},
	toQuery: query => Array.from(query),
	async search(query, k, effort) {
		if (!isExact) {
			index.setEf(effort);
		}
		return index.searchKnn(query, k, isAllowed);
	},
	toRows: ({neighbors}) => neighbors,
});
