/** Resolves the name of a model to a local folder. */
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {packageRoot} from '../core/native/addon.ts';
import {checkString} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {isFolder} from '../core/file-system.ts';
import {checkOptions} from '../core/options.ts';
import {type DownloadOptions, downloadModel, downloadOptions} from './hub.ts';

/** How a model is found and, if it is on the Hugging Face hub, downloaded. */
export interface ModelOptions extends DownloadOptions {}

/** Selects the options for finding a model from all options of a call that loads one. */
export function modelOptions({signal, onProgress, revision, offline, cacheFolder, endpoint, token}: ModelOptions): ModelOptions {
	return {signal, onProgress, revision, offline, cacheFolder, endpoint, token};
}

/** passagekit's own models. They are in the separate package @passagekit/models because of their size. */
export const ownModels: readonly string[] = ['minilm-encoder', 'minilm-reader', 'minilm-mlm-head', 'tiny-encoder', 'tiny-reader'];

/**
Returns the local folder of a model. `model` is a folder, the name of one of passagekit's own models, or the name of a model on the Hugging
Face hub (`owner/name`), which is downloaded unless it is in the cache. Fails with `ERR_MODEL_MISSING` if there is no such model, and with
`ERR_DOWNLOAD` if a download fails.
*/
export async function resolveModel(model: string, options: ModelOptions = {}): Promise<string> {
	checkString('model', model);
	checkOptions('resolveModel', options, downloadOptions);
	if (isFolder(model)) {
		return resolve(model);
	}
	if (ownModels.includes(model)) {
		return ownModel(model);
	}
	if (/^[\w.-]+\/[\w.-]+$/u.test(model) && !model.startsWith('.')) {
		return downloadModel(model, options);
	}
	throw new RetrievalError(
		'ERR_MODEL_MISSING',
		`model: expected a folder, one of ${ownModels.join(', ')}, or owner/name on the Hugging Face hub, got "${model}"`,
	);
}

function ownModel(name: string): string {
	const candidates = [join(packageRoot, 'models', name)];
	for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
		try {
			candidates.push(join(dirname(createRequire(from).resolve('@passagekit/models/package.json')), name));
		} catch {}
	}
	const found = candidates.find(isFolder);
	if (!found) {
		throw new RetrievalError(
			'ERR_MODEL_MISSING',
			`model ${name}: expected the package @passagekit/models, which is not installed. Install it with \`npm install @passagekit/models\`, or name a model folder.`,
		);
	}
	return found;
}
