// zvec as a server of benches/collections: an HNSW index of the vectors with its default parameters, a full-text index of the
// text, and inverted indexes of the fields. `insertSync` appends to zvec's write-ahead log; `optimizeSync` builds the graph.
import {join} from 'node:path';
import {DEPTH, DIM, requirePeer, serve, versionOf} from '../protocol.mjs';

const {ZVecCollectionSchema, ZVecCreateAndOpen, ZVecDataType, ZVecIndexType, ZVecInitialize, ZVecMetricType, ZVecOpen} =
	requirePeer('@zvec/zvec');
// Two query threads, because with only one, searches of zvec 0.7.0 never return once the collection has a second segment. The process
// is still pinned to one core.
ZVecInitialize({queryThreads: 2, optimizeThreads: 1});
/** zvec accepts at most 1024 documents per call. */
const BATCH = 1024;
let opened;

/** Returns the path of the collection, a folder that zvec itself creates. */
const pathIn = folder => join(folder, 'documents');
const filterOf = below => (below === undefined ? {} : {filter: `price < ${below}`});
const vectorQuery = (vector, ef) => ({fieldName: 'vector', vector, params: {indexType: ZVecIndexType.HNSW, ef}});
const textQuery = text => ({fieldName: 'text', fts: {matchString: text}});
const idsOf = hits => hits.map(({id}) => id);

await serve({
	version: versionOf('@zvec/zvec'),
	efforts: [10, 16, 32, 64, 128, 300, 512, 1024],
	async create(folder) {
		const schema = new ZVecCollectionSchema({
			name: 'documents',
			vectors: {
				name: 'vector',
				dataType: ZVecDataType.VECTOR_FP32,
				dimension: DIM,
				indexParams: {indexType: ZVecIndexType.HNSW, metricType: ZVecMetricType.COSINE},
			},
			fields: [
				{name: 'text', dataType: ZVecDataType.STRING, indexParams: {indexType: ZVecIndexType.FTS}},
				{name: 'price', dataType: ZVecDataType.INT32, indexParams: {indexType: ZVecIndexType.INVERT}},
				{name: 'category', dataType: ZVecDataType.STRING, indexParams: {indexType: ZVecIndexType.INVERT}},
			],
		});
		opened = ZVecCreateAndOpen(pathIn(folder), schema);
	},
	async open(folder) {
		opened = ZVecOpen(pathIn(folder));
	},
	async add(documents) {
		for (let from = 0; from < documents.length; from += BATCH) {
			const statuses = opened.insertSync(
				documents.slice(from, from + BATCH).map(({id, text, fields, vector}) => ({id, vectors: {vector}, fields: {text, ...fields}})),
			);
			const failed = statuses.find(({ok}) => !ok);
			if (failed) {
				throw new Error(failed.message);
			}
		}
	},
	async commit() {
		// There is nothing to do: `insertSync` has written the documents to the write-ahead log.
	},
	optimize: async () => opened.optimizeSync({concurrency: 1}),
	close: async () => opened.closeSync(),
	text: async ({text, below, k}) => idsOf(opened.querySync({...textQuery(text), topk: k, outputFields: [], ...filterOf(below)})),
	vector: async ({vector, below, k, effort}) =>
		idsOf(opened.querySync({...vectorQuery(vector, effort), topk: k, outputFields: [], ...filterOf(below)})),
	hybrid: async ({text, vector, below, k, effort}) =>
		idsOf(
			opened.multiQuerySync({
				queries: [
					{...vectorQuery(vector, effort), numCandidates: DEPTH},
					{...textQuery(text), numCandidates: DEPTH},
				],
				topk: k,
				outputFields: [],
				rerank: {type: 'rrf'},
				...filterOf(below),
			}),
		),
});
