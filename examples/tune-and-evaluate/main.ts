/**
Tunes a hybrid searcher on development questions, measures it on test questions, and tests whether it differs significantly from BM25.
*/
import {
	Collection,
	type Question,
	HybridSearcher,
	type Qrels,
	evaluate,
	readQrels,
	readQuestions,
	significance,
	tuneHybrid,
} from 'passagekit';

await using collection = await Collection.build('./articles', './index');
const [sparse, dense] = [await collection.searcher('bm25'), await collection.searcher('dense')];
const allQrels = await readQrels('./qrels.txt');

const dev = await questionsOf('./questions.dev.jsonl');
const runs = {dense: await dense.searchMany(dev, {k: 100}), sparse: await sparse.searchMany(dev, {k: 100})};
const {fusion} = await tuneHybrid(runs, {qrels: qrelsOf(dev), measure: 'R@5'}, {method: 'hybrid'});

const test = await questionsOf('./questions.test.jsonl');
// The weight was tuned for lists of 100 hits, so the searcher fuses lists of this length too.
const hybrid = new HybridSearcher({dense, sparse, fusion, depth: 100});
const measured = await evaluate(await hybrid.searchMany(test, {k: 100}), qrelsOf(test), ['R@5']);
const baseline = await evaluate(await sparse.searchMany(test, {k: 100}), qrelsOf(test), ['R@5']);
const {difference, p} = await significance(measured, baseline, 'R@5', {test: 'randomization'});
console.log('the hybrid is', difference > 0 ? 'better' : 'worse', p < 0.05 ? '(significant)' : '(not significant)');

async function questionsOf(path: string): Promise<Question[]> {
	const questions = [];
	for await (const question of readQuestions(path)) {
		questions.push(question);
	}
	return questions;
}

/** Returns the qrels of these questions only: a query that has qrels but is not in the run would count as 0. */
function qrelsOf(questions: readonly Question[]): Qrels {
	return new Map(questions.map(({id}) => [id, allQrels.get(id)!]));
}
