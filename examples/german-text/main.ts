/** BM25 over German text: Snowball's stemmer, and stop words of one's own. */
import {Bm25Index, type Passage} from 'passagekit';

const passages: Passage[] = [
	{id: 'brücke', text: 'Die Brücken über den Firth of Forth sind aus Stahl gebaut.'},
	{id: 'käse', text: 'Schweizer Käse hat Löcher, weil Bakterien beim Reifen Gas bilden.'},
	{id: 'uhr', text: 'Die Uhren der Eisenbahn gingen in jeder Stadt anders.'},
];

await using index = await Bm25Index.build('./german', passages, {
	analyzer: {type: 'snowball', language: 'german', stopWords: ['der', 'die', 'das', 'den', 'und', 'aus', 'in', 'of', 'welche', 'ist']},
});
console.log(index.terms('Die Brücken der Eisenbahnen'));
for (const query of ['Welche Brücke ist aus Stahl?', 'Uhren in Städten', 'löchriger Käse']) {
	const [hit] = await index.search(query, {k: 1});
	console.log(query, '→', hit?.id);
}
