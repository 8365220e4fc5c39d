/**
Finds the files that `passagekit add` reads. In a file of records (JSON, JSON lines, CSV or TSV), each record is a document. A text file is
one document.
*/
import {readdir, stat} from 'node:fs/promises';
import {basename, join, relative, sep} from 'node:path';
import {RetrievalError} from '../../core/errors.ts';
import {onPath} from '../../core/file-system.ts';
import type {DocumentFormat} from '../../corpus/index.ts';

/** A file to read. */
export interface Input {
	readonly path: string;
	/** The id of a text file's document; `undefined` for a file of records. */
	readonly id: string | undefined;
	/** Size in bytes; 0 if it is unknown. */
	readonly bytes: number;
}

/** Matches the names of text files. */
const TEXT = /\.(?:txt|md|markdown)(?:\.gz)?$/iu;

/**
Lists the files to read, in the order of the paths. A folder stands for the text and Markdown files in it and in its subfolders, except
hidden ones. The id of a text file's document is the file's path within the given folder, or its name if the file itself is given. The path
`-` is standard input. Fails with `ERR_IO` for a missing file, and with `ERR_DUPLICATE_ID` if two text files have the same id.
*/
export async function inputsOf(paths: readonly string[], format: DocumentFormat): Promise<Input[]> {
	const inputs: Input[] = [];
	for (const given of paths) {
		const path = given === '-' ? '/dev/stdin' : given;
		const status = await onPath('open', path, async () => stat(path));
		if (status.isDirectory()) {
			const files = format === 'auto' || format === 'text' ? await textFilesIn(path, '') : [];
			if (files.length === 0) {
				const expected = format === 'auto' || format === 'text' ? 'a folder with .txt or .md files' : `a ${format} file`;
				throw new RetrievalError(
					'ERR_IO',
					`open ${path}: expected ${expected}, got a folder${expected.startsWith('a folder') ? ' without such files' : ''}`,
				);
			}
			inputs.push(...files);
			continue;
		}
		const isText = format === 'text' || (format === 'auto' && TEXT.test(path));
		inputs.push({path, id: isText ? basename(path) : undefined, bytes: status.isFile() ? status.size : 0});
	}
	checkIds(inputs);
	return inputs;
}

/** Lists the text files in a folder, sorted by path. Symbolic links to folders are left out, because they may form cycles. */
async function textFilesIn(root: string, folder: string): Promise<Input[]> {
	const entries = await onPath('read', join(root, folder), async () => readdir(join(root, folder), {withFileTypes: true}));
	const files: Input[] = [];
	for (const entry of entries.filter(({name}) => !name.startsWith('.')).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
		const path = join(root, folder, entry.name);
		if (entry.isDirectory()) {
			files.push(...(await textFilesIn(root, join(folder, entry.name))));
		} else if (TEXT.test(entry.name)) {
			const status = await onPath('open', path, async () => stat(path));
			if (status.isFile()) {
				files.push({path, id: relative(root, path).replaceAll(sep, '/'), bytes: status.size});
			}
		}
	}
	return files;
}

/** Fails if two text files would become the same document. */
function checkIds(inputs: readonly Input[]): void {
	const paths = new Map<string, string>();
	for (const {id, path} of inputs) {
		const other = id === undefined ? undefined : paths.get(id);
		if (other !== undefined) {
			throw new RetrievalError(
				'ERR_DUPLICATE_ID',
				`${path}: expected an id of its own, got "${id}", which ${other} has too; add a folder that contains both`,
			);
		}
		if (id !== undefined) {
			paths.set(id, path);
		}
	}
}
