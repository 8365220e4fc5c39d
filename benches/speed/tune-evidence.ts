// Measures the tuning of evidence fusion, which replaces the reader's relevance of a passage with β · relevance + γ · retrieval score: the
// time to load the readings (the reader's outputs for each question and passage) from a cache file, and the time to find the best weights β
// and γ. There are 1,000 questions with 500 passages each, and 10 spans per reading. The readings are random and are written in the format
// of the cache, so no model runs.
import {createHash} from 'node:crypto';
import {mkdtemp, open, rm} from 'node:fs/promises';
import {availableParallelism, tmpdir} from 'node:os';
import {join} from 'node:path';
import {crc32} from 'node:zlib';
import {ExtractiveReader, type Hit, type Passage, type Question, ReadingCache, readRun, tuneEvidence} from '../../ts/index.ts';
import type {Benchmark} from '../support/benchmark.ts';

const QUESTIONS = 1000;
/** Number of passages per question. */
const PASSAGES = 500;
/** Number of spans per reading. */
const SPANS = 10;
/** Number of passages in the corpus. */
const CORPUS = 5000;
/** Number of words per passage. */
const WORDS = 100;
/** Number of different words. */
const VOCABULARY = 4000;
/** Number of words from which answers are drawn: the most frequent ones, so that nearly every question has several correct spans. */
const ANSWER_WORDS = 200;

export const tuneEvidenceBenchmark: Benchmark = async say => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-tune-'));
	try {
		const random = randomNumbers(1);
		const corpus = Array.from({length: CORPUS}, (_, i): Passage => {
			// Squaring makes words with low numbers frequent.
			const words = Array.from({length: WORDS}, () => `w${Math.floor(random() ** 2 * VOCABULARY)}`);
			return {id: `p${i}`, text: words.join(' ')};
		});
		const questions = Array.from(
			{length: QUESTIONS},
			(_, i): Question => ({id: `q${i}`, text: `question ${i}?`, answers: [`w${Math.floor(random() * ANSWER_WORDS)}`]}),
		);
		const run = new Map(
			questions.map(({id}) => {
				const first = Math.floor(random() * CORPUS);
				// Scores fall from 25 to 10, quickly at first, as BM25 scores do.
				return [
					id,
					Array.from(
						{length: PASSAGES},
						(_, rank): Hit => ({id: `p${(first + rank * 7) % CORPUS}`, score: 25 - 15 * (rank / PASSAGES) ** 0.3}),
					),
				] as const;
			}),
		);
		const reader = await ExtractiveReader.load('tiny-reader');
		const path = join(folder, 'readings');
		(await ReadingCache.open(path, reader)).close();
		await writeReadings(path, questions, run, corpus, random);
		const figures: Record<string, number> = {};
		const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
			const began = performance.now();
			const result = await work();
			figures[what] = (performance.now() - began) / 1000;
			say(`${what.padEnd(40)} ${figures[what].toFixed(2)}`);
			return result;
		};
		const cache = await timed('open the cache, s', async () => ReadingCache.open(path, reader));
		// `readRun` does not run the reader, because the cache has every reading.
		reader.close();
		const passages = new Map(corpus.map(passage => [passage.id, passage]));
		const readings = await timed('read from the cache, s', async () => readRun(reader, questions, run, passages, {depth: PASSAGES, cache}));
		cache.close();
		let trials = 0;
		for (const scoring of ['original', 'normalized'] as const) {
			for (const threads of new Set([1, availableParallelism()])) {
				const tuned = await timed(`${scoring}, ${threads} threads, s`, async () => tuneEvidence(readings, questions, {scoring, threads}));
				trials = tuned.trials.length;
				say(`    ${trials} trials; β ${tuned.evidence.beta}, γ ${tuned.evidence.gamma}, ${tuned.passages} passages: ${tuned.exactMatch}`);
			}
		}
		await timed('answers of all, s', async () => readings.answers());
		return {questions: QUESTIONS, passages: PASSAGES, spans: SPANS, trials, figures};
	} finally {
		await rm(folder, {recursive: true, force: true});
	}
};

/**
Appends a reading for each passage of each question to the cache file `path`, in the format of `crates/reading/src/cache/record.rs`. The
spans are single words, some of which are the answer.
*/
async function writeReadings(
	path: string,
	questions: readonly Question[],
	run: ReadonlyMap<string, readonly Hit[]>,
	corpus: readonly Passage[],
	random: () => number,
): Promise<void> {
	/** For each passage, the start and end offset of each word. */
	const wordOffsets = corpus.map(({text}) =>
		[...text.matchAll(/\S+/gu)].map(match => [match.index, match.index + match[0].length] as const),
	);
	const file = await open(path, 'a');
	for (const {id, text: question, answers} of questions) {
		const records = run.get(id)!.map(hit => {
			const passage = Number(hit.id.slice(1));
			const hash = createHash('sha256');
			// The key is the start of a hash of the question, the title (empty here) and the text, each after its length.
			for (const part of [question, '', corpus[passage]!.text]) {
				const length = Buffer.alloc(8);
				length.writeBigUInt64LE(BigInt(Buffer.byteLength(part)));
				hash.update(length).update(part);
			}
			// 28 bytes: relevance (4), maximum (4) and sum (8) over the start logits, the same over the end logits. The spans follow.
			const reading = Buffer.alloc(28 + 16 * SPANS);
			const first = Math.floor(random() * (WORDS - SPANS));
			const {text} = corpus[passage]!;
			const isAnswer = ([start, end]: readonly [number, number]): boolean => text.slice(start, end) === answers[0];
			const spans = wordOffsets[passage]!.slice(first, first + SPANS).toSorted((a, b) => Number(isAnswer(b)) - Number(isAnswer(a)));
			// Passages with the answer have a higher relevance on average.
			reading.writeFloatLE(12 * random() - (isAnswer(spans[0]!) ? 4 : 8), 0);
			for (const at of [4, 16]) {
				reading.writeFloatLE(8, at);
				reading.writeDoubleLE(3, at + 4);
			}
			for (const [span, [start, end]] of spans.entries()) {
				const at = 28 + 16 * span;
				reading.writeUInt32LE(start, at);
				reading.writeUInt32LE(end, at + 4);
				reading.writeFloatLE(8 - span * random(), at + 8);
				reading.writeFloatLE(8 - span * random(), at + 12);
			}
			// 24 bytes: length (4), checksum (4), and key: the first 16 bytes of the hash. The checksum covers everything except itself.
			const header = Buffer.alloc(24);
			header.writeUInt32LE(reading.length, 0);
			hash.digest().copy(header, 8, 0, 16);
			const checked = Buffer.concat([header.subarray(0, 4), header.subarray(8), reading]);
			header.writeUInt32LE(crc32(checked), 4);
			return Buffer.concat([header, reading]);
		});
		await file.write(Buffer.concat(records));
	}
	await file.close();
}

/** Returns a linear congruential generator of numbers in [0, 1), which are the same in every run. */
function randomNumbers(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}
