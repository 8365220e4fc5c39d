/** Finds and reads the files of a model folder: the ONNX graph, the tokenizer and the JSON settings. */
import {createHash} from 'node:crypto';
import {createReadStream} from 'node:fs';
import {readFile, stat} from 'node:fs/promises';
import {availableParallelism} from 'node:os';
import {join} from 'node:path';
import {RetrievalError} from '../core/errors.ts';
import {onPath, pathError} from '../core/file-system.ts';
import type {Binding} from '../core/native/native.ts';
import type {RuntimeChoice} from './runtime-choice.ts';
import {findRuntimeLibrary} from './runtime-library.ts';

/** `config.json` of a model: Hugging Face's fields, and passagekit's own under `passagekit`. */
export interface ModelConfig {
	readonly [key: string]: unknown;
	readonly passagekit?: Readonly<Record<string, unknown>>;
}

/** Maximum size of a model's JSON settings file, in bytes. */
const MAX_JSON_BYTES = 16 * 2 ** 20;

/**
Finds the files of a model folder that native code needs, and the ONNX Runtime library. Exporters write the graph to `model.onnx` or
to `onnx/model.onnx`. `threads` is the number of threads; 0 means all cores.
*/
export async function modelFiles(folder: string, runtime: RuntimeChoice, threads: number): Promise<Binding.ModelFiles> {
	const model = await firstFile(folder, ['model.onnx', 'onnx/model.onnx']);
	const tokenizer = await tokenizerFile(folder);
	return {runtime, ...onnxRuntimeLibrary(runtime), model, tokenizer, threads: threads || availableParallelism()};
}

/**
Finds the ONNX Runtime library. With `auto`, a missing library is not an error yet, because passagekit may be able to run the model: the
reason is returned as `missingLibrary`.
*/
function onnxRuntimeLibrary(runtime: RuntimeChoice): {library?: string; missingLibrary?: string} {
	if (runtime === 'passagekit') {
		return {};
	}
	try {
		return {library: findRuntimeLibrary().path};
	} catch (error) {
		if (runtime === 'auto' && error instanceof RetrievalError) {
			return {missingLibrary: error.message};
		}
		throw error;
	}
}

/** Finds the tokenizer of a model folder. */
export async function tokenizerFile(folder: string): Promise<string> {
	return firstFile(folder, ['tokenizer.json']);
}

/** Returns the path of the first of `names` that is a file in the folder. Fails with `ERR_MODEL` if there is none. */
async function firstFile(folder: string, names: readonly string[]): Promise<string> {
	for (const name of names) {
		const path = join(folder, name);
		if ((await stat(path).catch(() => undefined))?.isFile()) {
			return path;
		}
	}
	throw new RetrievalError('ERR_MODEL', `model ${folder}: expected a folder with ${names.join(' or ')}, got none there`);
}

/** Reads a JSON file of a model folder. Resolves to `undefined` if it does not exist. */
export async function readModelJson(folder: string, name: string): Promise<ModelConfig | undefined> {
	const path = join(folder, name);
	let text;
	try {
		const found = await stat(path);
		// Opening a FIFO would wait for a writer. A folder passes this check, but reading it fails below.
		if (!found.isFile() && !found.isDirectory()) {
			throw new RetrievalError('ERR_IO', `open ${path}: expected a regular file, got something else`);
		}
		if (found.size > MAX_JSON_BYTES) {
			throw new RetrievalError('ERR_MODEL', `${path}: expected at most ${MAX_JSON_BYTES} bytes, got ${found.size}`);
		}
		text = await readFile(path, 'utf8');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
			return undefined;
		}
		throw pathError('open', path, error);
	}
	try {
		return JSON.parse(text) as ModelConfig;
	} catch (error) {
		throw new RetrievalError('ERR_MODEL', `model ${folder}: expected JSON in ${name}, got ${(error as Error).message}`, {cause: error});
	}
}

/** Returns the first 16 hexadecimal digits of the SHA-256 of the concatenated contents of the files. */
export async function fingerprint(paths: readonly string[]): Promise<string> {
	const hash = createHash('sha256');
	for (const path of paths) {
		await onPath('read', path, async () => {
			for await (const chunk of createReadStream(path, {highWaterMark: 1 << 18})) {
				hash.update(chunk as Buffer);
			}
		});
	}
	return hash.digest('hex').slice(0, 16);
}
