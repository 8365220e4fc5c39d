// hnswlib-node behind the line protocol of benches/qps/vectors. It is synchronous and takes arrays of numbers, which are
// made before the clock starts. Options: `index` is `exact`, or `hnsw` with `m`, `efConstruction`.
import {join} from 'node:path';
import {packages, serve, versionOf} from '../protocol.mjs';

const {BruteforceSearch, HierarchicalNSW} = packages('hnswlib-node');
const spaces = {dot: 'ip', l2: 'l2'};
let index;
let exact;
let allows;

await serve({
	version: versionOf('hnswlib-node'),
	async build(rows, {similarity, options}) {
		exact = options.index === 'exact';
		index = new (exact ? BruteforceSearch : HierarchicalNSW)(spaces[similarity], rows.dim);
		if (exact) {
			index.initIndex(rows.rows);
		} else {
			index.initIndex({maxElements: rows.rows, m: options.m, efConstruction: options.efConstruction});
		}
		for (let at = 0; at < rows.rows; at++) {
			index.addPoint(Array.from(rows.row(at)), at);
		}
	},
	save: async folder => index.writeIndex(join(folder, 'index')),
	async open({dim, similarity, options, folder}) {
		allows = undefined;
		exact = options.index === 'exact';
		index = new (exact ? BruteforceSearch : HierarchicalNSW)(spaces[similarity], dim);
		await index.readIndex(join(folder, 'index'));
	},
	accept(allowed) {
		allows = allowed && (row => allowed[row] === 1);
	},
	prepared: query => Array.from(query),
	async search(query, k, effort) {
		if (!exact) {
			index.setEf(effort);
		}
		return index.searchKnn(query, k, allows);
	},
	numbered: ({neighbors}) => neighbors,
});
