/** The folders that a training run reads from and writes to. */
import {mkdir, readdir, realpath, stat} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {RetrievalError} from '../../core/errors.ts';
import {onPath} from '../../core/file-system.ts';
import {fingerprint} from '../../onnx/model-files.ts';
import {REPORT_FILE} from './report.ts';

/** The name of the file that a training run locks its output folder with. */
export const LOCK_FILE = 'lock';

/**
Creates the output folder. Fails with `ERR_ARGUMENT` if it has files but no `training.json`, so that it is not that of an earlier training run,
or if the model to start from, in the folder `model`, is in one of the folders `written`, which models are written to.
*/
export async function makeOutput(folder: string, model: string, written: readonly string[]): Promise<void> {
	const real = async (path: string): Promise<string> => realpath(path).catch(() => resolve(path));
	const writtenFolders = await Promise.all(written.map(real));
	if (writtenFolders.includes(await real(model))) {
		throw new RetrievalError('ERR_ARGUMENT', `output: expected another folder than that of the model to start from, got ${folder}`);
	}
	await onPath('create', folder, async () => mkdir(folder, {recursive: true}));
	const files = (await onPath('list', folder, async () => readdir(folder))).filter(name => name !== LOCK_FILE);
	if (files.length > 0 && !files.includes(REPORT_FILE)) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`output: expected an empty folder, or that of an earlier training run, got ${folder} with ${files.length} files`,
		);
	}
}

/** Identifies the weights, the tokenizer and the configuration of the model to start from. */
export async function modelFingerprint(model: string): Promise<string> {
	const isFile = async (name: string): Promise<boolean> => (await stat(join(model, name)).catch(() => undefined))?.isFile() ?? false;
	const config = (await isFile('config.json')) ? [join(model, 'config.json')] : [];
	for (const name of ['model.safetensors', 'model.onnx', 'onnx/model.onnx']) {
		if (await isFile(name)) {
			return fingerprint([join(model, name), join(model, 'tokenizer.json'), ...config]);
		}
	}
	throw new RetrievalError('ERR_MODEL', `model ${model}: expected a folder with model.safetensors or model.onnx, got none there`);
}
