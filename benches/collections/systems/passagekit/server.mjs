// passagekit's collections as a server of benches/collections. A commit returns once the changes are on disk.
import {readFileSync} from 'node:fs';
import {Collection} from '../../../../dist/ts/index.js';
import {DEPTH, DIM, serve} from '../protocol.mjs';

const {version} = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
let opened;

const searchWith =
	retriever =>
	async ({text, vector, below, k, effort}) => {
		const filter = below === undefined ? undefined : {price: {lt: below}};
		const {hits} = await opened.search(text, {
			retriever,
			vector: retriever === 'bm25' ? undefined : vector,
			k,
			filter,
			efSearch: effort,
			depth: DEPTH,
		});
		return hits.map(({document}) => document);
	};

await serve({
	version,
	efforts: [10, 16, 32, 64, 128, 256, 512, 1024],
	async create(folder) {
		opened = await Collection.open(folder, {create: true, encoder: false, vectors: {dim: DIM}});
	},
	async open(folder) {
		opened = await Collection.open(folder, {encoder: false});
	},
	add: async documents => opened.add(documents),
	commit: async () => opened.commit(),
	optimize: async () => opened.optimize({threads: 1}),
	close: async () => opened.close(),
	text: searchWith('bm25'),
	vector: searchWith('dense'),
	hybrid: searchWith('hybrid'),
});
