// Orama as a server of benches/collections. It keeps its database in memory, so a commit saves the whole database with the persistence
// plugin. Its vector search scans all vectors and drops those whose cosine similarity to the query is below the parameter
// `similarity`. This parameter is the effort here: a lower threshold drops fewer of the nearest vectors.
import {join} from 'node:path';
import {DIM, requirePeer, serve, versionOf} from '../protocol.mjs';

const {create, insertMultiple, search} = requirePeer('@orama/orama');
const {persistToFile, restoreFromFile} = requirePeer('@orama/plugin-data-persistence/server');
let [opened, file] = [];

const where = below => (below === undefined ? {} : {where: {price: {lt: below}}});
const near = (vector, similarity) => ({vector: {value: [...vector], property: 'vector'}, similarity});
const idsOf = ({hits}) => hits.map(({id}) => id);

await serve({
	version: versionOf('@orama/orama'),
	savesWhole: true,
	efforts: [0.8, 0.6, 0.4, 0.2, 0, -1],
	async create(folder) {
		file = join(folder, 'orama.msp');
		opened = create({schema: {text: 'string', price: 'number', category: 'enum', vector: `vector[${DIM}]`}});
	},
	async open(folder) {
		file = join(folder, 'orama.msp');
		opened = await restoreFromFile('binary', file);
	},
	add: async documents =>
		insertMultiple(
			opened,
			documents.map(({id, text, fields, vector}) => ({id, text, ...fields, vector: [...vector]})),
		),
	commit: async () => persistToFile(opened, 'binary', file),
	async optimize() {
		// There is nothing to do: the indexes are always complete.
	},
	async close() {
		opened = undefined;
	},
	text: async ({text, below, k}) => idsOf(await search(opened, {term: text, limit: k, ...where(below)})),
	vector: async ({vector, below, k, effort}) =>
		idsOf(await search(opened, {mode: 'vector', ...near(vector, effort), limit: k, ...where(below)})),
	hybrid: async ({text, vector, below, k, effort}) =>
		idsOf(await search(opened, {mode: 'hybrid', term: text, ...near(vector, effort), limit: k, ...where(below)})),
});
