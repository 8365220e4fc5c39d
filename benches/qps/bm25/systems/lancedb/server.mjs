// The full-text index of LanceDB as a server of benches/qps/bm25: a table with the columns `id` and `text`. LanceDB
// fixes k1 and b at 1.2 and 0.75.
import {requirePeer, serve, versionOf} from '../protocol.mjs';

const lancedb = requirePeer('@lancedb/lancedb');
/** The number of rows added per call. */
const BATCH = 50_000;
let table;

await serve({
	version: versionOf('@lancedb/lancedb'),
	async build(passages, folder) {
		const db = await lancedb.connect(folder);
		let newTable;
		let rows = [];
		const add = async () => {
			if (newTable) {
				await newTable.add(rows);
			} else {
				newTable = await db.createTable('passages', rows);
			}
			rows = [];
		};
		for await (const {id, text} of passages) {
			rows.push({id: Number(id), text});
			if (rows.length === BATCH) {
				await add();
			}
		}
		if (rows.length > 0) {
			await add();
		}
		await newTable.optimize();
		// The texts are tokens separated by spaces. LanceDB must only split them, and must not drop long tokens.
		const config = lancedb.Index.fts({
			baseTokenizer: 'whitespace',
			lowercase: false,
			stem: false,
			removeStopWords: false,
			asciiFolding: false,
			maxTokenLength: 1000,
			withPosition: false,
		});
		await newTable.createIndex('text', {config, waitTimeoutSeconds: 3600});
	},
	async open(folder) {
		table = await (await lancedb.connect(folder)).openTable('passages');
	},
	async search(text, k) {
		const query = new lancedb.MatchQuery(text, 'text', {operator: lancedb.Operator.Or});
		return table.query().fullTextSearch(query).select(['id', '_score']).limit(k).toArray();
	},
	toHits: rows => rows.map(({id, _score}) => ({id, score: _score})),
});
