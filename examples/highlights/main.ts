/** Marks the words of hits that match the query, in HTML and in a terminal. */
import {Collection, type Highlight} from 'passagekit';

await using docs = await Collection.open('./notes', {create: true, encoder: false});
await docs.upsert([
	{id: 'bridges', text: 'Steel bridges & iron bridges: the first bridge of steel crosses the Mississippi.'},
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

const {hits} = await docs.search('a bridge made of steel, and the local time', {include: ['text', 'highlights']});
for (const {text, highlights} of hits) {
	console.log(marked(text, highlights, part => `<mark>${escaped(part)}</mark>`, escaped));
	const inTerminal = marked(text, highlights, part => `\u001B[1m${part}\u001B[22m`);
	console.log(process.stdout.isTTY ? inTerminal : JSON.stringify(inTerminal));
}
