/** The shop program of the parent folder (see `../README.md`), written with MiniSearch, which has no vectors and searches by words only. */
import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import MiniSearch from 'minisearch';
import {newFolder, products, show} from '../shop.ts';

const file = join(await newFolder(), 'shop.json');
const options = {fields: ['title', 'text'], storeFields: ['title', 'text', 'price', 'category']};

/** Prints the two best products of the category `light` that cost at most $25. */
function printLights(query: string): void {
	const hits = shop.search(query, {filter: ({price, category}) => category === 'light' && price <= 25}).slice(0, 2);
	show(hits.map(({title, text, price}) => ({title, text, price})));
}

const all = await products();
let shop = new MiniSearch(options);
shop.addAll(all);
await writeFile(file, JSON.stringify(shop));
printLights('brass lamp to read in bed');

const lamp = all.find(({id}) => id === 'desk-lamp-brass-green')!;
shop.replace({...lamp, price: 19});
shop.discard('desk-lamp-brass-white');
await writeFile(file, JSON.stringify(shop));

shop = MiniSearch.loadJSON(await readFile(file, 'utf8'), options);
printLights('brass lamp to read in bed');
