/** The shop program of this folder (see `README.md`), written with passagekit. */
import {Collection} from 'passagekit';
import {DIM, type Product, embed, newFolder, products, show} from './shop.ts';

const folder = await newFolder();
const documentOf = ({price, category, ...product}: Product) => ({...product, fields: {price, category}});

/** Prints the two best products of the category `light` that cost at most $25. */
async function printLights(query: string): Promise<void> {
	const {hits} = await shop.search(query, {
		vector: await embed(query),
		filter: {category: 'light', price: {lte: 25}},
		k: 2,
		include: ['title', 'text', 'fields', 'highlights'],
	});
	show(hits.map(({fields, ...hit}) => ({...hit, price: fields?.['price']})));
}

const all = await products();
let shop = await Collection.open(folder, {create: true, encoder: false, vectors: {dim: DIM}, split: false});
await shop.add(all.map(documentOf));
await shop.commit();
await printLights('brass lamp to read in bed');

const lamp = all.find(({id}) => id === 'desk-lamp-brass-green')!;
await shop.upsert(documentOf({...lamp, price: 19}));
await shop.delete('desk-lamp-brass-white');
await shop.commit();
await shop.close();

shop = await Collection.open(folder, {encoder: false});
await printLights('brass lamp to read in bed');
await shop.close();
