// The corpora and queries of data.json as files in the cache: raw text, and tokens of the english analyzer.
import {execFileSync} from 'node:child_process';
import {createReadStream, createWriteStream, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {once} from 'node:events';
import {packageRoot} from '../../../ts/core/native/addon.ts';
import {readPassages, readQuestions} from '../../../ts/corpus/index.ts';
import {cache, here} from '../system.ts';

interface Resampled {
	readonly corpus: string;
	/** How many to make. */
	readonly passages: number;
	/** In a passage, at least. */
	readonly words: number;
	/** Words taken from one passage, on average: uniformly half to one and a half times as many. */
	readonly run: number;
	readonly seed: number;
}

export interface Corpus {
	readonly about: string;
	/** Of the shared data, one after the other. */
	readonly files?: readonly string[];
	readonly resample?: Resampled;
}

export interface Queries {
	readonly about: string;
	readonly file: string;
	/** Fewest words of a question. */
	readonly words?: number;
	readonly sample: number;
	readonly seed: number;
}

/** Lines of `id<TAB>text<TAB>title`, queries without title, and of `id<TAB>tokens` with one space between tokens. */
export interface Prepared {
	readonly raw: string;
	readonly tokens: string;
}

const shared = process.env['PASSAGEKIT_SHARED'] ?? join(packageRoot, '..', 'shared');
const data: {readonly corpora: Record<string, Corpus>; readonly queries: Record<string, Queries>} = JSON.parse(
	readFileSync(join(here, 'bm25', 'data.json'), 'utf8'),
);

export const corpus = (name: string): Corpus => entry(data.corpora, name, 'a corpus');
export const queries = (name: string): Queries => entry(data.queries, name, 'queries');

/** Writes what is not there yet. Ids are positions from 1. */
export async function prepareCorpus(name: string, say: (line: string) => void): Promise<Prepared> {
	const {files = [], resample} = corpus(name);
	return prepare(`corpora/${name}`, say, async function* () {
		if (resample) {
			yield* resampled((await prepareCorpus(resample.corpus, say)).raw, resample);
		}
		for (const file of files) {
			for await (const {text, title} of readPassages(join(shared, 'data', file))) {
				yield [text, title ?? ''];
			}
		}
	});
}

/** Writes what is not there yet: questions in the order drawn. */
export async function prepareQueries(name: string, say: (line: string) => void): Promise<Prepared> {
	const {file, words = 0, sample, seed} = queries(name);
	return prepare(`queries/${name}`, say, async function* () {
		const texts: string[] = [];
		for await (const {text} of readQuestions(join(shared, 'data', file))) {
			if (wordsOf(text).length >= words) {
				texts.push(text);
			}
		}
		if (texts.length < sample) {
			throw new Error(`${name}: expected ${sample} questions of ${words} words or more in ${file}, got ${texts.length}`);
		}
		const random = generator(seed);
		for (let i = 0; i < sample; i++) {
			const j = i + random(texts.length - i);
			yield [texts[j]!];
			texts[j] = texts[i]!;
		}
	});
}

/** A file of queries, kept: the first of them, and their ids. */
export function firstQueries(file: string, count: number): {readonly file: string; readonly ids: readonly string[]} {
	const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
	const ids = lines.slice(0, count).map(line => line.split('\t', 1)[0]!);
	if (count >= lines.length) {
		return {file, ids};
	}
	const first = file.replace(/\.tsv$/u, `-${count}.tsv`);
	writeFileSync(first, `${lines.slice(0, count).join('\n')}\n`);
	return {file: first, ids};
}

async function prepare(name: string, say: (line: string) => void, rows: () => AsyncIterable<readonly string[]>): Promise<Prepared> {
	const folder = join(cache, name);
	const prepared = {raw: join(folder, 'raw.tsv'), tokens: join(folder, 'tokens.tsv')};
	mkdirSync(folder, {recursive: true});
	if (!existsSync(prepared.raw)) {
		say(`preparing ${name} …`);
		const file = createWriteStream(`${prepared.raw}.new`);
		let id = 0;
		for await (const row of rows()) {
			id++;
			if (!file.write(`${id}\t${row.map(field => field.replaceAll(/\s+/gu, ' ')).join('\t')}\n`)) {
				await once(file, 'drain');
			}
		}
		file.end();
		await once(file, 'finish');
		renameSync(`${prepared.raw}.new`, prepared.raw);
	}
	if (!existsSync(prepared.tokens)) {
		execFileSync(join(here, 'bm25', 'systems', 'passagekit', 'start'), ['tokens', prepared.raw, `${prepared.tokens}.new`]);
		renameSync(`${prepared.tokens}.new`, prepared.tokens);
	}
	return prepared;
}

/** The texts of a raw file, resampled; no titles. */
async function* resampled(raw: string, {passages, words, run, seed}: Resampled): AsyncGenerator<readonly string[]> {
	const from: string[][] = [];
	for await (const line of createInterface({input: createReadStream(raw), crlfDelay: Infinity})) {
		const text = wordsOf(line.split('\t')[1] ?? '');
		if (text.length > 0) {
			from.push(text);
		}
	}
	const random = generator(seed);
	for (let made = 0; made < passages; made++) {
		const passage: string[] = [];
		while (passage.length < words) {
			const source = from[random(from.length)]!;
			const length = Math.ceil(run / 2) + random(run + 1);
			const start = random(Math.max(1, source.length - length + 1));
			passage.push(...source.slice(start, start + length));
		}
		yield [passage.join(' '), ''];
	}
}

const wordsOf = (text: string): string[] => text.split(/\s+/u).filter(word => word !== '');

/** Whole numbers from 0 to below a bound (mulberry32, Tommy Ettinger 2017). */
function generator(seed: number): (below: number) => number {
	let state = seed;
	return below => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
	};
}

function entry<T>(of: Readonly<Record<string, T>>, name: string, what: string): T {
	const found = of[name];
	if (!found) {
		throw new Error(`expected ${what} of data.json (${Object.keys(of).join(', ')}), got ${name}`);
	}
	return found;
}
