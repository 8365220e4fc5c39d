/**
What all five programs of this example share: the products with their vectors, the vector of a query, a new folder, and the printed form of
hits.
*/
import {rmSync} from 'node:fs';
import {mkdtemp} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {type Highlight, OnnxEncoder} from 'passagekit';

// A type alias instead of an interface: LanceDB requires an index signature, which TypeScript infers only for type aliases.
export type Product = {id: string; title: string; text: string; price: number; category: string; vector: number[]};

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

const encoder = await OnnxEncoder.load('minilm-encoder');
/** Number of dimensions of the vectors. */
export const DIM = encoder.dim;

/** Returns the vector of a text. */
export async function embed(text: string): Promise<number[]> {
	const {data} = await encoder.encode([text]);
	return [...data];
}

/** Returns the 200 products of the shop. */
export async function products(): Promise<Product[]> {
	const all: Product[] = [];
	for (const [kind, category, purpose] of kinds) {
		for (const material of materials) {
			for (const color of colors) {
				const [title, text] = [`${kind}, ${color}`, `${purpose} Made of ${material}.`];
				const price = 10 + ((all.length * 37) % 90);
				const id = `${kind} ${material} ${color}`.replaceAll(' ', '-');
				all.push({id, title, text, price, category, vector: await embed(`${title}. ${text}`)});
			}
		}
	}
	return all;
}

/** Creates a temporary folder that is removed when the program ends. */
export async function newFolder(): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'shop-'));
	process.on('exit', () => rmSync(folder, {recursive: true, force: true}));
	return folder;
}

interface ShownHit {
	title?: string;
	text?: string;
	price: unknown;
	highlights?: readonly Highlight[];
}

/** Prints hits. Their highlights, if there are any, are between asterisks. */
export function show(hits: readonly ShownHit[]): void {
	for (const {title, text = '', price, highlights = []} of hits) {
		let [marked, at] = ['', 0];
		for (const {start, end} of highlights) {
			marked += `${text.slice(at, start)}*${text.slice(start, end)}*`;
			at = end;
		}
		console.log(`${title}, $${price}: ${marked}${text.slice(at)}`);
	}
}
