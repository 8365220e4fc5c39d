/** Marks the words of hits that match the query, in HTML and in a terminal. For a dense search, marks the sentence closest in meaning. */
import {Collection, type Highlight} from 'passagekit';

await using docs = await Collection.open('./notes', {create: true});
await docs.upsert([
	{id: 'bridges', text: 'Steel bridges & iron bridges: the first bridge of steel crosses the Mississippi.'},
	{id: 'river', text: 'Two cities face each other across the river. Since 1874, trains run between them. Ferries no longer do.'},
	{id: 'clocks', text: 'The clocks of stations show <local> time.'},
]);
await docs.commit();

const escapes: Record<string, string> = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;'};
const escaped = (text: string): string => text.replaceAll(/[&<>"']/gu, character => escapes[character]!);

/** Returns a text in which `mark` has been applied to the highlights and `rest` to the parts between them. */
function marked(text: string, highlights: readonly Highlight[], mark: (part: string) => string, rest = (part: string) => part): string {
	let [result, at] = ['', 0];
	for (const {start, end} of highlights) {
		result += rest(text.slice(at, start)) + mark(text.slice(start, end));
		at = end;
	}
	return result + rest(text.slice(at));
}

const {hits} = await docs.search('a bridge made of steel, and the local time', {retriever: 'bm25', include: ['text', 'highlights']});
for (const {text, highlights} of hits) {
	console.log(marked(text, highlights, part => `<mark>${escaped(part)}</mark>`, escaped));
	const inTerminal = marked(text, highlights, part => `\u001B[1m${part}\u001B[22m`);
	console.log(process.stdout.isTTY ? inTerminal : JSON.stringify(inTerminal));
}

// A passage that was found by its vector may contain no word of the query: its best sentence shows why it was found.
const {hits: denseHits} = await docs.search('rail connections', {retriever: 'dense', k: 1, include: ['text', 'sentence']});
for (const {text, sentence} of denseHits) {
	console.log(marked(text, [sentence], part => `<mark>${escaped(part)}</mark>`, escaped));
}
