import {readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {readQuestions} from '../../corpus/index.ts';
import {RetrievalError} from '../../core/errors.ts';
import type {Question} from '../../core/types.ts';

/** Where a data set's parts are, as paths of files or folders. */
export interface DatasetFiles {
	readonly corpus: string;
	readonly development: string;
	readonly test: string;
}

/** How files of a folder are told apart by their names. */
const names = {
	corpus: {
		pattern: /^(?:psgs|passages|corpus|collection|articles|wikipedia)/iu,
		meant: 'the corpus, named passages.*, psgs*, corpus.* or articles/',
	},
	development: {pattern: /(?:^|[^a-z])(?:dev|development)(?:[^a-z]|$)/iu, meant: 'development questions, with "dev" in the name'},
	test: {pattern: /(?:^|[^a-z])test(?:[^a-z]|$)/iu, meant: 'test questions, with "test" in the name'},
} as const;

/** Finds a data set's parts in its folder; those that are named take precedence. */
export async function datasetFiles(
	folder: string,
	named: {readonly [Part in keyof DatasetFiles]?: string | undefined},
): Promise<DatasetFiles> {
	const entries = await readdir(folder).catch((error: unknown) => {
		const {code} = error as NodeJS.ErrnoException;
		throw new RetrievalError('ERR_IO', `${folder}: expected a folder with a corpus, development and test questions, got ${code}`, {
			cause: error,
		});
	});
	const found = (part: keyof DatasetFiles): string => {
		const own = named[part];
		if (own !== undefined) {
			return own;
		}
		const {pattern, meant} = names[part];
		const isCorpus = (name: string): boolean => names.corpus.pattern.test(name);
		const fitting = entries.filter(name => !name.startsWith('.') && pattern.test(name) && (part === 'corpus' || !isCorpus(name)));
		if (fitting.length !== 1) {
			const got = fitting.length === 0 ? `none among ${entries.toSorted().join(', ') || 'no files'}` : fitting.toSorted().join(' and ');
			throw new RetrievalError('ERR_ARGUMENT', `${folder}: expected one file with ${meant}, got ${got}; name it with --${part}`);
		}
		return join(folder, fitting[0]!);
	};
	return {corpus: found('corpus'), development: found('development'), test: found('test')};
}

/** The questions of a file that have answers, each id once; if there are more than `most`, that number of them, spread evenly over the file. */
export async function questionsOf(path: string, most: number, signal: AbortSignal | undefined): Promise<Question[]> {
	const all: Question[] = [];
	const ids = new Set<string>();
	for await (const question of readQuestions(path, {signal})) {
		if (ids.has(question.id)) {
			throw new RetrievalError('ERR_FORMAT', `${path}: expected questions of distinct ids, got "${question.id}" twice`);
		}
		ids.add(question.id);
		if (question.answers.length > 0) {
			all.push(question);
		}
	}
	if (all.length === 0) {
		throw new RetrievalError('ERR_FORMAT', `${path}: expected questions with answers, got none`);
	}
	const count = Math.min(most, all.length);
	return Array.from({length: count}, (_, i) => all[Math.floor((i * all.length) / count)]!);
}
