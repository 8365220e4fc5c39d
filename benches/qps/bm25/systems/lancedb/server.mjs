// The full-text index of LanceDB behind the line protocol of benches/qps/bm25: a table with a number and a text column. Its
// k1 and b are 1.2 and 0.75.
import {packages, serve, versionOf} from '../protocol.mjs';

const lancedb = packages('@lancedb/lancedb');
/** Rows in a batch. */
const SIZE = 50_000;
let table;

await serve({
	version: versionOf('@lancedb/lancedb'),
	async build(passages, folder) {
		const db = await lancedb.connect(folder);
		let made;
		let rows = [];
		const add = async () => {
			if (made) {
				await made.add(rows);
			} else {
				made = await db.createTable('passages', rows);
			}
			rows = [];
		};
		for await (const {id, text} of passages) {
			rows.push({id: Number(id), text});
			if (rows.length === SIZE) {
				await add();
			}
		}
		if (rows.length > 0) {
			await add();
		}
		await made.optimize();
		const config = lancedb.Index.fts({
			baseTokenizer: 'whitespace',
			lowercase: false,
			stem: false,
			removeStopWords: false,
			asciiFolding: false,
			maxTokenLength: 1000,
			withPosition: false,
		});
		await made.createIndex('text', {config, waitTimeoutSeconds: 3600});
	},
	async open(folder) {
		table = await (await lancedb.connect(folder)).openTable('passages');
	},
	async search(text, k) {
		const query = new lancedb.MatchQuery(text, 'text', {operator: lancedb.Operator.Or});
		return table.query().fullTextSearch(query).select(['id', '_score']).limit(k).toArray();
	},
	named: rows => rows.map(({id, _score}) => ({id, score: _score})),
});
