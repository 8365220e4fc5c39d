/** The data of the quick benchmark: passages built from the embedded encyclopedia, and random vectors in clusters. */
import {encyclopedia, readPassages} from '../corpus/index.ts';
import {waitForTime} from '../core/event-loop.ts';
import type {Passage, Query, Vectors} from '../core/types.ts';
import {normal, uniform} from './random.ts';

/** Number of words per passage, and the average number of consecutive words from one passage of the encyclopedia. */
const WORDS = 100;
const RUN = 25;
/** Number of cluster centers, and the average distance of vectors from their center, relative to the length of a center. */
const CENTRES = 256;
const AWAY = 0.9;

/** Returns all questions of the encyclopedia. */
export async function embeddedQuestions(): Promise<Query[]> {
	const {questions} = encyclopedia();
	const all = [...(await questions('train')), ...(await questions('dev')), ...(await questions('test'))];
	return all.map(({id, text}) => ({id, text}));
}

/** Generates `count` passages of 100 words from pieces of the encyclopedia's passages. The result is deterministic. */
export async function* embeddedPassages(count: number): AsyncGenerator<Passage> {
	const from: string[][] = [];
	for await (const {text} of readPassages(encyclopedia().articles)) {
		from.push(text.split(/\s+/u));
	}
	const next = uniform(42);
	const below = (bound: number): number => Math.floor(next() * bound);
	for (let at = 0; at < count; at++) {
		await waitForTime();
		const words: string[] = [];
		while (words.length < WORDS) {
			const source = from[below(from.length)]!;
			const length = Math.ceil(RUN / 2) + below(RUN + 1);
			const start = below(Math.max(1, source.length - length + 1));
			words.push(...source.slice(start, start + length));
		}
		yield {id: `p${at}`, text: words.slice(0, WORDS).join(' ')};
	}
}

/** Generates unit vectors in clusters. The result is deterministic. Other seeds give other vectors around the same centers. */
export async function clusteredVectors(rows: number, dim: number, seed: number): Promise<Vectors> {
	const [centres, noise, choice] = [normal(1), normal(seed), uniform(seed)];
	const middle = Float64Array.from({length: CENTRES * dim}, centres);
	const data = new Float32Array(rows * dim);
	for (let row = 0; row < rows; row++) {
		await waitForTime();
		const centre = Math.floor(choice() * CENTRES) * dim;
		const vector = data.subarray(row * dim, (row + 1) * dim);
		let squares = 0;
		for (let i = 0; i < dim; i++) {
			vector[i] = middle[centre + i]! + AWAY * noise();
			squares += vector[i]! ** 2;
		}
		const length = Math.sqrt(squares);
		for (let i = 0; i < dim; i++) {
			vector[i]! /= length;
		}
	}
	return {data, rows, dim};
}
