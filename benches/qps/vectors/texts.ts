// The sentences and questions of the shared data, in an order of which any beginning is a fair sample.
import {createHash} from 'node:crypto';
import {createReadStream, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {createGunzip, gunzipSync} from 'node:zlib';
import {readPassages} from '../../../ts/corpus/index.ts';

/** Fewest words of a sentence. */
const WORDS = 5;
const TSV = ['squad/paragraphs.squad-dev.tsv.gz', 'lexical/psgs_w100.scotus-transcripts-a.tsv.gz'];
const JSONL = ['scifact', 'agentset-dbpedia', 'vaswani-npl', 'nfcorpus-preprocessed'].map(name => `ir/${name}/corpus.jsonl.gz`);
const PUBMED = 'pubmedqa/pqal.json.gz';
const QUESTIONS = [
	'qa/nq.dev.jsonl.gz',
	'qa/triviaqa.dev.jsonl.gz',
	'qa/webquestions.test.jsonl.gz',
	'qa/entityquestions.dev.jsonl.gz',
	'squad/squad-dev.qas.jsonl.gz',
];

/** White space as Unicode has it. */
const SPACE = '[\\t-\\r\\u001c-\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const SPACES = new RegExp(`${SPACE}+`, 'u');
/** After an end mark, before what may begin a sentence. */
const BOUNDARY = new RegExp(`(?<=[.?!])["')\\]]*${SPACE}+(?=["'(\\[]?[A-Z0-9])`, 'u');

/** Distinct sentences of at least five words. `shared` is the folder of the shared data. */
export async function sentences(shared: string): Promise<readonly string[]> {
	const found = new Set<string>();
	const put = (text: string): void => {
		for (const piece of text.split(BOUNDARY)) {
			const words = wordsOf(piece);
			if (words.length >= WORDS) {
				found.add(words.join(' '));
			}
		}
	};
	for (const file of TSV) {
		for await (const {text} of readPassages(join(shared, 'data', file))) {
			put(text);
		}
	}
	for (const file of JSONL) {
		for await (const {title, text} of linesOf<{title?: string; text: string}>(join(shared, 'data', file))) {
			put(title ?? '');
			put(text);
		}
	}
	const articles: Record<string, Record<string, unknown>> = JSON.parse(gunzipSync(readFileSync(join(shared, 'data', PUBMED))).toString());
	for (const article of Object.values(articles)) {
		for (const [field, value] of Object.entries(article)) {
			if (field.toLowerCase() === 'contexts') {
				(value as string[]).forEach(text => put(text));
			} else if (field.toLowerCase() === 'long_answer') {
				put(value as string);
			}
		}
	}
	return shuffled([...found]);
}

/** Distinct questions. */
export async function questions(shared: string): Promise<readonly string[]> {
	const found = new Set<string>();
	for (const file of QUESTIONS) {
		for await (const {question, query, text} of linesOf<Record<string, string>>(join(shared, 'data', file))) {
			const asked = question || query || text;
			if (asked) {
				found.add(asked);
			}
		}
	}
	return shuffled([...found].map(text => wordsOf(text).join(' ')));
}

const wordsOf = (text: string): readonly string[] => text.split(SPACES).filter(word => word !== '');

/** By the SHA-256 digest of the UTF-8 text. */
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
