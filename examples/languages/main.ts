/** Searches German and Japanese text by words. The models of passagekit understand only English, so these collections have no vectors. */
import {Collection} from 'passagekit';

await using german = await Collection.open('./german', {
	create: true,
	encoder: false,
	analyzer: {type: 'snowball', language: 'german', stopWords: ['der', 'die', 'das', 'den', 'und', 'aus', 'in', 'of', 'welche', 'ist']},
});
await german.upsert([
	{id: 'brücke', text: 'Die Brücken über den Firth of Forth sind aus Stahl gebaut.'},
	{id: 'käse', text: 'Schweizer Käse hat Löcher, weil Bakterien beim Reifen Gas bilden.'},
	{id: 'uhr', text: 'Die Uhren der Eisenbahn gingen in jeder Stadt anders.'},
]);
await german.commit();
for (const query of ['Welche Brücke ist aus Stahl?', 'Uhren in Städten', 'löchriger Käse', 'Eisenbahnuhr']) {
	const {hits} = await german.search(query, {k: 1});
	console.log(query, '→', hits[0]?.document);
}

// Japanese has no spaces between words. Without spaces, the analyzers make a term of every kanji and hiragana character, and long texts
// are not split into passages.
const segmenter = new Intl.Segmenter('ja', {granularity: 'word'});
const segmented = (text: string): string =>
	Array.from(segmenter.segment(text), ({segment, isWordLike}) => (isWordLike ? segment : ' ')).join(' ');

const texts = {
	tokyo: '東京都の人口は千四百万人です。',
	kyoto: '京都には古い寺がたくさんあります。',
	tower: '東京タワーは電波塔です。',
};
for (const [analyzer, prepare] of [
	['english', String],
	['whitespace', segmented],
] as const) {
	await using japanese = await Collection.open(`./japanese-${analyzer}`, {create: true, encoder: false, analyzer});
	// In the second collection, the text of a passage has spaces between words. The field has the original text.
	await japanese.upsert(Object.entries(texts).map(([id, text]) => ({id, text: prepare(text), fields: {text}})));
	await japanese.commit();
	for (const query of ['京都', '電波塔', '古い寺']) {
		const {hits} = await japanese.search(prepare(query), {include: ['fields']});
		console.log(analyzer, query, '→', hits.map(({fields}) => fields?.['text']).join(' '));
	}
}
