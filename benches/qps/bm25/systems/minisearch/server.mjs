// MiniSearch as a server of benches/qps/bm25. It computes BM25+; with δ = 0, as here, the score of a term is Lucene's
// BM25 times k1 + 1. MiniSearch then multiplies a passage's score by the number of query terms in the passage; no
// option turns this off.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {requirePeer, serve, tokensOf, versionOf} from '../protocol.mjs';

const MiniSearch = requirePeer('minisearch');
const options = {fields: ['text'], tokenize: tokensOf, processTerm: term => term};
const searchOptions = {combineWith: 'OR', prefix: false, fuzzy: false, bm25: {k: 0.9, b: 0.4, d: 0}};
let index;

await serve({
	version: versionOf('minisearch'),
	async build(passages, folder) {
		const built = new MiniSearch(options);
		for await (const passage of passages) {
			built.add(passage);
		}
		writeFileSync(join(folder, 'index.json'), JSON.stringify(built));
	},
	async open(folder) {
		index = MiniSearch.loadJSON(readFileSync(join(folder, 'index.json'), 'utf8'), options);
	},
	// MiniSearch has no k: it makes and sorts a result for each passage that has a term of the query.
	search: async (text, k) => index.search(text, searchOptions).slice(0, k),
});
