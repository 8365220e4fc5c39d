/** Generates the data of the quick benchmark: passages from pieces of the bundled encyclopedia, and random vectors in clusters. */
import {encyclopedia, readPassages} from '../corpus/index.ts';
import {yieldIfOverBudget} from '../core/event-loop.ts';
import type {Passage, Query, Vectors} from '../core/types.ts';
import {normal, uniform} from '../core/random.ts';

/** Number of words per generated passage. */
const WORDS = 100;
/**
Approximate average number of words of a piece, that is, of consecutive words from one passage of the encyclopedia. The number is
uniformly distributed from about half to about one and a half times this average; a piece of a shorter passage is the whole passage.
*/
const PIECE_WORDS = 25;
/** Number of cluster centers. */
const CENTERS = 256;
/**
Standard deviation of a vector's components around those of its center, before the vector is scaled to unit length. The components of
the centers have standard deviation 1.
*/
const DEVIATION = 0.9;

/** Returns all questions of the encyclopedia. */
export async function encyclopediaQuestions(): Promise<Query[]> {
	const {questions} = encyclopedia();
	const all = [...(await questions('train')), ...(await questions('dev')), ...(await questions('test'))];
	return all.map(({id, text}) => ({id, text}));
}

/** Generates `count` passages of 100 words, each from pieces of several passages of the encyclopedia. They are the same on every call. */
export async function* generatedPassages(count: number): AsyncGenerator<Passage> {
	const sources: string[][] = [];
	for await (const {text} of readPassages(encyclopedia().articles)) {
		sources.push(text.split(/\s+/u));
	}
	const next = uniform(42);
	const below = (bound: number): number => Math.floor(next() * bound);
	for (let i = 0; i < count; i++) {
		await yieldIfOverBudget();
		const words: string[] = [];
		while (words.length < WORDS) {
			const source = sources[below(sources.length)]!;
			const length = Math.ceil(PIECE_WORDS / 2) + below(PIECE_WORDS + 1);
			const start = below(Math.max(1, source.length - length + 1));
			words.push(...source.slice(start, start + length));
		}
		yield {id: `p${i}`, text: words.slice(0, WORDS).join(' ')};
	}
}

/** Generates unit vectors in clusters. The same seed gives the same vectors; other seeds give other vectors around the same centers. */
export async function clusteredVectors(rows: number, dim: number, seed: number): Promise<Vectors> {
	// The centers have a seed of their own, so that they are the same for all seeds.
	const [nextCenterValue, noise, choice] = [normal(1), normal(seed), uniform(seed)];
	const centers = Float64Array.from({length: CENTERS * dim}, nextCenterValue);
	const data = new Float32Array(rows * dim);
	for (let row = 0; row < rows; row++) {
		await yieldIfOverBudget();
		const center = Math.floor(choice() * CENTERS) * dim;
		const vector = data.subarray(row * dim, (row + 1) * dim);
		let squares = 0;
		for (let i = 0; i < dim; i++) {
			vector[i] = centers[center + i]! + DEVIATION * noise();
			squares += vector[i]! ** 2;
		}
		const length = Math.sqrt(squares);
		for (let i = 0; i < dim; i++) {
			vector[i]! /= length;
		}
	}
	return {data, rows, dim};
}
