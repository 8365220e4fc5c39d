// Prepares the corpora and queries of data.json as files in the folder `.cache/`: raw text, and the tokens of
// passagekit's `english` analyzer. The data comes from the shared folder (../../harness/folders.ts).
import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {createReadStream, createWriteStream, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {readPassages, readQuestions} from '../../../../ts/corpus/index.ts';
import {cache, qpsFolder, shared} from '../../harness/folders.ts';

/** How to make a synthetic corpus: each of its passages is joined from pieces of random passages of another corpus. */
interface Resampled {
	/** The name of the other corpus. */
	readonly corpus: string;
	/** The number of passages to make. */
	readonly passages: number;
	/** The minimum number of words per passage. */
	readonly words: number;
	/**
	The mean length of a piece, which is a run of consecutive words of one passage. Lengths are uniform from half to one
	and a half times this, but at most the length of the passage.
	*/
	readonly run: number;
	readonly seed: number;
}

/** A corpus of data.json: it has either `files` or `resample`. */
export interface Corpus {
	readonly about: string;
	/** Files in the folder `data/` of the shared folder. Their passages are concatenated. */
	readonly files?: readonly string[];
	/** Given for a synthetic corpus instead of `files`. */
	readonly resample?: Resampled;
}

/** A list of queries of data.json: a random sample of the questions in a file. */
export interface Queries {
	readonly about: string;
	/** A file in the folder `data/` of the shared folder. */
	readonly file: string;
	/** The minimum number of words per question. */
	readonly words?: number;
	/** The number of questions to draw at random. */
	readonly sample: number;
	readonly seed: number;
}

/** The paths of the files of a corpus, or of a list of queries. */
export interface Prepared {
	/** Lines of `id<TAB>text<TAB>title` for passages, or `id<TAB>text` for queries. */
	readonly raw: string;
	/** Lines of `id<TAB>tokens`, with one space between tokens. */
	readonly tokens: string;
}

const data: {readonly corpora: Record<string, Corpus>; readonly queries: Record<string, Queries>} = JSON.parse(
	readFileSync(join(qpsFolder, 'bm25', 'data', 'data.json'), 'utf8'),
);

export const corpus = (name: string): Corpus => lookUp(data.corpora, name, 'a corpus');
export const queries = (name: string): Queries => lookUp(data.queries, name, 'queries');

/** Writes the files of a corpus, unless they exist, and returns their paths. The ids of the passages are their positions, from 1. */
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

/**
Writes the files of a list of queries, unless they exist, and returns their paths. The queries are drawn at random, so
they are in random order.
*/
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
		// The first `sample` steps of a Fisher–Yates shuffle.
		for (let i = 0; i < sample; i++) {
			const j = i + random(texts.length - i);
			yield [texts[j]!];
			texts[j] = texts[i]!;
		}
	});
}

/**
Writes the first `count` queries of a file to another file next to it, and returns that file and the ids of its queries.
If the given file has at most `count` queries, writes nothing and returns the given file with all ids.
*/
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

/**
Writes the files in the folder `name` of the cache, unless they exist. `rows` yields the fields of each line, without
the id.
*/
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
		execFileSync(join(qpsFolder, 'bm25', 'systems', 'passagekit', 'start'), ['tokens', prepared.raw, `${prepared.tokens}.new`]);
		renameSync(`${prepared.tokens}.new`, prepared.tokens);
	}
	return prepared;
}

/** Yields synthetic passages made from the texts of a raw file. Their titles are empty. */
async function* resampled(raw: string, {passages, words, run, seed}: Resampled): AsyncGenerator<readonly string[]> {
	const sources: string[][] = [];
	for await (const line of createInterface({input: createReadStream(raw), crlfDelay: Infinity})) {
		const source = wordsOf(line.split('\t')[1] ?? '');
		if (source.length > 0) {
			sources.push(source);
		}
	}
	const random = generator(seed);
	for (let made = 0; made < passages; made++) {
		const passage: string[] = [];
		while (passage.length < words) {
			const source = sources[random(sources.length)]!;
			const length = Math.ceil(run / 2) + random(run + 1);
			const start = random(Math.max(1, source.length - length + 1));
			passage.push(...source.slice(start, start + length));
		}
		yield [passage.join(' '), ''];
	}
}

const wordsOf = (text: string): string[] => text.split(/\s+/u).filter(word => word !== '');

/** Returns a generator of random integers from 0 to `bound` - 1 (mulberry32, Tommy Ettinger, 2017). */
function generator(seed: number): (bound: number) => number {
	let state = seed;
	return bound => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
	};
}

/** Looks up a name in a part of data.json, or fails. `what` says in the error message what the part has. */
function lookUp<T>(part: Readonly<Record<string, T>>, name: string, what: string): T {
	const found = part[name];
	if (!found) {
		throw new Error(`expected ${what} of data.json (${Object.keys(part).join(', ')}), got ${name}`);
	}
	return found;
}
