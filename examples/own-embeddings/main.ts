/**
Searches with a custom encoder. This encoder hashes every three consecutive letters of a word, so it needs no model. Your `encode` may
call an API or another library instead.
*/
import {createHash} from 'node:crypto';
import {DenseSearcher, type Encoder, type EncoderInput, HnswIndex, readPassages} from 'passagekit';

const DIM = 256;

const trigrams: Encoder = {
	dim: DIM,
	identity: 'trigrams-256',
	async encode(inputs) {
		const data = new Float32Array(inputs.length * DIM);
		for (const [row, input] of inputs.entries()) {
			for (const [slot, count] of countTrigrams(input)) {
				data[row * DIM + slot] = Math.sqrt(count);
			}
		}
		return {data, rows: inputs.length, dim: DIM};
	},
};

/** Counts the three-letter sequences in the words of a text. Each sequence is hashed to one of 256 dimensions, its slot. */
function countTrigrams(input: EncoderInput): Map<number, number> {
	const text = typeof input === 'string' ? input : `${input.title ?? ''} ${input.text}`;
	const counts = new Map<number, number>();
	for (const word of text.toLowerCase().match(/\p{L}{3,}/gu) ?? []) {
		for (let i = 0; i + 3 <= word.length; i++) {
			const slot = createHash('md5')
				.update(word.slice(i, i + 3))
				.digest()
				.readUInt8(0);
			counts.set(slot, (counts.get(slot) ?? 0) + 1);
		}
	}
	return counts;
}

// The index stores the encoder's identity. A `DenseSearcher` over the index refuses an encoder with any other identity.
const index = new HnswIndex({dim: DIM, similarity: 'cosine', metadata: {encoder: trigrams.identity}});
const passages = [];
for await (const passage of readPassages('./articles')) {
	passages.push(passage);
}
await index.add(
	passages.map(({id}) => id),
	await trigrams.encode(passages),
);

const searcher = new DenseSearcher({encoder: trigrams, index});
const hits = await searcher.search('Braille typewriter and the braille alphabet', {k: 3});
console.log(hits.map(({id}) => id.split('#')[0]));
await index.save('./vectors.pkhnsw');
index.close();
