// passagekit as its users call it, behind the line protocol of benches/qps/vectors: awaited searches one after the other,
// or one `searchMany`; hits have names. Options: `index` is `flat`, or `hnsw` with options of `HnswIndex`.
import {readFileSync, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {FlatIndex, HnswIndex} from '../../../../../dist/ts/index.js';
import {serve} from '../protocol.mjs';

const checkout = new URL('../../../../../', import.meta.url);
const {version} = JSON.parse(readFileSync(new URL('package.json', checkout), 'utf8'));
/** Of the addon, since an index may not outlive the one that made it. */
const [built] = readdirSync(new URL('native/', checkout))
	.filter(name => name.endsWith('.node'))
	.map(name => Math.floor(statSync(new URL(`native/${name}`, checkout)).mtimeMs / 1000))
	.sort((a, b) => b - a);
/** Rows added at a time. */
const SIZE = 50_000;
const kinds = {flat: FlatIndex, hnsw: HnswIndex};
let index;
let filter;

await serve({
	version: `${version} built ${built}`,
	ways: ['build', 'batch'],
	async build({data, rows, dim}, {similarity, threads = 1, options: {index: kind, ...options}}) {
		index = new kinds[kind]({dim, similarity, ...options, ...(kind === 'hnsw' && {threads})});
		for (let from = 0; from < rows; from += SIZE) {
			const to = Math.min(rows, from + SIZE);
			const ids = Array.from({length: to - from}, (_, at) => String(from + at));
			await index.add(ids, {data: data.subarray(from * dim, to * dim), rows: to - from, dim});
		}
	},
	save: async folder => index.save(join(folder, 'index')),
	async open({folder, options}) {
		index?.close();
		filter = undefined;
		index = await kinds[options.index].open(join(folder, 'index'), {inMemory: true});
	},
	async accept(allowed) {
		filter = allowed && (await index.filter({ids: Array.from(allowed.keys(), String).filter(row => allowed[Number(row)])}));
	},
	search: async (query, k, effort) => index.search(query, {k, efSearch: effort || undefined, filter}),
	searchMany: async (queries, k, effort, threads) => index.searchMany(queries, {k, efSearch: effort || undefined, threads, filter}),
	numbered: hits => hits.map(({id}) => Number(id)),
});
