// Generates the documents and queries of benches/collections in the folder `.cache/`: texts of words whose frequencies follow
// Zipf's law, unit vectors in clusters, and two fields. The files depend only on the numbers of documents and queries, not on
// the machine. The table shows the files of such a data set.
//
// | file | content |
// |---|---|
// | `documents.jsonl` | a line per document: `{text, fields: {price, category}}` |
// | `offsets.f64` | the byte offset in `documents.jsonl` of the start of each line, and of the end of the last line |
// | `vectors.f32` | a row of `DIM` 32-bit floats per document |
// | `queries.json` | `[{text, vector}]` |
import {closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {Random} from './random.ts';

/** The folder with data sets, collections, and records of smoke runs and partial runs. It can be deleted at any time. */
export const cache = join(packageRoot, 'benches', 'collections', '.cache');

/** Number of dimensions of the vectors. */
export const DIM = 384;
/** Number of different prices: the integers from 0 to 999, so that `price < limit` matches about `limit / 1000` of the documents. */
export const PRICES = 1000;
const CATEGORIES = 20;
const VOCABULARY = 30_000;
/** Minimum and maximum. */
const WORDS_PER_DOCUMENT: readonly [number, number] = [40, 80];
const WORDS_PER_QUERY = 5;
/**
The documents and queries of a cluster share a topic: `WORDS_PER_TOPIC` random words of the vocabulary, most of which are rare in other
clusters. With this probability, a word of a text is drawn from the topic; otherwise, it is drawn from the whole vocabulary.
*/
const TOPICAL_SHARE = 0.25;
const WORDS_PER_TOPIC = 200;
const CLUSTERS = 256;
/**
Vectors are points of a space with this number of dimensions (the latent space), projected to `DIM` dimensions, plus noise, and then
normalized.
*/
const LATENT_DIM = 32;
/** Standard deviation of points around the center of their cluster, per latent dimension. The centers' standard deviation is 1. */
const CLUSTER_DEVIATION = 0.7;
/** Standard deviation of the noise that is added to each of the `DIM` dimensions. */
const NOISE_DEVIATION = 0.15;

/** A query. Text search uses its text, vector search its vector, and hybrid search both. */
export interface BenchQuery {
	readonly text: string;
	readonly vector: readonly number[];
}

/** Generates a data set of `documents` documents and `queries` queries, unless its folder already exists. Returns the folder. */
export function prepareData(documents: number, queries: number, say: (line: string) => void): string {
	const folder = join(cache, `data-${documents}-${queries}`);
	if (existsSync(folder)) {
		return folder;
	}
	say(`preparing ${documents} documents …`);
	const partial = `${folder}.new`;
	rmSync(partial, {recursive: true, force: true});
	mkdirSync(partial, {recursive: true});
	const generator = new Generator();
	const [lines, vectors] = [openSync(join(partial, 'documents.jsonl'), 'w'), openSync(join(partial, 'vectors.f32'), 'w')];
	const offsets = new Float64Array(documents + 1);
	const random = new Random(1);
	for (let i = 0; i < documents; i++) {
		const cluster = random.below(CLUSTERS);
		const line = Buffer.from(`${JSON.stringify({text: generator.documentText(random, cluster), fields: fieldsOf(random)})}\n`);
		writeSync(lines, line);
		offsets[i + 1] = offsets[i]! + line.length;
		writeSync(vectors, new Uint8Array(generator.vector(random, cluster).buffer));
	}
	closeSync(lines);
	closeSync(vectors);
	writeFileSync(join(partial, 'offsets.f64'), new Uint8Array(offsets.buffer));
	const queryRandom = new Random(2);
	const benchQueries: BenchQuery[] = Array.from({length: queries}, () => {
		const cluster = queryRandom.below(CLUSTERS);
		return {text: generator.queryText(queryRandom, cluster), vector: [...generator.vector(queryRandom, cluster)]};
	});
	writeFileSync(join(partial, 'queries.json'), JSON.stringify(benchQueries));
	renameSync(partial, folder);
	return folder;
}

/**
Returns, for each query, the ords (positions in the data set) of the k documents with the nearest vectors, best first. Scans the vectors
of all matching documents: those among the first `documents` documents of the data set whose price is below `priceLimit`. If fewer than
k documents match, returns all of them. All vectors are unit vectors, so the nearest vectors have the highest inner products.
*/
export function nearest(folder: string, documents: number, priceLimit: number, k: number, queries: readonly BenchQuery[]): number[][] {
	const bytes = readFileSync(join(folder, 'vectors.f32'));
	const vectors = new Float32Array(bytes.buffer, bytes.byteOffset, documents * DIM);
	const prices = readFileSync(join(folder, 'documents.jsonl'), 'utf8')
		.split('\n', documents)
		.map(line => (JSON.parse(line) as {fields: {price: number}}).fields.price);
	const matching = prices.flatMap((price, ord) => (price < priceLimit ? [ord] : []));
	return queries.map(({vector}) => {
		const query = Float32Array.from(vector);
		const scored = matching.map(ord => {
			let sum = 0;
			for (let i = 0, at = ord * DIM; i < DIM; i++, at++) {
				sum += vectors[at]! * query[i]!;
			}
			return [ord, sum] as const;
		});
		return scored
			.sort((a, b) => b[1] - a[1])
			.slice(0, k)
			.map(([ord]) => ord);
	});
}

const fieldsOf = (random: Random): object => ({price: random.below(PRICES), category: `category${random.below(CATEGORIES)}`});

/** Generates texts and vectors from the words, the topics, the cluster centers and the projection, which are fixed for all data sets. */
class Generator {
	/** The vocabulary, from the most frequent word (rank 0) to the rarest one. Frequent words are short. */
	readonly #words: readonly string[];
	/** For each rank, the sum of the relative frequencies of the words up to that rank. It is not normalized. */
	readonly #cumulative: Float64Array;
	/** The ranks of the words of each cluster's topic. */
	readonly #topics: readonly number[][];
	/** A row of `LATENT_DIM` coordinates per cluster. */
	readonly #centers: Float64Array;
	/** A matrix with `DIM` rows and `LATENT_DIM` columns. */
	readonly #projection: Float64Array;

	constructor() {
		const random = new Random(3);
		const words = new Set<string>();
		while (words.size < VOCABULARY) {
			words.add(wordOf(random));
		}
		this.#words = [...words].sort((a, b) => a.length - b.length);
		this.#cumulative = new Float64Array(VOCABULARY);
		for (let rank = 0, sum = 0; rank < VOCABULARY; rank++) {
			sum += 1 / (rank + 1);
			this.#cumulative[rank] = sum;
		}
		this.#topics = Array.from({length: CLUSTERS}, () => Array.from({length: WORDS_PER_TOPIC}, () => random.below(VOCABULARY)));
		this.#centers = Float64Array.from({length: CLUSTERS * LATENT_DIM}, () => random.gaussian());
		this.#projection = Float64Array.from({length: DIM * LATENT_DIM}, () => random.gaussian() / Math.sqrt(LATENT_DIM));
	}

	/** Returns a text of sentences of 5 to 14 words. The last sentence may be shorter. */
	documentText(random: Random, cluster: number): string {
		const [min, max] = WORDS_PER_DOCUMENT;
		const sentences: string[] = [];
		for (let left = min + random.below(max - min + 1); left > 0; ) {
			const length = Math.min(left, 5 + random.below(10));
			const sentence = Array.from({length}, () => this.#word(random, cluster)).join(' ');
			sentences.push(`${sentence[0]!.toUpperCase()}${sentence.slice(1)}.`);
			left -= length;
		}
		return sentences.join(' ');
	}

	/** Returns `WORDS_PER_QUERY` distinct words. */
	queryText(random: Random, cluster: number): string {
		const words = new Set<string>();
		while (words.size < WORDS_PER_QUERY) {
			words.add(this.#word(random, cluster));
		}
		return [...words].join(' ');
	}

	/** Returns a random unit vector of a cluster. */
	vector(random: Random, cluster: number): Float32Array {
		const latent = Float64Array.from(
			{length: LATENT_DIM},
			(_, i) => this.#centers[cluster * LATENT_DIM + i]! + CLUSTER_DEVIATION * random.gaussian(),
		);
		const vector = new Float32Array(DIM);
		let squares = 0;
		for (let i = 0; i < DIM; i++) {
			let sum = NOISE_DEVIATION * random.gaussian();
			for (let j = 0; j < LATENT_DIM; j++) {
				sum += this.#projection[i * LATENT_DIM + j]! * latent[j]!;
			}
			vector[i] = sum;
			squares += sum * sum;
		}
		const length = Math.sqrt(squares);
		return vector.map(value => value / length);
	}

	/** Draws a word from the topic of a cluster or from the whole vocabulary. */
	#word(random: Random, cluster: number): string {
		if (random.next() < TOPICAL_SHARE) {
			return this.#words[this.#topics[cluster]![random.below(WORDS_PER_TOPIC)]!]!;
		}
		const target = random.next() * this.#cumulative[VOCABULARY - 1]!;
		let [low, high] = [0, VOCABULARY - 1];
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.#cumulative[middle]! < target) {
				low = middle + 1;
			} else {
				high = middle;
			}
		}
		return this.#words[low]!;
	}
}

/** Returns a pronounceable word of one to four syllables. */
function wordOf(random: Random): string {
	const pick = (letters: string): string => letters[random.below(letters.length)]!;
	return Array.from({length: 1 + random.below(4)}, () => `${pick('bcdfghjklmnprstvwz')}${pick('aeiou')}${pick('nrlstmkd')}`).join('');
}
