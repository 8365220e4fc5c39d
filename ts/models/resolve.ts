/** Resolves the name of a model to a local folder. */
import module from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {packageRoot} from '../core/native/addon.ts';
import {codeLocation, resolveInProgram} from '../core/native/program-packages.ts';
import {checkOneOf, checkString} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {isFolder} from '../core/file-system.ts';
import {checkOptions} from '../core/options.ts';
import {type DownloadOptions, type ModelUse, downloadModel, downloadOptions} from './hub.ts';

/** How a model is found and, if it is on the Hugging Face hub, downloaded. */
export interface ModelOptions extends DownloadOptions {}

/** Selects the options for finding a model from all options of a call that loads one. */
export function modelOptions({signal, onProgress, revision, offline, cacheFolder, endpoint, token}: ModelOptions): ModelOptions {
	return {signal, onProgress, revision, offline, cacheFolder, endpoint, token};
}

// `@vercel/nft` follows only calls of the form `module.createRequire`; see `platform-packages.ts`.
const require = module.createRequire(codeLocation);

/**
Loads the packages with passagekit's own models. They are separate packages because of their size. The names are literal, so that tools that
trace a program's files, such as `@vercel/nft`, find the packages that are installed.
*/
const modelPackages: Readonly<Record<string, () => {readonly folder: string}>> = {
	'minilm-encoder': () => require('@passagekit/minilm-encoder') as {folder: string},
	'minilm-reader': () => require('@passagekit/minilm-reader') as {folder: string},
	'minilm-mlm-head': () => require('@passagekit/minilm-mlm-head') as {folder: string},
};

/** The names of passagekit's own models. Those without a package are for tests and exist only in a checkout. */
export const ownModels: readonly string[] = [...Object.keys(modelPackages), 'tiny-encoder', 'tiny-reader'];

/**
Returns the local folder of a model. `model` is a folder, the name of one of passagekit's own models, or the name of a model on the Hugging
Face hub (`owner/name`), which is downloaded unless it is in the cache. Fails with `ERR_MODEL_MISSING` if there is no such model, and with
`ERR_DOWNLOAD` if a download fails.
*/
export async function resolveModel(model: string, options: ModelOptions = {}, use: ModelUse = 'inference'): Promise<string> {
	checkString('model', model);
	checkOptions('resolveModel', options, downloadOptions);
	checkOneOf('use', use, ['inference', 'training']);
	if (isFolder(model)) {
		return resolve(model);
	}
	if (ownModels.includes(model)) {
		return ownModel(model);
	}
	if (/^[\w.-]+\/[\w.-]+$/u.test(model) && !model.startsWith('.')) {
		return downloadModel(model, options, use);
	}
	throw new RetrievalError(
		'ERR_MODEL_MISSING',
		`model: expected a folder, one of ${ownModels.join(', ')}, or owner/name on the Hugging Face hub, got "${model}"`,
	);
}

/** Returns the folder of one of passagekit's own models. Fails with `ERR_MODEL_MISSING` if it is not installed. */
function ownModel(name: string): string {
	const found = ownModelFolder(name);
	if (found === undefined) {
		const expected =
			name in modelPackages
				? `expected the package @passagekit/${name}, which is not installed. Install it with \`npm install @passagekit/${name}\``
				: 'expected a checkout of passagekit: this model is for tests, and no npm package contains it. Use minilm-encoder or minilm-reader';
		throw new RetrievalError('ERR_MODEL_MISSING', `model ${name}: ${expected}, or name a model folder.`);
	}
	return found;
}

/** Returns the folder of one of passagekit's own models, or `undefined` if it is not installed. */
export function ownModelFolder(name: string): string | undefined {
	const inCheckout = join(packageRoot, 'models', name);
	if (isFolder(inCheckout)) {
		return inCheckout;
	}
	try {
		const folder = modelPackages[name]?.().folder;
		if (folder !== undefined && isFolder(folder)) {
			return folder;
		}
	} catch {}
	const manifest = resolveInProgram(`@passagekit/${name}/package.json`);
	return manifest === undefined ? undefined : dirname(manifest);
}
