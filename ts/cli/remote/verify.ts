/** Checks an index after a push: its number of passages, and the texts and the rankings of a sample of them. */
import {RetrievalError} from '../../core/errors.ts';
import type {FilterableSearcher, Passage} from '../../core/types.ts';
import type {OpenSearchCollection} from '../../remote/index.ts';

/** Number of words of a passage that make a query. */
const WORDS_PER_QUERY = 12;
/** Number of hits that are compared. */
const HITS = 10;

/** Passages that were chosen while they were read: every one with the same probability (reservoir sampling, algorithm R). */
export class Sample {
	readonly passages: Passage[] = [];
	readonly #size: number;
	#seen = 0;

	constructor(size: number) {
		this.#size = size;
	}

	/** Passes passages on, and takes some of them. */
	async *taking<T extends Passage>(passages: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
		for await (const passage of passages) {
			this.#seen += 1;
			if (this.passages.length < this.#size) {
				this.passages.push(passage);
			} else {
				const place = Math.floor(Math.random() * this.#seen);
				if (place < this.#size) {
					this.passages[place] = passage;
				}
			}
			yield passage;
		}
	}
}

/**
Fails with `ERR_REMOTE` if the index has another number of passages than were pushed, if the text of a sampled passage differs, or if a query
made of its words has other hits than in the embedded index. Without an embedded index, the query must find the passage.
*/
export async function verify(
	collection: OpenSearchCollection,
	expected: number,
	{passages}: Sample,
	embedded: FilterableSearcher | undefined,
): Promise<void> {
	const count = await collection.count();
	if (count !== expected) {
		throw failed(`expected ${expected} passages in the index, got ${count}; another program may have changed it`);
	}
	const stored = new Map((await collection.get(passages.map(({id}) => id))).map(passage => [passage.id, passage]));
	const searcher = await collection.searcher('bm25');
	for (const {id, title, text} of passages) {
		const found = stored.get(id);
		if (found?.text !== text || (found.title ?? '') !== (title ?? '')) {
			throw failed(`expected the text of "${id}" as it was read, got ${found === undefined ? 'none' : 'another one'}`);
		}
		const query = text.split(/\s+/u).slice(0, WORDS_PER_QUERY).join(' ');
		const filter = embedded === undefined ? {ids: [id]} : undefined;
		const hits = await searcher.search(query, {k: HITS, filter});
		if (embedded === undefined) {
			if (hits.length === 0 && collection.terms(query).length > 0) {
				throw failed(`expected the words of "${id}" to find it, got no hits`);
			}
			continue;
		}
		const wanted = await embedded.search(query, {k: HITS});
		const differs = wanted.findIndex((hit, i) => hit.id !== hits[i]?.id || Math.abs(hit.score - hits[i].score) > 1e-5 * hit.score);
		if (differs !== -1 || hits.length !== wanted.length) {
			const at = Math.max(differs, 0);
			throw failed(
				`expected the hits of the embedded index for "${query}", got others from rank ${at + 1} on (${JSON.stringify(hits[at])} instead of ${JSON.stringify(wanted[at])}); the collection may have another analyzer (--analyzer), or deleted passages`,
			);
		}
	}
}

function failed(message: string): RetrievalError {
	return new RetrievalError('ERR_REMOTE', `push: verification: ${message}`);
}
