/**
The shop program of the parent folder (see `../README.md`), written with Orama. Orama searches in memory and saves the whole database to a
file.
*/
import {join} from 'node:path';
import {Highlight, highlightStrategy} from '@orama/highlight';
import {create, insertMultiple, remove, search, update} from '@orama/orama';
import {persistToFile, restoreFromFile} from '@orama/plugin-data-persistence/server';
import {DIM, embed, newFolder, products, show} from '../shop.ts';

const file = join(await newFolder(), 'shop.msp');
const highlighter = new Highlight({strategy: highlightStrategy.WHOLE_WORD_MATCH});

/** Prints the two best products of the category `light` that cost at most $25. */
async function printLights(query: string): Promise<void> {
	const {hits} = await search(shop, {
		mode: 'hybrid',
		term: query,
		vector: {value: await embed(query), property: 'vector'},
		similarity: 0,
		where: {category: {eq: 'light'}, price: {lte: 25}},
		limit: 2,
	});
	show(
		hits.map(({document: {title, text, price}}) => {
			// The `end` of a position in Orama is the offset of its last character.
			const {positions} = highlighter.highlight(text, query);
			return {title, text, price, highlights: positions.map(({start, end}) => ({start, end: end + 1}))};
		}),
	);
}

const all = await products();
let shop = create({
	schema: {title: 'string', text: 'string', price: 'number', category: 'enum', vector: `vector[${DIM}]`},
});
await insertMultiple(shop, all);
await persistToFile(shop, 'binary', file);
await printLights('brass lamp to read in bed');

const lamp = all.find(({id}) => id === 'desk-lamp-brass-green')!;
await update(shop, lamp.id, {...lamp, price: 19});
await remove(shop, 'desk-lamp-brass-white');
await persistToFile(shop, 'binary', file);

shop = await restoreFromFile('binary', file);
await printLights('brass lamp to read in bed');
