/**
Shows why a passage was found: prints the contribution of each term to its BM25 score, and writes an HTML page with the tokens that are
the most probable in the vocabulary projections of the question's and the passage's vectors.
*/
import {writeFile} from 'node:fs/promises';
import {Collection, VocabularyProjection, explainMatch, explanationHtml} from 'passagekit';

const question = 'Which comet is shown in the Bayeux Tapestry?';
await using collection = await Collection.build('./articles', './index');
const [hit] = await (await collection.searcher('hybrid')).search(question, {k: 1});
const [passage] = await collection.passages.get([hit!.id]);

const {terms} = await collection.bm25.explain(question, hit!.id);
for (const {term, frequency, contribution} of terms.toSorted((a, b) => b.contribution - a.contribution)) {
	console.log(`${term}: ${frequency} in the passage, contributes ${contribution.toFixed(2)}`);
}

const [encoder, projection] = [await collection.encoder(), await VocabularyProjection.load('minilm-mlm-head')];
const explanation = await explainMatch(question, passage!, {encoder, projection, bm25: collection.bm25});
await writeFile('./why.html', explanationHtml([explanation]));
console.log('written: why.html');
