import {readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {readQuestions} from '../../corpus/index.ts';
import {checkString} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {onPath} from '../../core/file-system.ts';
import type {Question} from '../../core/types.ts';

/** Where a data set's parts are. */
export interface DatasetFiles {
	readonly corpus: string;
	/** One file of all questions, or development questions and test questions. */
	readonly questions: readonly [all: string] | readonly [development: string, test: string];
	/** Judgements, where they are not in the questions. */
	readonly qrels?: string;
}

/** What a caller names, which takes precedence over what is found. */
export interface NamedFiles {
	readonly corpus?: string | undefined;
	readonly development?: string | undefined;
	readonly test?: string | undefined;
	readonly queries?: string | undefined;
	readonly qrels?: string | undefined;
}

/** The names of `NamedFiles`, for calls with additional options. */
export const fileNames = {corpus: true, development: true, test: true, queries: true, qrels: true} as const;

/** How files of a folder are told apart by their names. */
const names = {
	corpus: /^(?:psgs|passages|paragraphs|corpus|collection|articles|wikipedia)/iu,
	qrels: /^qrels/iu,
	development: /(?:^|[^a-z])(?:dev|development)(?:[^a-z]|$)/iu,
	test: /(?:^|[^a-z])test(?:[^a-z]|$)/iu,
	queries: /^(?:quer|question)|(?:^|[^a-z])qas?(?:[^a-z]|$)/iu,
} as const;

/** Finds a data set's parts in its folder, or in one file that has passages and questions, as SQuAD's and PubMedQA's do. */
export async function datasetFiles(dataset: string, named: NamedFiles): Promise<DatasetFiles> {
	for (const what of Object.keys(fileNames) as (keyof NamedFiles)[]) {
		if (named[what] !== undefined) {
			checkString(what, named[what]);
		}
	}
	const info = await stat(dataset).catch((error: unknown) => {
		const {code} = error as NodeJS.ErrnoException;
		throw new RetrievalError('ERR_IO', `${dataset}: expected a folder with a corpus and questions, or a file with both, got ${code}`, {
			cause: error,
		});
	});
	const entries = info.isDirectory()
		? (await onPath('read', dataset, async () => readdir(dataset))).filter(name => !name.startsWith('.')).toSorted()
		: [];
	const single = info.isDirectory() ? (entries.length === 1 ? join(dataset, entries[0]!) : undefined) : dataset;
	const found = (part: keyof typeof names): string[] =>
		entries
			.filter(
				name =>
					names[part].test(name) && (part === 'corpus' || part === 'qrels' || ![names.corpus, names.qrels].some(other => other.test(name))),
			)
			.map(name => join(dataset, name));
	const one = (part: keyof NamedFiles, meant: string): string => {
		const own = named[part] ?? single;
		const [first, ...others] = own === undefined ? found(part) : [own];
		if (first === undefined || others.length > 0) {
			const got = first === undefined ? `none among ${entries.join(', ') || 'no files'}` : [first, ...others].join(' and ');
			throw new RetrievalError('ERR_ARGUMENT', `${dataset}: expected one file with ${meant}, got ${got}; name it with --${part}`);
		}
		return first;
	};
	const corpus = one('corpus', 'the corpus, named passages.*, psgs*, corpus.* or articles/');
	const [qrels] = named.qrels === undefined ? found('qrels') : [named.qrels];
	const two =
		named.development !== undefined ||
		named.test !== undefined ||
		(named.queries === undefined && found('development').length === 1 && found('test').length === 1);
	return {
		corpus,
		questions: two
			? [one('development', 'development questions, with "dev" in the name'), one('test', 'test questions, with "test" in the name')]
			: [one('queries', 'questions, named questions.* or queries.*')],
		...(qrels === undefined ? {} : {qrels}),
	};
}

/** The questions of a file; of more than `most`, so many spread evenly over the file. */
export async function questionsOf(path: string, most: number, signal: AbortSignal | undefined): Promise<Question[]> {
	const all: Question[] = [];
	const ids = new Set<string>();
	for await (const question of readQuestions(path, {signal})) {
		if (ids.has(question.id)) {
			throw new RetrievalError('ERR_FORMAT', `${path}: expected questions of distinct ids, got "${question.id}" twice`);
		}
		ids.add(question.id);
		all.push(question);
	}
	// Of SQuAD 2.0 those that can be answered; of files that have no answers, all.
	const answerable = all.filter(({answers}) => answers.length > 0);
	const asked = answerable.length > 0 ? answerable : all;
	if (asked.length === 0) {
		throw new RetrievalError('ERR_FORMAT', `${path}: expected questions, got none`);
	}
	const count = Math.min(most, asked.length);
	return Array.from({length: count}, (_, i) => asked[Math.floor((i * asked.length) / count)]!);
}
