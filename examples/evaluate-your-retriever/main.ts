/**
Compares a custom searcher with BM25 on the test questions of the encyclopedia that passagekit includes, and tests whether the difference
is significant.
*/
import {Collection, type Hit, type Searcher, encyclopedia, evaluate, readPassages, readQrels, significance} from 'passagekit';

/** Ranks passages by the sequences of three letters that they share with a query. Rare sequences have more weight. */
class TrigramSearcher implements Searcher {
	/** The trigrams of each passage, by passage id. */
	readonly #passages = new Map<string, Set<string>>();
	/** The number of passages that contain each trigram. */
	readonly #frequencies = new Map<string, number>();

	add(id: string, text: string): void {
		const trigrams = trigramsOf(text);
		this.#passages.set(id, trigrams);
		for (const trigram of trigrams) {
			this.#frequencies.set(trigram, (this.#frequencies.get(trigram) ?? 0) + 1);
		}
	}

	async search(query: string, {k = 100} = {}): Promise<Hit[]> {
		const weights = [...trigramsOf(query)].map(
			trigram => [trigram, Math.log(this.#passages.size / (this.#frequencies.get(trigram) ?? Infinity))] as const,
		);
		const hits = Array.from(this.#passages, ([id, trigrams]) => ({
			id,
			score: weights.reduce((sum, [trigram, weight]) => sum + (trigrams.has(trigram) ? weight : 0), 0),
		}));
		return hits.sort((a, b) => b.score - a.score).slice(0, k);
	}

	async searchMany(queries: ReadonlyArray<{id: string; text: string}>, options = {}): Promise<Map<string, Hit[]>> {
		return new Map(await Promise.all(queries.map(async ({id, text}) => [id, await this.search(text, options)] as const)));
	}
}

function trigramsOf(text: string): Set<string> {
	const letters = ` ${text.toLowerCase().replaceAll(/[^a-z]+/gu, ' ')} `;
	return new Set(Array.from({length: letters.length - 2}, (_, i) => letters.slice(i, i + 3)));
}

const {articles, questions, qrels: qrelsPath} = encyclopedia();
await using collection = await Collection.build(articles, './index', {encoder: false, overwrite: true});
const mine = new TrigramSearcher();
for await (const {id, title, text} of readPassages(articles)) {
	mine.add(id, `${title} ${text}`);
}

const queries = await questions('test');
const allQrels = await readQrels(qrelsPath);
const qrels = new Map(queries.map(({id}) => [id, allQrels.get(id)!]));
const bm25 = await collection.searcher('bm25');
const measured = await evaluate(await mine.searchMany(queries, {k: 10}), qrels, ['RR@10']);
const baseline = await evaluate(await bm25.searchMany(queries, {k: 10}), qrels, ['RR@10']);
console.log('RR@10: trigrams', measured.mean['RR@10'].toFixed(3), '· BM25', baseline.mean['RR@10'].toFixed(3));
const {difference, p} = await significance(measured, baseline, 'RR@10', {test: 'randomization'});
console.log(`difference ${difference.toFixed(3)},`, p < 0.05 ? 'significant' : 'not significant', `(p = ${p.toFixed(3)})`);
