/** Checks an index after a push: its number of passages, and the texts and the rankings of a sample of them. */
import {RetrievalError} from '../../core/errors.ts';
import {uniform} from '../../core/random.ts';
import type {Hit} from '../../core/types.ts';
import type {OpenSearchCollection, PassageWithVector} from '../../remote/index.ts';
import type {PushSource} from './source.ts';

/** Number of words of a passage that make a query. */
const WORDS_PER_QUERY = 12;
/** Number of hits that are compared. */
const HITS = 10;

/** How much scores of vectors may differ by rounding, as a share of the largest score. */
const TOLERANCE = 1e-4;

/** Passages that were chosen while they were read: every one with the same probability (reservoir sampling, algorithm R). */
export class Sample {
	readonly passages: PassageWithVector[] = [];
	readonly #size: number;
	readonly #random: () => number;
	#seen = 0;

	/** The same seed chooses the same places. */
	constructor(size: number, seed: number) {
		this.#size = size;
		this.#random = uniform(seed);
	}

	/** Passes passages on, and takes some of them. */
	async *taking<T extends PassageWithVector>(passages: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
		for await (const passage of passages) {
			this.#seen += 1;
			if (this.passages.length < this.#size) {
				this.passages.push(passage);
			} else {
				const place = Math.floor(this.#random() * this.#seen);
				if (place < this.#size) {
					this.passages[place] = passage;
				}
			}
			yield passage;
		}
	}
}

/** What was verified. */
export interface Verification {
	/** Number of passages whose texts were compared. */
	readonly texts: number;
	/** Number of queries whose hits were compared with those of the embedded index. */
	readonly rankings: number;
	/** Number of vectors whose nearest passages were compared with those of the embedded index. */
	readonly denseRankings: number;
	/** Number of deleted passages, which count in the statistics of BM25 until they are merged away, so that rankings cannot be compared. */
	readonly deletedPassages: number;
}

/**
Fails with `ERR_REMOTE` if the index has another number of passages than were pushed, if the text of a sampled passage differs, if its words
do not find it, or if the words, or the vector, have other hits than in the embedded index.
*/
export async function verify(
	collection: OpenSearchCollection,
	expected: number,
	{passages}: Sample,
	{searcher: embedded, nearest}: Pick<PushSource, 'searcher' | 'nearest'>,
): Promise<Verification> {
	const count = await collection.count();
	if (count !== expected) {
		throw failed(`expected ${expected} passages in the index, got ${count}; another program may have changed it`);
	}
	const {deletedPassages} = await collection.stats();
	const stored = new Map((await collection.get(passages.map(({id}) => id))).map(passage => [passage.id, passage]));
	const searcher = await collection.searcher('bm25');
	let denseRankings = 0;
	for (const {id, title, text, vector} of passages) {
		const found = stored.get(id);
		if (found?.text !== text || (found.title ?? '') !== (title ?? '')) {
			throw failed(`expected the text of "${id}" as it was read, got ${found === undefined ? 'none' : 'another one'}`);
		}
		const query = text.split(/\s+/u).slice(0, WORDS_PER_QUERY).join(' ');
		const itself = await searcher.search(query, {k: 1, filter: {ids: [id]}});
		if (itself.length === 0 && collection.terms(query).length > 0) {
			throw failed(`expected the words of "${id}" to find it, got no hits`);
		}
		if (embedded !== undefined && deletedPassages === 0) {
			checkHits(query, await searcher.search(query, {k: HITS}), await embedded.search(query, {k: HITS}));
		}
		if (nearest !== undefined && vector !== undefined) {
			const query = Float32Array.from(vector as ArrayLike<number>);
			const {hits} = await collection.search('x', {retriever: 'dense', vector: query, exact: true, k: HITS});
			checkNearest(id, hits, await nearest(query, HITS));
			denseRankings += 1;
		}
	}
	const rankings = embedded !== undefined && deletedPassages === 0 ? passages.length : 0;
	return {texts: passages.length, rankings, denseRankings, deletedPassages};
}

/** Fails unless two lists have the same passages in the same order, with scores that differ by rounding only. */
function checkHits(query: string, hits: readonly Hit[], wanted: readonly Hit[]): void {
	const length = Math.max(hits.length, wanted.length);
	for (let rank = 0; rank < length; rank++) {
		const [hit, expected] = [hits[rank], wanted[rank]];
		if (hit === undefined || hit.id !== expected?.id || Math.abs(hit.score - expected.score) > 1e-5 * expected.score) {
			throw failed(
				`expected the hits of the embedded index for "${query}", got others from rank ${rank + 1} on (${JSON.stringify(hit)} instead of ${JSON.stringify(expected)}); the collection may have another analyzer (--analyzer), or deleted passages`,
			);
		}
	}
}

/** Fails unless two lists have the same scores, and the same passages except those whose scores differ by rounding only. */
function checkNearest(id: string, hits: readonly Hit[], wanted: readonly Hit[]): void {
	const scores = new Map(wanted.map(hit => [hit.id, hit.score]));
	const tolerance = TOLERANCE * Math.max(1, ...wanted.map(({score}) => Math.abs(score)));
	const length = Math.max(hits.length, wanted.length);
	for (let rank = 0; rank < length; rank++) {
		const [hit, expected] = [hits[rank], wanted[rank]];
		const isSame =
			hit !== undefined &&
			expected !== undefined &&
			Math.abs(hit.score - expected.score) <= tolerance &&
			// A passage that is not in the other list may have the same score as its last one.
			Math.abs(hit.score - (scores.get(hit.id) ?? wanted.at(-1)!.score)) <= tolerance;
		if (!isSame) {
			throw failed(
				`expected the hits of the embedded index for the vector of "${id}", got others from rank ${rank + 1} on (${JSON.stringify(hit)} instead of ${JSON.stringify(expected)}); the index may have other vectors`,
			);
		}
	}
}

function failed(message: string): RetrievalError {
	return new RetrievalError('ERR_REMOTE', `push: verification: ${message}`);
}
