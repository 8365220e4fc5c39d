/** Finds the files of a data set: corpus, questions and relevance judgments (qrels) are recognized by their names. */
import {readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {checkString} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {onPath} from '../../core/file-system.ts';

/** The paths of a data set's files. */
export interface DatasetFiles {
	readonly corpus: string;
	/** One file of all questions, or one of development or training questions and one of test questions. */
	readonly questions: readonly [all: string] | readonly [first: string, test: string];
	/** The file of relevance judgments, if there is one. */
	readonly qrels?: string;
	/** The file with the judgments of training questions, if they are not in `qrels`. */
	readonly trainingQrels?: string;
}

/** Paths that the caller gives. They take precedence over the files in the folder of the data set. */
export interface NamedFiles {
	readonly corpus?: string | undefined;
	readonly development?: string | undefined;
	readonly test?: string | undefined;
	/** A file of all questions, about a third of which become development questions. */
	readonly queries?: string | undefined;
	readonly qrels?: string | undefined;
}

/** Like `NamedFiles`, for studies that train: with a file of training questions instead of one of development questions. */
export interface NamedTrainingFiles extends Omit<NamedFiles, 'development'> {
	readonly train?: string | undefined;
}

/** The kinds of questions that a data set may have besides test questions. A study needs one of them. */
export type FirstQuestions = 'development' | 'train';

type AnyNamedFiles = NamedFiles & NamedTrainingFiles;
type FileKind = keyof AnyNamedFiles;

/** The patterns by which file names are recognized, for each kind of file. */
const patterns: Readonly<Record<FileKind, RegExp>> = {
	corpus: /^(?:psgs|passages|paragraphs|corpus|collection|articles|wikipedia)/iu,
	qrels: /^qrels/iu,
	development: /(?:^|[^a-z])(?:dev|development)(?:[^a-z]|$)/iu,
	train: /(?:^|[^a-z])(?:train|training)(?:[^a-z]|$)/iu,
	test: /(?:^|[^a-z])test(?:[^a-z]|$)/iu,
	queries: /^(?:quer|question)|(?:^|[^a-z])qas?(?:[^a-z]|$)/iu,
};

/** Descriptions of each kind of file for error messages. */
const descriptions = {
	corpus: 'the corpus, named passages.*, psgs*, corpus.* or articles/',
	development: 'development questions, with "dev" in the name',
	train: 'training questions, with "train" in the name',
	test: 'test questions, with "test" in the name',
	queries: 'questions, named questions.* or queries.*',
} as const;

/**
Finds the files of a data set. `dataset` is a folder, or a single file with passages and questions, as in SQuAD and
PubMedQA; a folder may also contain just such a file. Fails with `ERR_ARGUMENT` if a file is missing, or if several file
names match. Relevance judgments are treated differently: they may be missing, and if several file names match, the first
one in alphabetical order is used; with training questions, `qrels/train.tsv` is used as well as `qrels/test.tsv`. `first`
says which questions there are besides test questions.
*/
export async function datasetFiles(dataset: string, named: AnyNamedFiles, first: FirstQuestions = 'development'): Promise<DatasetFiles> {
	checkPaths(named);
	const isFolder = (await statDataset(dataset, 'a folder with a corpus and questions, or a file with both')).isDirectory();
	const names = isFolder ? await fileNames(dataset) : [];
	// The single file of the data set, if there is no other: it has both the corpus and the questions.
	const onlyPath = isFolder ? (names.length === 1 ? join(dataset, names[0]!) : undefined) : dataset;
	const find = (kind: keyof typeof descriptions): string => named[kind] ?? onlyPath ?? onlyFile(dataset, names, kind);
	const corpus = find('corpus');
	const qrels = named.qrels === undefined ? await foundQrels(dataset, names, first) : {qrels: named.qrels};
	const areSplit =
		named[first] !== undefined ||
		named.test !== undefined ||
		(named.queries === undefined && filesOf(names, first).length === 1 && filesOf(names, 'test').length === 1);
	return {
		corpus,
		questions: areSplit ? [find(first), find('test')] : [find('queries')],
		...qrels,
	};
}

/**
Finds the files of a data set that is used for tests: training questions, if there are any, and test questions; or one
file of all questions. If a folder has test questions but no training questions, these are all questions.
*/
export async function testableFiles(dataset: string): Promise<DatasetFiles> {
	const isFolder = (await statDataset(dataset, 'a folder with a corpus and questions, or a file with both')).isDirectory();
	const names = isFolder ? await fileNames(dataset) : [];
	const tests = filesOf(names, 'test');
	const queries = tests.length === 1 && filesOf(names, 'train').length === 0 ? join(dataset, tests[0]!) : undefined;
	return datasetFiles(dataset, {queries}, 'train');
}

/**
Finds the files of a data set whose development and test questions are in separate files. Fails as `datasetFiles` does.
*/
export async function splitDatasetFiles(folder: string, named: Omit<NamedFiles, 'queries' | 'qrels'>): Promise<DatasetFiles> {
	checkPaths(named);
	await statDataset(folder, 'a folder with a corpus, development and test questions');
	const names = await fileNames(folder);
	const find = (kind: 'corpus' | 'development' | 'test'): string => named[kind] ?? onlyFile(folder, names, kind);
	return {corpus: find('corpus'), questions: [find('development'), find('test')]};
}

/**
Returns the path of the first file that is named like relevance judgments. If it is a folder, as in BEIR, returns the
path of the file `test.tsv` in it and, if training questions are wanted, of `train.tsv`.
*/
async function foundQrels(
	dataset: string,
	names: readonly string[],
	first: FirstQuestions,
): Promise<Pick<DatasetFiles, 'qrels' | 'trainingQrels'>> {
	const [name] = filesOf(names, 'qrels');
	if (name === undefined) {
		return {};
	}
	const path = join(dataset, name);
	const stats = await onPath('read', path, async () => stat(path));
	if (!stats.isDirectory()) {
		return {qrels: path};
	}
	const hasTraining = first === 'train' && (await fileNames(path)).includes('train.tsv');
	return {qrels: join(path, 'test.tsv'), ...(hasTraining && {trainingQrels: join(path, 'train.tsv')})};
}

function checkPaths(named: AnyNamedFiles): void {
	for (const kind of Object.keys(patterns) as FileKind[]) {
		if (named[kind] !== undefined) {
			checkString(kind, named[kind]);
		}
	}
}

async function statDataset(path: string, expected: string): ReturnType<typeof stat> {
	return stat(path).catch((error: unknown) => {
		const {code} = error as NodeJS.ErrnoException;
		throw new RetrievalError('ERR_IO', `${path}: expected ${expected}, got ${code}`, {cause: error});
	});
}

async function fileNames(folder: string): Promise<readonly string[]> {
	const names = await onPath('read', folder, async () => readdir(folder));
	return names.filter(name => !name.startsWith('.')).toSorted();
}

/**
Returns the file names of one kind. A file that is named like a corpus or qrels is never a file of questions, even if
its name also matches a pattern of questions.
*/
function filesOf(names: readonly string[], kind: FileKind): readonly string[] {
	const hasQuestions = kind !== 'corpus' && kind !== 'qrels';
	const matches = (name: string): boolean =>
		patterns[kind].test(name) && !(hasQuestions && (patterns.corpus.test(name) || patterns.qrels.test(name)));
	return names.filter(matches);
}

function onlyFile(folder: string, names: readonly string[], kind: keyof typeof descriptions): string {
	const [name, ...others] = filesOf(names, kind);
	if (name === undefined || others.length > 0) {
		const got = name === undefined ? `none among ${names.join(', ') || 'no files'}` : [name, ...others].join(' and ');
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`${folder}: expected one file with ${descriptions[kind]}, got ${got}; give its path with --${kind}`,
		);
	}
	return join(folder, name);
}
