// FlexSearch as a server of benches/qps/bm25. It does not compute BM25: with its option `suggest`, it ranks passages by
// how many of the query's terms they have and by the positions of these terms. It uses neither term frequencies nor
// passage lengths, and returns no scores.
import {readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {requirePeer, serve, tokensOf, versionOf} from '../protocol.mjs';

const {Index} = requirePeer('flexsearch');
const newIndex = () => new Index({tokenize: 'strict', encode: tokensOf, context: false});
let index;

await serve({
	version: versionOf('flexsearch'),
	async build(passages, folder) {
		const built = newIndex();
		for await (const {id, text} of passages) {
			built.add(Number(id), text);
		}
		await built.export(async (key, data) => writeFileSync(join(folder, `${key}.json`), data));
	},
	async open(folder) {
		index = newIndex();
		for (const file of readdirSync(folder)) {
			index.import(file.replace('.json', ''), readFileSync(join(folder, file), 'utf8'));
		}
	},
	search: async (text, k) => index.search(text, {limit: k, suggest: true}),
	toHits: ids => ids.map(id => ({id, score: 0})),
});
