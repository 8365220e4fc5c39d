// wink-bm25-text-search behind the line protocol of benches/qps/bm25. Its scores are BM25's times k1 + 1, those of each
// passage and term rounded when the index is built: here to nine digits behind the point, the most there are.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {packages, serve, tokensOf, versionOf} from '../protocol.mjs';

const engineOf = packages('wink-bm25-text-search');
const DIGITS = 9;
let index;

await serve({
	version: versionOf('wink-bm25-text-search'),
	async build(passages, folder) {
		const built = engineOf();
		built.defineConfig({fldWeights: {text: 1}, bm25Params: {k1: 0.9, b: 0.4, k: 1}});
		built.definePrepTasks([tokensOf]);
		for await (const {id, text} of passages) {
			built.addDoc({text}, id);
		}
		built.consolidate(DIGITS);
		writeFileSync(join(folder, 'index.json'), built.exportJSON());
	},
	async open(folder) {
		index = engineOf();
		index.importJSON(readFileSync(join(folder, 'index.json'), 'utf8'));
		index.definePrepTasks([tokensOf]);
	},
	search: async (text, k) => index.search(text, k),
	named: found => found.map(([id, score]) => ({id, score})),
});
