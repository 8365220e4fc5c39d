/** The shop program of the parent folder (see `../README.md`), written with zvec. */
import {join} from 'node:path';
import {
	ZVecCollectionSchema,
	ZVecCreateAndOpen,
	ZVecDataType,
	type ZVecDocInput,
	ZVecIndexType,
	ZVecMetricType,
	ZVecOpen,
	type ZVecStatus,
} from '@zvec/zvec';
import {DIM, type Product, embed, newFolder, products, show} from '../shop.ts';

const folder = join(await newFolder(), 'shop');
const documentOf = ({id, vector, ...fields}: Product): ZVecDocInput => ({id, vectors: {vector}, fields});
const schema = new ZVecCollectionSchema({
	name: 'shop',
	vectors: {
		name: 'vector',
		dataType: ZVecDataType.VECTOR_FP32,
		dimension: DIM,
		indexParams: {indexType: ZVecIndexType.HNSW, metricType: ZVecMetricType.COSINE},
	},
	fields: [
		{name: 'title', dataType: ZVecDataType.STRING, indexParams: {indexType: ZVecIndexType.FTS}},
		{name: 'text', dataType: ZVecDataType.STRING, indexParams: {indexType: ZVecIndexType.FTS}},
		{name: 'price', dataType: ZVecDataType.INT32, indexParams: {indexType: ZVecIndexType.INVERT}},
		{name: 'category', dataType: ZVecDataType.STRING, indexParams: {indexType: ZVecIndexType.INVERT}},
	],
});

/** Throws an error if a change of a document failed: zvec returns errors instead of throwing them. */
function check(...statuses: ZVecStatus[]): void {
	const failed = statuses.find(({ok}) => !ok);
	if (failed !== undefined) {
		throw new Error(failed.message);
	}
}

/** Prints the two best products of the category `light` that cost at most $25. */
async function printLights(query: string): Promise<void> {
	const hits = await shop.multiQuery({
		queries: [
			{fieldName: 'vector', vector: await embed(query)},
			{fieldName: 'title', fts: {matchString: query}},
			{fieldName: 'text', fts: {matchString: query}},
		],
		filter: `category = 'light' AND price <= 25`,
		topk: 2,
		outputFields: ['title', 'text', 'price'],
	});
	show(hits.map(({fields: {title, text, price}}) => ({title, text, price})));
}

const all = await products();
let shop = ZVecCreateAndOpen(folder, schema);
check(...shop.insertSync(all.map(documentOf)));
await printLights('brass lamp to read in bed');

const lamp = all.find(({id}) => id === 'desk-lamp-brass-green')!;
check(shop.upsertSync(documentOf({...lamp, price: 19})));
check(shop.deleteSync('desk-lamp-brass-white'));
shop.closeSync();

shop = ZVecOpen(folder);
await printLights('brass lamp to read in bed');
shop.closeSync();
