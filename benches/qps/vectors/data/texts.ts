// Reads the texts that are encoded as vectors: the sentences and the questions of the collections in the shared folder
// (../../harness/folders.ts). Both lists are in a pseudorandom order, so that the first n texts are a fair sample.
import {createHash} from 'node:crypto';
import {createReadStream, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {createGunzip, gunzipSync} from 'node:zlib';
import {readPassages} from '../../../../ts/corpus/index.ts';

/** The minimum number of words per sentence. */
const MIN_WORDS = 5;
/** Files with passages, relative to the folder `data` of the shared folder, as are all paths below. */
const TSV = ['squad/paragraphs.squad-dev.tsv.gz', 'lexical/psgs_w100.scotus-transcripts-a.tsv.gz'];
/** Files with documents, which have a text and may have a title. */
const JSONL = ['scifact', 'agentset-dbpedia', 'vaswani-npl', 'nfcorpus-preprocessed'].map(name => `ir/${name}/corpus.jsonl.gz`);
/** PubMedQA: articles, whose contexts and long answers are used. */
const PUBMED = 'pubmedqa/pqal.json.gz';
const QUESTIONS = [
	'qa/nq.dev.jsonl.gz',
	'qa/triviaqa.dev.jsonl.gz',
	'qa/webquestions.test.jsonl.gz',
	'qa/entityquestions.dev.jsonl.gz',
	'squad/squad-dev.qas.jsonl.gz',
];

/** The characters at which `str.split()` of Python splits: white space as defined by Unicode, and U+001C to U+001F. */
const SPACE = '[\\t-\\r\\u001c-\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const SPACES = new RegExp(`${SPACE}+`, 'u');
/**
Matches what separates two sentences: any closing marks, and then white space. A `.`, `?` or `!` must precede it. An ASCII
capital letter or a digit, with or without an opening mark, must follow it. Marks are quotation marks, parentheses and
square brackets.
*/
const BOUNDARY = new RegExp(`(?<=[.?!])["')\\]]*${SPACE}+(?=["'(\\[]?[A-Z0-9])`, 'u');

/** Returns the distinct sentences of at least `MIN_WORDS` words. `shared` is the path of the shared folder. */
export async function sentences(shared: string): Promise<readonly string[]> {
	const found = new Set<string>();
	const addSentences = (text: string): void => {
		for (const piece of text.split(BOUNDARY)) {
			const words = wordsOf(piece);
			if (words.length >= MIN_WORDS) {
				found.add(words.join(' '));
			}
		}
	};
	for (const file of TSV) {
		for await (const {text} of readPassages(join(shared, 'data', file))) {
			addSentences(text);
		}
	}
	for (const file of JSONL) {
		for await (const {title, text} of linesOf<{title?: string; text: string}>(join(shared, 'data', file))) {
			addSentences(title ?? '');
			addSentences(text);
		}
	}
	const articles: Record<string, Record<string, unknown>> = JSON.parse(gunzipSync(readFileSync(join(shared, 'data', PUBMED))).toString());
	for (const article of Object.values(articles)) {
		for (const [field, value] of Object.entries(article)) {
			if (field.toLowerCase() === 'contexts') {
				(value as string[]).forEach(text => addSentences(text));
			} else if (field.toLowerCase() === 'long_answer') {
				addSentences(value as string);
			}
		}
	}
	return shuffled([...found]);
}

/** Returns the distinct questions. */
export async function questions(shared: string): Promise<readonly string[]> {
	const found = new Set<string>();
	for (const file of QUESTIONS) {
		for await (const {question, query, text} of linesOf<Record<string, string>>(join(shared, 'data', file))) {
			const line = question || query || text;
			if (line) {
				found.add(line);
			}
		}
	}
	return shuffled([...found].map(text => wordsOf(text).join(' ')));
}

const wordsOf = (text: string): readonly string[] => text.split(SPACES).filter(word => word !== '');

/** Sorts texts by their SHA-256 digests. This order is pseudorandom, and it depends on nothing but the texts. */
function shuffled(texts: readonly string[]): readonly string[] {
	return texts
		.map(text => ({text, digest: createHash('sha256').update(text).digest('hex')}))
		.sort((a, b) => (a.digest < b.digest ? -1 : a.digest > b.digest ? 1 : 0))
		.map(({text}) => text);
}

async function* linesOf<T>(file: string): AsyncGenerator<T> {
	for await (const line of createInterface({input: createReadStream(file).pipe(createGunzip()), crlfDelay: Infinity})) {
		if (line !== '') {
			yield JSON.parse(line) as T;
		}
	}
}
