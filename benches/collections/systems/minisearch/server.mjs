// MiniSearch as a server of benches/collections. It keeps its index in memory, so a commit saves the whole index as JSON. It has no vector
// search.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {requirePeer, serve, versionOf} from '../protocol.mjs';

const MiniSearch = requirePeer('minisearch');
const options = {fields: ['text'], storeFields: ['text', 'price', 'category']};
let [opened, file] = [];

await serve({
	version: versionOf('minisearch'),
	savesWhole: true,
	async create(folder) {
		file = join(folder, 'index.json');
		opened = new MiniSearch(options);
	},
	async open(folder) {
		file = join(folder, 'index.json');
		opened = MiniSearch.loadJSON(readFileSync(file, 'utf8'), options);
	},
	add: async documents => opened.addAll(documents.map(({id, text, fields}) => ({id, text, ...fields}))),
	commit: async () => writeFileSync(file, JSON.stringify(opened)),
	async optimize() {
		// There is nothing to do: the index is always complete.
	},
	async close() {
		opened = undefined;
	},
	// MiniSearch has no k: it makes a result for each document that has a term of the query, and sorts all results.
	async text({text, below, k}) {
		const filter = below === undefined ? {} : {filter: ({price}) => price < below};
		return opened
			.search(text, filter)
			.slice(0, k)
			.map(({id}) => id);
	},
});
