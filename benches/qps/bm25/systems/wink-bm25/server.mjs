// wink-bm25-text-search as a server of benches/qps/bm25. Its scores are BM25's times k1 + 1. The score of each term in
// each passage is computed and rounded when the index is built: here to nine decimals, the maximum that the library
// accepts.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {requirePeer, serve, tokensOf, versionOf} from '../protocol.mjs';

const newEngine = requirePeer('wink-bm25-text-search');
const DECIMALS = 9;
let index;

await serve({
	version: versionOf('wink-bm25-text-search'),
	async build(passages, folder) {
		const built = newEngine();
		built.defineConfig({fldWeights: {text: 1}, bm25Params: {k1: 0.9, b: 0.4, k: 1}});
		built.definePrepTasks([tokensOf]);
		for await (const {id, text} of passages) {
			built.addDoc({text}, id);
		}
		built.consolidate(DECIMALS);
		writeFileSync(join(folder, 'index.json'), built.exportJSON());
	},
	async open(folder) {
		index = newEngine();
		index.importJSON(readFileSync(join(folder, 'index.json'), 'utf8'));
		index.definePrepTasks([tokensOf]);
	},
	search: async (text, k) => index.search(text, k),
	toHits: found => found.map(([id, score]) => ({id, score})),
});
