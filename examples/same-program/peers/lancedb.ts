/** The shop program of the parent folder (see `../README.md`), written with LanceDB. */
import {Index, connect, rerankers} from '@lancedb/lancedb';
import {embed, newFolder, products, show} from '../shop.ts';

const folder = await newFolder();
const reranker = await rerankers.RRFReranker.create();

/** Prints the two best products of the category `light` that cost at most $25. */
async function printLights(query: string): Promise<void> {
	const rows = await shop
		.query()
		.fullTextSearch(query, {columns: ['title', 'text']})
		.nearestTo(await embed(query))
		.distanceType('cosine')
		.where(`category = 'light' AND price <= 25`)
		.rerank(reranker)
		.limit(2)
		.toArray();
	show(rows);
}

const all = await products();
let database = await connect(folder);
let shop = await database.createTable('shop', all);
await shop.createIndex('title', {config: Index.fts()});
await shop.createIndex('text', {config: Index.fts()});
await shop.createIndex('price');
await shop.createIndex('category', {config: Index.bitmap()});
await printLights('brass lamp to read in bed');

const lamp = all.find(({id}) => id === 'desk-lamp-brass-green')!;
await shop
	.mergeInsert('id')
	.whenMatchedUpdateAll()
	.whenNotMatchedInsertAll()
	.execute([{...lamp, price: 19}]);
await shop.delete(`id = 'desk-lamp-brass-white'`);
shop.close();
database.close();

database = await connect(folder);
shop = await database.openTable('shop');
await printLights('brass lamp to read in bed');
shop.close();
database.close();
