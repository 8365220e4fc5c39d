// FlexSearch behind the line protocol of benches/qps/bm25. It is no BM25: it orders passages by how many of a query's terms
// they have (`suggest`) and by where those stand, and knows neither frequencies nor lengths. It has no scores to give.
import {readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {packages, serve, tokensOf, versionOf} from '../protocol.mjs';

const {Index} = packages('flexsearch');
const make = () => new Index({tokenize: 'strict', encode: tokensOf, context: false});
let index;

await serve({
	version: versionOf('flexsearch'),
	async build(passages, folder) {
		const built = make();
		for await (const {id, text} of passages) {
			built.add(Number(id), text);
		}
		await built.export(async (key, data) => writeFileSync(join(folder, `${key}.json`), data));
	},
	async open(folder) {
		index = make();
		for (const file of readdirSync(folder)) {
			index.import(file.replace('.json', ''), readFileSync(join(folder, file), 'utf8'));
		}
	},
	search: async (text, k) => index.search(text, {limit: k, suggest: true}),
	named: ids => ids.map(id => ({id, score: 0})),
});
