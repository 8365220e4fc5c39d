// passagekit's Node API as a server of benches/qps/vectors: awaited searches one after the other, or one `searchMany`.
// Hits have ids. Options: `index` is `flat`, or `hnsw` with the options of `HnswIndex`.
import {readFileSync, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {FlatIndex, HnswIndex} from '../../../../../dist/ts/index.js';
import {serve} from '../protocol.mjs';

const checkout = new URL('../../../../../', import.meta.url);
const {version} = JSON.parse(readFileSync(new URL('package.json', checkout), 'utf8'));
/** When the newest addon was built, in Unix seconds. Part of the version, so that indexes of another build are not reused. */
const [builtAt] = readdirSync(new URL('native/', checkout))
	.filter(name => name.endsWith('.node'))
	.map(name => Math.floor(statSync(new URL(`native/${name}`, checkout)).mtimeMs / 1000))
	.sort((a, b) => b - a);
/** The number of rows added per call. */
const BATCH = 50_000;
const kinds = {flat: FlatIndex, hnsw: HnswIndex};
let index;
let filter;

await serve({
	version: `${version} built ${builtAt}`,
	threadedTasks: ['build', 'batch'],
	async build({data, rows, dim}, {similarity, threads = 1, options: {index: kind, ...options}}) {
		index = new kinds[kind]({dim, similarity, ...options, ...(kind === 'hnsw' && {threads})});
		for (let from = 0; from < rows; from += BATCH) {
			const to = Math.min(rows, from + BATCH);
			const ids = Array.from({length: to - from}, (_, i) => String(from + i));
			await index.add(ids, {data: data.subarray(from * dim, to * dim), rows: to - from, dim});
		}
	},
	save: async folder => index.save(join(folder, 'index')),
	async open({folder, options}) {
		index?.close();
		filter = undefined;
		index = await kinds[options.index].open(join(folder, 'index'), {inMemory: true});
	},
	async setFilter(allowed) {
		filter = allowed && (await index.filter({ids: Array.from(allowed.keys(), String).filter(row => allowed[Number(row)])}));
	},
	// An effort of 0 means exact search, which takes no `efSearch`.
	search: async (query, k, effort) => index.search(query, {k, efSearch: effort || undefined, filter}),
	searchMany: async (queries, k, effort, threads) => index.searchMany(queries, {k, efSearch: effort || undefined, threads, filter}),
	toRows: hits => hits.map(({id}) => Number(id)),
});
