/** Searches 5,000 generated products by words and by meaning, with filters by price, category and stock. */
import {Collection, type Document, type Filter} from 'passagekit';

interface Product {
	price: number;
	category: 'furniture' | 'kitchen' | 'light';
	stock: number;
}

const kinds = [
	['desk lamp', 'light', 'It lights a page without waking anybody else.'],
	['ceiling lamp', 'light', 'It hangs above a table and lights all of it.'],
	['bookcase', 'furniture', 'It has five shelves for heavy volumes.'],
	['armchair', 'furniture', 'It is soft, and wide enough for a cat as well.'],
	['frying pan', 'kitchen', 'Eggs do not stick to it.'],
	['kettle', 'kitchen', 'It boils water in two minutes and then switches itself off.'],
	['bread knife', 'kitchen', 'Its teeth cut a crust cleanly.'],
	['stool', 'furniture', 'It folds and fits behind a door.'],
] as const;
const materials = ['oak', 'steel', 'brass', 'bamboo', 'glass'];
const colors = ['white', 'black', 'green', 'red', 'blue'];

function* products(): Generator<Document<Product>> {
	for (let n = 0; n < 5000; n++) {
		const [kind, category, text] = kinds[n % 8]!;
		const [material, color] = [materials[Math.floor(n / 8) % 5]!, colors[Math.floor(n / 40) % 5]!];
		const fields = {price: 10 + ((n * 37) % 290), category, stock: (n * 7) % 9};
		yield {id: `product-${n}`, title: `${kind}, ${color}, model ${n}`, text: `${text} Made of ${material}.`, fields};
	}
}

await using shop = await Collection.open<Product>('./products', {create: true, split: false});
// The second run encodes nothing: documents whose texts have not changed keep their vectors.
await shop.upsert(products());
await shop.commit();
console.log((await shop.stats()).documents, 'products');

const filter: Filter<Product> = {category: ['light', 'kitchen'], price: {lt: 50}, stock: {gte: 1}};
for (const query of ['a green brass lamp', 'hot water for tea', 'fried eggs']) {
	const {hits} = await shop.search(query, {filter, k: 1, include: ['title', 'text']});
	console.log(query, '→', hits[0]?.title?.replace(/, model .*/u, ':'), hits[0]?.text);
}
console.log(await shop.facets('category', {filter}));
