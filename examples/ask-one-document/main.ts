/** Asks the same question about each of three documents, and then a question about all documents. */
import {Collection, readDocuments} from 'passagekit';

await using docs = await Collection.open('./index', {create: true});
await docs.upsert(readDocuments('./articles'));
await docs.commit();

for (const document of ['braille.md', 'anders-celsius.md', 'daniel-fahrenheit.md']) {
	const {answers, passages} = await docs.ask('When was he born?', {filter: {documents: [document]}, answers: 1});
	console.log(`${document} (${passages.length} passages) →`, answers[0]?.text, '·', answers[0]?.passageId);
}
const {answers} = await docs.ask('When was Anders Celsius born?', {answers: 1});
console.log('all →', answers[0]?.text, '·', answers[0]?.passageId);
