/**
Hashes the inputs of a study, which are files and models. The results of a study contain the name of each input,
without its folder, and the SHA-256 of its content. On one machine, the same hashes and settings give the same results.
*/
import {createHash} from 'node:crypto';
import {createReadStream} from 'node:fs';
import {readdir, stat} from 'node:fs/promises';
import {basename, join, relative, resolve} from 'node:path';
import {isFolder, onPath} from '../../core/file-system.ts';
import {resolveModel} from '../../models/index.ts';

/** A file of passages, questions or judgments. */
export interface StudyInput {
	/** Number of passages, questions or judged questions that the study uses. */
	readonly count: number;
	/** File name without its folder. */
	readonly name?: string;
	/** SHA-256 of the content. */
	readonly sha256: string;
}

/** An encoder, a reader or a masked-language-model head. */
export interface StudyModel {
	/** Name of the model's folder, or the name by which `resolveModel` finds the model. */
	readonly name: string;
	/** SHA-256 of the names and contents of the model's files. */
	readonly sha256: string;
}

/** Hashes a file. `count` is the number of its passages or questions that the study uses. */
export async function hashedFile(path: string, count: number, signal: AbortSignal | undefined): Promise<StudyInput> {
	return {count, name: basename(path), sha256: await sha256(path, signal)};
}

/** Returns the folder of a model that training starts from: see `resolveModel`. */
export const trainingModel = async (model: string, signal: AbortSignal | undefined): Promise<string> =>
	resolveModel(model, {signal}, 'training');

/** Finds a model by its folder or name, and hashes its files. */
export async function hashedModel(model: string, signal: AbortSignal | undefined): Promise<StudyModel> {
	return {name: modelName(model), sha256: await sha256(await resolveModel(model, {signal}), signal)};
}

/**
Returns the name that reports show for a model. For a folder, it is the last part of the path, because reports must not
contain local paths; other names stay as they are.
*/
export function modelName(model: string): string {
	return isFolder(model) ? basename(resolve(model)) : model;
}

/** Returns the SHA-256 of a file or, for a folder, of the names and contents of all its files, ordered by name. */
export async function sha256(path: string, signal: AbortSignal | undefined): Promise<string> {
	const hash = createHash('sha256');
	const update = async (file: string): Promise<void> =>
		onPath('read', file, async () => {
			try {
				for await (const chunk of createReadStream(file, {signal})) {
					hash.update(chunk as Buffer);
				}
			} catch (error) {
				signal?.throwIfAborted();
				throw error;
			}
		});
	if (!(await onPath('open', path, async () => stat(path))).isDirectory()) {
		await update(path);
		return hash.digest('hex');
	}
	const entries = await onPath('read', path, async () => readdir(path, {recursive: true, withFileTypes: true}));
	const files = entries.filter(entry => entry.isFile()).map(entry => relative(path, join(entry.parentPath, entry.name)));
	for (const file of files.toSorted()) {
		hash.update(`${file}\0`);
		await update(join(path, file));
	}
	return hash.digest('hex');
}
