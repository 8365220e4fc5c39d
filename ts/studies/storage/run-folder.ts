/**
The folder of a study run. It contains the configuration, the results and everything that is expensive to compute, so an
interrupted study can be resumed. Every file is written atomically: it is either complete or missing.
*/
import {mkdir, readFile, stat} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {RetrievalError} from '../../core/errors.ts';
import {isMissing, onPath, pathError} from '../../core/file-system.ts';
import {replaceFile} from '../../core/files/replace-file.ts';

/** Names of the files and folders that all studies have. */
export const runFiles = {
	/** Everything that determines the results, as JSON. The same configuration gives the same results. */
	configuration: 'configuration.json',
	/** Passages with their indexes. */
	collection: 'collection',
	/** TREC runs. */
	runs: 'runs',
	markdown: 'report.md',
	html: 'report.html',
} as const;

/**
Stores the configuration of a study in its folder. Fails with `ERR_ARGUMENT` if the folder already has a different
configuration.
*/
export async function startRun(folder: string, configuration: object): Promise<void> {
	const path = join(folder, runFiles.configuration);
	const text = await readFile(path, 'utf8').catch((error: unknown) => {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
			return undefined;
		}
		throw pathError('open', path, error);
	});
	if (text === undefined) {
		await writeAtomically(path, toJson(configuration));
		return;
	}
	const conflict = firstDifference(parseJson(path, text), JSON.parse(toJson(configuration)), '');
	if (conflict) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`${folder}: expected a run of this configuration, got one with a different ${conflict.key}: ${conflict.existing} there, ${conflict.requested} here; choose another output folder, or remove this one`,
		);
	}
}

/**
A setting that has different values in two configurations. `key` is the path of the setting, such as `settings.depth`.
The values are JSON, cut off after 80 characters.
*/
interface Difference {
	readonly key: string;
	readonly existing: string;
	readonly requested: string;
}

/** Returns the first difference between two configurations, or between two of their settings, whose path is `key`. */
function firstDifference(existing: unknown, requested: unknown, key: string): Difference | undefined {
	if (typeof existing === 'object' && typeof requested === 'object' && existing !== null && requested !== null) {
		for (const inner of new Set([...Object.keys(existing), ...Object.keys(requested)])) {
			const [a, b] = [(existing as Record<string, unknown>)[inner], (requested as Record<string, unknown>)[inner]];
			const difference = firstDifference(a, b, key === '' ? inner : `${key}.${inner}`);
			if (difference) {
				return difference;
			}
		}
		return undefined;
	}
	return Object.is(existing, requested) ? undefined : {key, existing: shortJson(existing), requested: shortJson(requested)};
}

function shortJson(value: unknown): string {
	return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 80);
}

/** Formats a value as JSON, as in all JSON files of a study: indented with tabs, with a line feed at the end. */
export function toJson(value: unknown): string {
	return `${JSON.stringify(value, undefined, '\t')}\n`;
}

/** Reads a JSON file that a study has written. */
export async function readJson<T>(path: string): Promise<T> {
	return parseJson(path, await onPath('open', path, async () => readFile(path, 'utf8'))) as T;
}

function parseJson(path: string, text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw new RetrievalError('ERR_FORMAT', `${path}: expected JSON, got ${(error as Error).message}`, {cause: error});
	}
}

/** Creates a folder, including its parents. */
export async function makeFolder(path: string): Promise<void> {
	await onPath('write', path, async () => mkdir(path, {recursive: true}));
}

/** Returns whether a file or folder exists. An existing file is complete, because files are written atomically. */
export async function exists(path: string): Promise<boolean> {
	try {
		await stat(path);
		return true;
	} catch (error) {
		if (isMissing(error)) {
			return false;
		}
		throw pathError('open', path, error);
	}
}

/** Writes a file atomically, and creates its folder if necessary. */
export async function writeAtomically(path: string, content: string | Uint8Array): Promise<void> {
	await makeFolder(dirname(path));
	await replaceFile(path, content);
}
