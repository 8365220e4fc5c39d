// LanceDB behind the line protocol of benches/qps/vectors: a table with a number and a vector column. Options: `index` is
// `flat`, or `hnsw` (IVF_HNSW_SQ) with `partitions`, `m`, `efConstruction` and `refine`, how many times k are re-scored.
import {rmSync} from 'node:fs';
import {cp} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {packages, serve, versionOf} from '../protocol.mjs';

const arrow = packages('apache-arrow');
const lancedb = packages('@lancedb/lancedb');
/** Rows in a batch. */
const SIZE = 50_000;
let options;
let similarity;
let table;
/** The condition on rows, as SQL. */
let condition;

function batchOf(rows, from) {
	const count = Math.min(SIZE, rows.rows - from);
	const floats = rows.data.subarray(from * rows.dim, (from + count) * rows.dim);
	const values = arrow.makeData({type: new arrow.Float32(), length: floats.length, data: floats});
	const type = new arrow.FixedSizeList(rows.dim, new arrow.Field('item', new arrow.Float32(), true));
	return new arrow.Table({
		id: arrow.makeVector(Int32Array.from({length: count}, (_, at) => from + at)),
		vector: new arrow.Vector([arrow.makeData({type, length: count, child: values})]),
	});
}

let made;
await serve({
	version: versionOf('@lancedb/lancedb'),
	async build(rows, request) {
		({options, similarity} = request);
		// The folder itself is the harness's.
		made = join(tmpdir(), `lancedb-${process.pid}`);
		const db = await lancedb.connect(made);
		table = await db.createTable('rows', batchOf(rows, 0));
		for (let from = SIZE; from < rows.rows; from += SIZE) {
			await table.add(batchOf(rows, from));
		}
		await table.optimize();
		if (options.index === 'hnsw') {
			const {partitions, m, efConstruction} = options;
			const config = lancedb.Index.hnswSq({distanceType: similarity, numPartitions: partitions, m, efConstruction});
			await table.createIndex('vector', {config, waitTimeoutSeconds: 3600});
		}
	},
	async save(folder) {
		await cp(made, folder, {recursive: true});
		rmSync(made, {recursive: true});
	},
	async open(request) {
		condition = undefined;
		({options, similarity} = request);
		table = await (await lancedb.connect(request.folder)).openTable('rows');
	},
	async accept(allowed) {
		condition = undefined;
		if (allowed) {
			// A column of the table, made once: it is scanned before vectors are searched.
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
	numbered: found => found.map(({id}) => id),
});
