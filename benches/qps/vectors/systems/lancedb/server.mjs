// LanceDB as a server of benches/qps/vectors: a table with the columns `id` and `vector`. Options: `index` is `flat`,
// or `hnsw` (IVF_HNSW_SQ) with `partitions`, `m`, `efConstruction` and `refine` (`refine` × k candidates are rescored
// with the full vectors).
import {rmSync} from 'node:fs';
import {cp} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {requirePeer, serve, versionOf} from '../protocol.mjs';

const arrow = requirePeer('apache-arrow');
const lancedb = requirePeer('@lancedb/lancedb');
/** The number of rows added per call. */
const BATCH = 50_000;
let options;
let similarity;
let table;
/** The SQL condition that selects the allowed rows. Undefined if all rows are allowed. */
let condition;

/** Returns a batch of rows as an Arrow table. The batch begins with row number `from`. */
function batchOf(vectors, from) {
	const count = Math.min(BATCH, vectors.rows - from);
	const floats = vectors.data.subarray(from * vectors.dim, (from + count) * vectors.dim);
	const values = arrow.makeData({type: new arrow.Float32(), length: floats.length, data: floats});
	const type = new arrow.FixedSizeList(vectors.dim, new arrow.Field('item', new arrow.Float32(), true));
	return new arrow.Table({
		id: arrow.makeVector(Int32Array.from({length: count}, (_, i) => from + i)),
		vector: new arrow.Vector([arrow.makeData({type, length: count, child: values})]),
	});
}

/** The temporary folder in which `build` made the table. */
let builtFolder;
await serve({
	version: versionOf('@lancedb/lancedb'),
	async build(vectors, request) {
		({options, similarity} = request);
		// `save` copies the table from this folder to the one that the harness passes.
		builtFolder = join(tmpdir(), `lancedb-${process.pid}`);
		const db = await lancedb.connect(builtFolder);
		table = await db.createTable('rows', batchOf(vectors, 0));
		for (let from = BATCH; from < vectors.rows; from += BATCH) {
			await table.add(batchOf(vectors, from));
		}
		await table.optimize();
		if (options.index === 'hnsw') {
			const {partitions, m, efConstruction} = options;
			const config = lancedb.Index.hnswSq({distanceType: similarity, numPartitions: partitions, m, efConstruction});
			await table.createIndex('vector', {config, waitTimeoutSeconds: 3600});
		}
	},
	async save(folder) {
		await cp(builtFolder, folder, {recursive: true});
		rmSync(builtFolder, {recursive: true});
	},
	async open(request) {
		condition = undefined;
		({options, similarity} = request);
		table = await (await lancedb.connect(request.folder)).openTable('rows');
	},
	async setFilter(allowed) {
		condition = undefined;
		if (allowed) {
			// Each filter becomes a column, which is added to the table once. The name of the column contains the number of
			// allowed rows, which differs between filters. LanceDB scans the column before it searches the vectors.
			const ids = Array.from(allowed.keys()).filter(row => allowed[row]);
			const name = `allowed_${ids.length}`;
			const {fields} = await table.schema();
			if (!fields.some(field => field.name === name)) {
				await table.addColumns([{name, valueSql: `id in (${ids.join()})`}]);
			}
			condition = name;
		}
	},
	async search(query, k, effort) {
		let search = table.query().nearestTo(query).distanceType(similarity).limit(k).select(['id', '_distance']);
		if (condition) {
			search = search.where(condition);
		}
		return options.index === 'flat'
			? search.bypassVectorIndex().toArray()
			: search.nprobes(options.partitions).ef(effort).refineFactor(options.refine).toArray();
	},
	toRows: found => found.map(({id}) => id),
});
