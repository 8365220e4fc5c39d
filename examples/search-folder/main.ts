/** Searches a folder of texts. The first run builds a collection; later runs open it. */
import {existsSync} from 'node:fs';
import {Collection} from 'passagekit';

const [folder = './articles', query = 'a bridge made of steel'] = process.argv.slice(2);
const index = './index';

await using collection = existsSync(index) ? await Collection.open(index) : await Collection.build(folder, index);
const searcher = await collection.searcher('hybrid');
const hits = await searcher.search(query, {k: 3});
for (const {title, text} of await collection.passagesOf(hits)) {
	console.log(`${title}: ${text.slice(0, 60)}…`);
}
