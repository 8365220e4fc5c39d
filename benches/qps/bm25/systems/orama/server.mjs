// The server of Orama for the benchmark in benches/qps/bm25. Its formula is not Lucene's: it first divides the frequency of a term by the
// passage's length. As with Orama's own tokenizer, a term that occurs several times in a passage is counted once. BM25+'s δ is 0. By
// default, Orama searches by prefixes. Its option `exact` turns this off, but also drops passages that do not have all terms of the query.
// So `exact` is passed only to the index here.
import {readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {requirePeer, serve, tokensOf, versionOf} from '../protocol.mjs';

const {components, create, insert, load, save, search} = requirePeer('@orama/orama');
const relevance = {k: 0.9, b: 0.4, d: 0};
/** Orama passes a property if it tokenizes a passage, and none if it tokenizes a query. */
const tokenize = (text, language, property) => (property ? [...new Set(tokensOf(text))] : tokensOf(text));
const {index: defaultIndex} = components;
const searchWholeTerms = (index, term, tokenizer, language, properties, exact, ...rest) =>
	defaultIndex.search(index, term, tokenizer, language, properties, true, ...rest);
const newDatabase = () =>
	create({
		schema: {text: 'string'},
		sort: {enabled: false},
		components: {
			tokenizer: {language: 'english', normalizationCache: new Map(), tokenize},
			index: {...defaultIndex, search: searchWholeTerms},
		},
	});
let opened;

await serve({
	version: versionOf('@orama/orama'),
	async build(passages, folder) {
		const built = newDatabase();
		for await (const {id, text} of passages) {
			await insert(built, {id, text});
		}
		// Several files, because a string in V8 cannot be longer than about half a billion characters.
		for (const [name, part] of Object.entries(save(built))) {
			writeFileSync(join(folder, `${name}.json`), JSON.stringify(part) ?? 'null');
		}
	},
	async open(folder) {
		const parts = readdirSync(folder).map(file => [file.replace('.json', ''), JSON.parse(readFileSync(join(folder, file), 'utf8'))]);
		opened = newDatabase();
		load(opened, Object.fromEntries(parts));
	},
	search: async (term, k) => search(opened, {term, limit: k, relevance}),
	toHits: ({hits}) => hits,
});
