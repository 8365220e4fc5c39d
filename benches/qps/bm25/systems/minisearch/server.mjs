// MiniSearch behind the line protocol of benches/qps/bm25. Without the δ of its BM25+, a term's score is BM25's times
// k1 + 1; of a passage it is then multiplied by the number of the query's terms that are in it, which nothing turns off.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {packages, serve, tokensOf, versionOf} from '../protocol.mjs';

const MiniSearch = packages('minisearch');
const options = {fields: ['text'], tokenize: tokensOf, processTerm: term => term};
const search = {combineWith: 'OR', prefix: false, fuzzy: false, bm25: {k: 0.9, b: 0.4, d: 0}};
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
	// It makes and sorts a result of each passage that has a term.
	search: async (text, k) => index.search(text, search).slice(0, k),
});
