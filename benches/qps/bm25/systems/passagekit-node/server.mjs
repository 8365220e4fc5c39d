// passagekit's Node API as a server of benches/qps/bm25: searches that are awaited one by one, or one `searchMany` per
// batch. Hits have passage ids.
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Bm25Index} from '../../../../../dist/ts/index.js';
import {serve} from '../protocol.mjs';

const {version} = JSON.parse(readFileSync(new URL('../../../../../package.json', import.meta.url), 'utf8'));
let index;

await serve({
	version,
	analyses: ['tokens', 'english'],
	threadedTasks: ['batch'],
	async build(passages, folder, analysis) {
		const analyzer = analysis === 'tokens' ? 'whitespace' : 'english';
		const built = await Bm25Index.build(join(folder, 'index'), passages, {analyzer});
		built.close();
	},
	async open(folder) {
		index?.close();
		index = await Bm25Index.open(join(folder, 'index'));
	},
	search: async (text, k) => index.search(text, {k}),
	searchMany: async (queries, k, threads) => index.searchMany(queries, {k, threads}),
});
