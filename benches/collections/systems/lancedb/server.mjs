// LanceDB as a server of benches/collections: a table with an IVF_HNSW_SQ index of the vectors, a full-text index of the text, and
// scalar indexes of the fields. Each `add` writes a new version of the table to disk. Searches scan the new rows until `optimize` adds
// them to the indexes.
import {DIM, requirePeer, serve, versionOf} from '../protocol.mjs';

const lancedb = requirePeer('@lancedb/lancedb');
const {Field, FixedSizeList, Float32, Int32, Schema, Utf8} = requirePeer('apache-arrow');
const TIMEOUT = {waitTimeoutSeconds: 3600};
const schema = new Schema([
	new Field('id', new Utf8()),
	new Field('text', new Utf8()),
	new Field('price', new Int32()),
	new Field('category', new Utf8()),
	new Field('vector', new FixedSizeList(DIM, new Field('item', new Float32()))),
]);
const reranker = await lancedb.rerankers.RRFReranker.create();
let table;

const rowsOf = documents => documents.map(({id, text, fields, vector}) => ({id, text, ...fields, vector}));
const filtered = (query, below) => (below === undefined ? query : query.where(`price < ${below}`));
const idsOf = rows => rows.map(({id}) => id);
const near = (query, vector, {ef, refine}) => query.nearestTo(vector).distanceType('cosine').ef(ef).refineFactor(refine);

await serve({
	version: versionOf('@lancedb/lancedb'),
	efforts: [
		{ef: 16, refine: 1},
		{ef: 32, refine: 1},
		{ef: 64, refine: 2},
		{ef: 128, refine: 3},
		{ef: 256, refine: 5},
		{ef: 1024, refine: 10},
	],
	async create(folder) {
		table = await (await lancedb.connect(folder)).createEmptyTable('documents', schema);
	},
	async open(folder) {
		table = await (await lancedb.connect(folder)).openTable('documents');
	},
	add: async documents => table.add(lancedb.makeArrowTable(rowsOf(documents), {schema})),
	async commit() {
		// There is nothing to do: each `add` has written a version of the table.
	},
	async optimize() {
		if ((await table.listIndices()).length === 0) {
			await table.createIndex('vector', {config: lancedb.Index.hnswSq({distanceType: 'cosine'}), ...TIMEOUT});
			await table.createIndex('text', {config: lancedb.Index.fts(), ...TIMEOUT});
			await table.createIndex('price', {config: lancedb.Index.btree(), ...TIMEOUT});
			await table.createIndex('category', {config: lancedb.Index.bitmap(), ...TIMEOUT});
		}
		await table.optimize();
	},
	close: async () => table.close(),
	text: async ({text, below, k}) =>
		idsOf(
			await filtered(table.query().fullTextSearch(text, {columns: ['text']}), below)
				.select(['id', '_score'])
				.limit(k)
				.toArray(),
		),
	vector: async ({vector, below, k, effort}) =>
		idsOf(await near(filtered(table.query(), below), vector, effort).select(['id', '_distance']).limit(k).toArray()),
	// `limit` is also the number of hits of each list that LanceDB fuses; it has no separate option for this.
	async hybrid({text, vector, below, k, effort}) {
		const query = filtered(table.query().fullTextSearch(text, {columns: ['text']}), below);
		return idsOf(await near(query, vector, effort).rerank(reranker).select(['id']).limit(k).toArray());
	},
});
