// Makes the documents and queries of benches/collections in the folder `.cache/`: texts of words whose frequencies follow
// Zipf's law, unit vectors in clusters, and two fields. The same numbers give the same files on every machine.
//
// | file | content |
// |---|---|
// | `documents.jsonl` | a line per document: `{text, fields: {price, category}}` |
// | `offsets.f64` | where each line starts, and where the last one ends, in bytes |
// | `vectors.f32` | a row per document |
// | `queries.json` | `[{text, vector}]` |
import {closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {Random} from './random.ts';

/** The folder with data, collections and records of smoke runs. It can be deleted at any time. */
export const cache = join(packageRoot, 'benches', 'collections', '.cache');

/** Length of the vectors. */
export const DIM = 384;
/** Prices are whole numbers from 0 to 999, so that `price < limit` matches `limit / 1000` of the documents. */
export const PRICES = 1000;
const CATEGORIES = 20;
const VOCABULARY = 30_000;
const WORDS_PER_DOCUMENT: readonly [number, number] = [40, 80];
const WORDS_PER_QUERY = 5;
/** Documents of a cluster share a topic: some words with ranks that are rare elsewhere. */
const TOPICAL_SHARE = 0.25;
const WORDS_PER_TOPIC = 200;
const CLUSTERS = 256;
/** Vectors are points of a space of this dimension, projected to `DIM` dimensions, plus noise. */
const LATENT_DIM = 32;
/** Standard deviations within a cluster, relative to that of the clusters' centers, and of the noise in `DIM` dimensions. */
const WITHIN = 0.7;
const NOISE = 0.15;

export interface BenchQuery {
	readonly text: string;
	readonly vector: readonly number[];
}

/** Makes the data set of `documents` documents and `queries` queries, unless it exists, and returns its folder. */
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
		const line = Buffer.from(`${JSON.stringify({text: generator.passage(random, cluster), fields: fieldsOf(random)})}\n`);
		writeSync(lines, line);
		offsets[i + 1] = offsets[i]! + line.length;
		writeSync(vectors, new Uint8Array(generator.vector(random, cluster).buffer));
	}
	closeSync(lines);
	closeSync(vectors);
	writeFileSync(join(partial, 'offsets.f64'), new Uint8Array(offsets.buffer));
	const asked = new Random(2);
	const list: BenchQuery[] = Array.from({length: queries}, () => {
		const cluster = asked.below(CLUSTERS);
		return {text: generator.question(asked, cluster), vector: [...generator.vector(asked, cluster)]};
	});
	writeFileSync(join(partial, 'queries.json'), JSON.stringify(list));
	renameSync(partial, folder);
	return folder;
}

/**
Returns the ords of the k nearest vectors of each query, by an exhaustive scan of the first `documents` documents whose price is below
`below`, best first. Fewer than k documents may match.
*/
export function nearest(folder: string, documents: number, below: number, k: number, queries: readonly BenchQuery[]): number[][] {
	const bytes = readFileSync(join(folder, 'vectors.f32'));
	const vectors = new Float32Array(bytes.buffer, bytes.byteOffset, documents * DIM);
	const prices = readFileSync(join(folder, 'documents.jsonl'), 'utf8')
		.split('\n', documents)
		.map(line => (JSON.parse(line) as {fields: {price: number}}).fields.price);
	const matching = prices.flatMap((price, ord) => (price < below ? [ord] : []));
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

/** What all documents and queries share: words and their frequencies, topics, centers of clusters and the projection. */
class Generator {
	readonly #words: readonly string[];
	/** Sums of the words' probabilities, by rank. */
	readonly #cumulative: Float64Array;
	readonly #topics: readonly number[][];
	readonly #centers: Float64Array;
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

	/** Returns a passage of sentences of 5 to 14 words. */
	passage(random: Random, cluster: number): string {
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

	/** Returns the words of a question, without repeated ones. */
	question(random: Random, cluster: number): string {
		const words = new Set<string>();
		while (words.size < WORDS_PER_QUERY) {
			words.add(this.#word(random, cluster));
		}
		return [...words].join(' ');
	}

	/** Returns a vector of length 1. */
	vector(random: Random, cluster: number): Float32Array {
		const latent = Float64Array.from({length: LATENT_DIM}, (_, i) => this.#centers[cluster * LATENT_DIM + i]! + WITHIN * random.gaussian());
		const vector = new Float32Array(DIM);
		let squares = 0;
		for (let i = 0; i < DIM; i++) {
			let sum = NOISE * random.gaussian();
			for (let j = 0; j < LATENT_DIM; j++) {
				sum += this.#projection[i * LATENT_DIM + j]! * latent[j]!;
			}
			vector[i] = sum;
			squares += sum * sum;
		}
		const length = Math.sqrt(squares);
		return vector.map(value => value / length);
	}

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
