// Orama behind the line protocol of benches/qps/bm25. Its formula is its own: the frequency of a term is divided by the
// passage's length before, and, as with its own tokenizer, a term counts once in a passage. Without δ. Unless told
// `exact`, it searches by prefixes, and `exact` drops passages without any one of the query's terms: here its index alone
// is told.
import {readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {packages, serve, tokensOf, versionOf} from '../protocol.mjs';

const {components, create, insert, load, save, search} = packages('@orama/orama');
const relevance = {k: 0.9, b: 0.4, d: 0};
/** A property is named where a passage is tokenized, and none where a query is. */
const tokenize = (text, language, property) => (property ? [...new Set(tokensOf(text))] : tokensOf(text));
const {index} = components;
const whole = (of, term, tokenizer, language, properties, exact, ...rest) =>
	index.search(of, term, tokenizer, language, properties, true, ...rest);
const make = () =>
	create({
		schema: {text: 'string'},
		sort: {enabled: false},
		components: {tokenizer: {language: 'english', normalizationCache: new Map(), tokenize}, index: {...index, search: whole}},
	});
let opened;

await serve({
	version: versionOf('@orama/orama'),
	async build(passages, folder) {
		const built = make();
		for await (const {id, text} of passages) {
			await insert(built, {id, text});
		}
		// In parts: V8 has no string of more than half a gigabyte.
		for (const [name, part] of Object.entries(save(built))) {
			writeFileSync(join(folder, `${name}.json`), JSON.stringify(part) ?? 'null');
		}
	},
	async open(folder) {
		const parts = readdirSync(folder).map(file => [file.replace('.json', ''), JSON.parse(readFileSync(join(folder, file), 'utf8'))]);
		opened = make();
		load(opened, Object.fromEntries(parts));
	},
	search: async (term, k) => search(opened, {term, limit: k, relevance}),
	named: ({hits}) => hits,
});
