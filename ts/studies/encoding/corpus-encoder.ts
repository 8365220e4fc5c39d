/** An encoder with a cache of the vectors of all passages of a corpus. */
import {join} from 'node:path';
import type {PassageStore} from '../../corpus/index.ts';
import type {CallOptions, EncodeOptions, Encoder, EncoderInput, Passage, Vectors} from '../../core/types.ts';
import {storedVectors} from './stored-vectors.ts';
import {QuestionEncoder} from './question-encoder.ts';

/** Number of passages whose vectors are stored in one file. A resumed study encodes only passages without a file. */
const PASSAGES_PER_FILE = 128;

export interface CorpusEncoderOptions extends CallOptions {
	/** The folder in which the vectors are stored. */
	readonly folder: string;
	readonly passages: PassageStore;
	/** Encodes passages, and questions if there is no `questionEncoder`. */
	readonly encoder: Encoder;
	readonly questionEncoder?: Encoder | undefined;
}

/**
An encoder that stores the vectors of a corpus in files and in memory, and those of questions in memory. If an input of
`encode` is a passage of the corpus, its vector is looked up. All other inputs are encoded as questions, each only once.
*/
export class CorpusEncoder implements Encoder {
	readonly identity: string;
	readonly dim: number;
	/** The vectors of the corpus, in the order of its passages. */
	readonly vectors: Vectors;
	/** Key of a passage → row of its vector. */
	readonly #rows: ReadonlyMap<string, number>;
	readonly #questions: QuestionEncoder;

	private constructor(encoder: Encoder, questionEncoder: Encoder, vectors: Vectors, rows: ReadonlyMap<string, number>) {
		this.identity = encoder.identity!;
		this.dim = encoder.dim;
		this.vectors = vectors;
		this.#rows = rows;
		this.#questions = new QuestionEncoder(questionEncoder);
	}

	/**
	Reads the vectors of the corpus from the folder, and encodes the passages whose vectors are not in it. Progress counts
	passages.
	*/
	static async open(options: CorpusEncoderOptions): Promise<CorpusEncoder> {
		const {folder, passages, encoder, questionEncoder = encoder, signal, onProgress} = options;
		const {dim} = encoder;
		const data = new Float32Array(passages.size * dim);
		const rows = new Map<string, number>();
		for (let start = 0; start < passages.size; start += PASSAGES_PER_FILE) {
			const slice = await passages.slice(start, PASSAGES_PER_FILE);
			const part = await storedVectors(join(folder, `${start}.f32`), slice, encoder, signal);
			data.set(part.data, start * dim);
			for (const [i, passage] of slice.entries()) {
				rows.set(keyOf(passage), start + i);
			}
			await onProgress?.({done: start + slice.length, total: passages.size});
		}
		return new CorpusEncoder(encoder, questionEncoder, {data, rows: passages.size, dim}, rows);
	}

	async encode(inputs: readonly EncoderInput[], options: EncodeOptions = {}): Promise<Vectors> {
		const {dim} = this;
		const data = new Float32Array(inputs.length * dim);
		const unknown: number[] = [];
		for (const [i, input] of inputs.entries()) {
			const row = typeof input === 'string' ? undefined : this.#rows.get(keyOf(input));
			if (row === undefined) {
				unknown.push(i);
			} else {
				data.set(this.vectors.data.subarray(row * dim, (row + 1) * dim), i * dim);
			}
		}
		const encoded = await this.#questions.encode(
			unknown.map(i => inputs[i]!),
			options,
		);
		for (const [j, i] of unknown.entries()) {
			data.set(encoded.data.subarray(j * dim, (j + 1) * dim), i * dim);
		}
		return {data, rows: inputs.length, dim};
	}
}

/** Returns the key of a passage in the cache. Passages with the same title and text have the same vector. */
const keyOf = ({title, text}: Pick<Passage, 'title' | 'text'>): string => `${title ?? ''}\0${text}`;
