// How long the search for evidence fusion's weights takes on what was read of 1,000 questions × 500 passages × 10 spans, and
// how long those readings take to come out of their cache. The readings are made up, in the cache's own format: no model
// runs.
import {createHash} from 'node:crypto';
import {mkdtemp, open, rm} from 'node:fs/promises';
import {availableParallelism, tmpdir} from 'node:os';
import {join} from 'node:path';
import {crc32} from 'node:zlib';
import {ExtractiveReader, type Hit, type Passage, type Question, ReadingCache, readRun, tuneEvidence} from '../ts/index.ts';
import type {Benchmark} from './benchmark.ts';

const QUESTIONS = 1000;
const PASSAGES = 500;
const SPANS = 10;
/** Number of passages, words per passage, and different words. */
const CORPUS = 5000;
const WORDS = 100;
const VOCABULARY = 4000;
/** The most common words are the answers, so nearly every question has several spans that are right. */
const COMMON = 200;

export const tuneEvidenceBench: Benchmark = async say => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-tune-'));
	try {
		const next = numbers(1);
		const corpus = Array.from({length: CORPUS}, (_, i): Passage => {
			// The exponent makes common words frequent.
			const words = Array.from({length: WORDS}, () => `w${Math.floor(next() ** 2 * VOCABULARY)}`);
			return {id: `p${i}`, text: words.join(' ')};
		});
		const questions = Array.from(
			{length: QUESTIONS},
			(_, i): Question => ({id: `q${i}`, text: `question ${i}?`, answers: [`w${Math.floor(next() * COMMON)}`]}),
		);
		const run = new Map(
			questions.map(({id}) => {
				const first = Math.floor(next() * CORPUS);
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
		await write(path, questions, run, corpus, next);
		const figures: Record<string, number> = {};
		const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
			const began = performance.now();
			const result = await work();
			figures[what] = (performance.now() - began) / 1000;
			say(`${what.padEnd(40)} ${figures[what].toFixed(2)}`);
			return result;
		};
		const cache = await timed('open the cache, s', async () => ReadingCache.open(path, reader));
		// The cache has every reading.
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

/** Appends a reading for each passage of each question: spans of one word, some of which are the answer. */
async function write(
	path: string,
	questions: readonly Question[],
	run: ReadonlyMap<string, readonly Hit[]>,
	corpus: readonly Passage[],
	next: () => number,
): Promise<void> {
	const places = corpus.map(({text}) => [...text.matchAll(/\S+/gu)].map(match => [match.index, match.index + match[0].length] as const));
	const file = await open(path, 'a');
	for (const {id, text: question, answers} of questions) {
		const records = run.get(id)!.map(hit => {
			const passage = Number(hit.id.slice(1));
			const hash = createHash('sha256');
			for (const part of [question, '', corpus[passage]!.text]) {
				const length = Buffer.alloc(8);
				length.writeBigUInt64LE(BigInt(Buffer.byteLength(part)));
				hash.update(length).update(part);
			}
			const reading = Buffer.alloc(28 + 16 * SPANS);
			const first = Math.floor(next() * (WORDS - SPANS));
			const {text} = corpus[passage]!;
			const isRight = ([start, end]: readonly [number, number]): boolean => text.slice(start, end) === answers[0];
			const spans = places[passage]!.slice(first, first + SPANS).toSorted((a, b) => Number(isRight(b)) - Number(isRight(a)));
			reading.writeFloatLE(12 * next() - (isRight(spans[0]!) ? 4 : 8), 0);
			for (const at of [4, 16]) {
				reading.writeFloatLE(8, at);
				reading.writeDoubleLE(3, at + 4);
			}
			for (const [span, [start, end]] of spans.entries()) {
				const at = 28 + 16 * span;
				reading.writeUInt32LE(start, at);
				reading.writeUInt32LE(end, at + 4);
				reading.writeFloatLE(8 - span * next(), at + 8);
				reading.writeFloatLE(8 - span * next(), at + 12);
			}
			const head = Buffer.alloc(24);
			head.writeUInt32LE(reading.length, 0);
			hash.digest().copy(head, 8, 0, 16);
			const checked = Buffer.concat([head.subarray(0, 4), head.subarray(8), reading]);
			head.writeUInt32LE(crc32(checked), 4);
			return Buffer.concat([head, reading]);
		});
		await file.write(Buffer.concat(records));
	}
	await file.close();
}

/** Numbers from 0 to 1, the same in every run, from a linear congruential generator. */
function numbers(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}
