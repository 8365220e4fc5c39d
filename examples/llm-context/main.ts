/** Collects passages with their neighbors, within a budget of tokens, as the context of a question for a language model. */
import {Collection, type StoredPassage, Tokenizer, readDocuments} from 'passagekit';

const question = 'Which bridges were the first ones made of steel?';
const maxTokens = 400;

await using docs = await Collection.open('./index', {create: true, split: {words: 40}});
await docs.upsert(readDocuments('./articles'));
await docs.commit();

// Use the tokenizer of your language model here; other tokenizers count differently.
const tokenizer = await Tokenizer.load('minilm-encoder');
const lengthOf = ({text}: StoredPassage): number => tokenizer.tokenize(text).length;

const chosen = new Map<string, StoredPassage>();
let used = 0;
const {hits} = await docs.search(question, {k: 5});
for (const hit of hits) {
	const passages = (await docs.neighbors(hit, {before: 1, after: 1})).filter(({id}) => !chosen.has(id));
	const length = passages.reduce((sum, passage) => sum + lengthOf(passage), 0);
	if (used + length <= maxTokens) {
		used += length;
		for (const passage of passages) {
			chosen.set(passage.id, passage);
		}
	}
}

// Sorts the passages of each document by their position, so that a sentence that continues in the next passage can be read.
const inOrder = [...chosen.values()].sort((a, b) => a.id.localeCompare(b.id, 'en', {numeric: true}));
const sources = inOrder.map(({id, title, text}) => `[${id}] ${title}\n${text}`);
const prompt = [
	'Answer the question using only these passages, and cite the ids of those you use.',
	...sources,
	`Question: ${question}`,
].join('\n\n');
console.log(prompt);
console.log(`\n${used} of ${maxTokens} tokens`);
