/** The folder of a study's run: what decides its outcome, and files that are there whole or not at all. */
import {mkdir, readFile, stat} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {RetrievalError} from '../../core/errors.ts';
import {isMissing, onPath, pathError} from '../../core/file-system.ts';
import {replaceFile} from '../../core/files/replace-file.ts';

/** All that decides what a run finds, as JSON: the same configuration gives the same bytes. */
export const configurationFile = 'configuration.json';

/** Begins a run in a folder, or goes on with one of the same configuration. */
export async function beginRun(folder: string, configuration: object): Promise<void> {
	const path = join(folder, configurationFile);
	const text = await readFile(path, 'utf8').catch((error: unknown) => {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
			return undefined;
		}
		throw pathError('open', path, error);
	});
	if (text === undefined) {
		await writeWhole(path, json(configuration));
		return;
	}
	let known: unknown;
	try {
		known = JSON.parse(text);
	} catch (error) {
		throw new RetrievalError('ERR_FORMAT', `${path}: expected JSON, got ${(error as Error).message}`, {cause: error});
	}
	const other = difference(known, JSON.parse(json(configuration)), '');
	if (other) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`${folder}: expected a run of this configuration, got one with another ${other.at}: ${other.known} there, ${other.wanted} here; choose another output folder, or remove this one`,
		);
	}
}

/** Where two JSON values differ first. */
function difference(known: unknown, wanted: unknown, at: string): {at: string; known: string; wanted: string} | undefined {
	if (typeof known === 'object' && typeof wanted === 'object' && known !== null && wanted !== null) {
		for (const key of new Set([...Object.keys(known), ...Object.keys(wanted)])) {
			const [a, b] = [(known as Record<string, unknown>)[key], (wanted as Record<string, unknown>)[key]];
			const found = difference(a, b, at === '' ? key : `${at}.${key}`);
			if (found) {
				return found;
			}
		}
		return undefined;
	}
	return Object.is(known, wanted) ? undefined : {at, known: shownJson(known), wanted: shownJson(wanted)};
}

function shownJson(value: unknown): string {
	return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 80);
}

/** As all JSON files of a study are written. */
export function json(value: unknown): string {
	return `${JSON.stringify(value, undefined, '\t')}\n`;
}

/** Creates a folder of a study, including its parents. */
export async function makeFolder(path: string): Promise<void> {
	await onPath('write', path, async () => mkdir(path, {recursive: true}));
}

/** Whether a study already has this file or folder. */
export async function isThere(path: string): Promise<boolean> {
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

/** Reads a JSON file that a study has written. */
export async function readJson<T>(path: string): Promise<T> {
	const text = await onPath('open', path, async () => readFile(path, 'utf8'));
	try {
		return JSON.parse(text) as T;
	} catch (error) {
		throw new RetrievalError('ERR_FORMAT', `${path}: expected JSON, got ${(error as Error).message}`, {cause: error});
	}
}

/** Writes a file atomically, and creates its folder if necessary. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
	await makeFolder(dirname(path));
	await replaceFile(path, content);
}
