/** Downloads models from the Hugging Face hub to the cache. */
import {mkdir, readFile, rename, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {checkBoolean, checkOneOf, checkString} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {onPath} from '../core/file-system.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import type {CallOptions} from '../core/types.ts';
import {cacheFolderOf} from './cache.ts';
import {type FileInfo, type RequestOptions, requestFileInfo, fetchFile} from './download.ts';
import {whileLocked} from './lock.ts';

/** Options for downloading models from the Hugging Face hub. Names in capitals are environment variables. */
export interface DownloadOptions extends CallOptions {
	/** Branch, tag or commit of the model. @default 'main' */
	readonly revision?: string | undefined;
	/** Uses only the cache and downloads nothing. @default true if PASSAGEKIT_OFFLINE or HF_HUB_OFFLINE is set to a value other than 0 */
	readonly offline?: boolean | undefined;
	/** Folder of downloaded models. @default PASSAGEKIT_CACHE, else `.cache/passagekit` in the home folder */
	readonly cacheFolder?: string | undefined;
	/** URL of the hub or of a mirror. @default HF_ENDPOINT, else `https://huggingface.co` */
	readonly endpoint?: string | undefined;
	/** Bearer token, which is sent only to the endpoint; '' for no token. @default HF_TOKEN */
	readonly token?: string | undefined;
}

/** The names of `DownloadOptions`, for calls with additional options. */
export const downloadNames = {
	...callNames,
	revision: true,
	offline: true,
	cacheFolder: true,
	endpoint: true,
	token: true,
} as const;
export const downloadOptions: OptionNames = optionNames<DownloadOptions>(downloadNames);

/** A file to download, with its size and checksum according to the server. */
interface HubFile {
	readonly file: string;
	readonly url: string;
	readonly info: FileInfo;
}

const TOKENIZER = ['tokenizer.json'];
/** Possible names of the ONNX file of a model. The first file that exists is downloaded. */
const ONNX_MODEL = ['onnx/model.onnx', 'model.onnx'];
/** The file with the weights for training. */
const SAFETENSORS = 'model.safetensors';

/** What a model is downloaded for: `training` prefers `model.safetensors` to ONNX files, whose weights may be quantized. */
export type ModelUse = 'inference' | 'training';
/** Files that are downloaded if they exist. */
const OPTIONAL = ['config.json', '1_Pooling/config.json'];

/** Interval between two progress reports, the same as in native calls. */
const PROGRESS_INTERVAL_MS = 100;

/**
Returns the local folder of a model on the Hugging Face hub, after downloading the files that are not in the cache. `name` has the form
`owner/name`. For `use` 'training', the weights are those in `model.safetensors`, in a folder of their own; if the model does not have this file
(weights that are split into several files are not found), the folder is that for 'inference'.

If all files are in the cache, no request is made. A broken download is resumed, files are compared with the hub's checksums, and a file gets its
final name only when it is complete. If several processes need the same model, one downloads it and the others wait.

Fails with `ERR_DOWNLOAD` if a file cannot be downloaded or the model lacks weights or a tokenizer, and with `ERR_MODEL_MISSING` if
`offline` is set and the model is not in the cache. Progress counts the bytes of all files together, including those in the cache.
*/
export async function downloadModel(name: string, options: DownloadOptions = {}, use: ModelUse = 'inference'): Promise<string> {
	checkOneOf('use', use, ['inference', 'training']);
	const folder = await download(name, options, use);
	return use === 'training' && !(await firstExisting(folder, [SAFETENSORS])) ? download(name, options, 'inference') : folder;
}

/** Downloads the files for one use. For training, the folder has no files if the model has no `model.safetensors`. */
async function download(name: string, options: DownloadOptions, use: ModelUse): Promise<string> {
	checkOptions('downloadModel', options, downloadOptions);
	const {revision = 'main', offline = offlineByEnvironment(), signal} = options;
	checkBoolean('offline', offline);
	checkNames(name, revision);
	const cache = cacheFolderOf(options.cacheFolder);
	const endpoint = endpointOf(options);
	const headers = headersOf(options);
	signal?.throwIfAborted();
	// Names contain no `%`, so two revisions never share a folder.
	const folder = join(cache, use === 'inference' ? 'models' : use, name.replace('/', '--'), encodeURIComponent(revision));
	// Offline, a model that is not in the folder for training may be in that for inference.
	if ((await isComplete(folder, options)) || (offline && use === 'training')) {
		return folder;
	}
	if (offline) {
		// Without `complete.json`, the files may have been copied by hand, or the process was killed just before it wrote that file. The
		// ONNX file is downloaded last, so if it exists, the others do too.
		if (
			!(await firstExisting(folder, ['complete.json'])) &&
			(await firstExisting(folder, TOKENIZER)) &&
			(await firstExisting(folder, ONNX_MODEL))
		) {
			return folder;
		}
		throw new RetrievalError(
			'ERR_MODEL_MISSING',
			`model ${name}: expected the model in the cache at ${folder}, since downloads are off (offline). Download it once with \`offline: false\`, or copy its files there.`,
		);
	}
	await onPath('write', folder, async () => mkdir(folder, {recursive: true}));
	await whileLocked(join(folder, '.lock'), signal, async () => {
		if (!(await isComplete(folder, options))) {
			const files = await findFiles({name, revision, use}, endpoint, {headers, signal});
			// A model that has only an ONNX file has no files here, which the folder's `complete.json` says.
			await fetchAll(files, folder, {headers, signal, onProgress: options.onProgress});
			await markComplete(
				folder,
				{model: name, revision, commit: files[0]?.info.commit},
				files.map(({file}) => file),
			);
		}
	});
	return folder;
}

/**
Finds the files to download, the weights last; none for training if the model has no `model.safetensors`. All files belong to the same commit,
even if the branch moves meanwhile.
*/
async function findFiles(
	{name, revision, use}: {readonly name: string; readonly revision: string; readonly use: ModelUse},
	endpoint: string,
	options: RequestOptions,
): Promise<HubFile[]> {
	// The first response says to which commit the revision resolves; the other files are requested from that commit.
	let commit = revision;
	const address = (file: string): string => `${endpoint}/${name}/resolve/${encodeURIComponent(commit)}/${file}`;
	const find = async (names: readonly string[]): Promise<HubFile[]> => {
		for (const file of names) {
			const info = await requestFileInfo(address(file), options);
			if (info) {
				commit = info.commit ?? commit;
				return [{file, url: address(file), info}];
			}
		}
		return [];
	};
	const required = async (names: readonly string[], advice = ''): Promise<HubFile> => {
		const [found] = await find(names);
		if (!found) {
			throw new RetrievalError(
				'ERR_DOWNLOAD',
				`model ${name}: expected ${names.join(' or ')} at revision ${revision} on the hub, got none.${advice}`,
			);
		}
		return found;
	};
	if (use === 'training') {
		const weights = await find([SAFETENSORS]);
		if (weights.length === 0) {
			return [];
		}
		const config = await required(['config.json'], ' Training needs the configuration of the weights.');
		return [
			await required(TOKENIZER, ' Models need the tokenizer in this form.'),
			config,
			...(await find(['1_Pooling/config.json'])),
			...weights,
		];
	}
	const tokenizer = await required(TOKENIZER, ' Models need the tokenizer in this form.');
	const onnx = await required(ONNX_MODEL, ' Models need an ONNX export.');
	const others: HubFile[] = [];
	for (const file of OPTIONAL) {
		others.push(...(await find([file])));
	}
	// Large models have their weights in a second file, which has one of these names.
	others.push(...(await find([`${onnx.file}_data`, `${onnx.file}.data`])));
	return [tokenizer, ...others, onnx];
}

async function fetchAll(files: readonly HubFile[], folder: string, {onProgress, ...options}: RequestOptions & CallOptions): Promise<void> {
	const sizes = files.map(({info}) => info.size);
	const total = sizes.includes(undefined) ? 0 : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
	let previousFiles = 0;
	let maxDone = 0;
	let reportedAt = Number.NEGATIVE_INFINITY;
	for (const {file, url, info} of files) {
		let thisFile = 0;
		await fetchFile(url, join(folder, file), info, {
			...options,
			signal: options.signal,
			async onBytes(done) {
				thisFile = done;
				// If a server does not support range requests, a broken download starts over, but the reported progress must not decrease.
				maxDone = Math.max(maxDone, previousFiles + done);
				if (performance.now() - reportedAt >= PROGRESS_INTERVAL_MS && (total === 0 || maxDone < total)) {
					reportedAt = performance.now();
					await onProgress?.({done: maxDone, total});
				}
			},
		});
		previousFiles += thisFile;
	}
	await onProgress?.({done: previousFiles, total: previousFiles});
}

/** Whether all files in `complete.json` exist and have the sizes that it records. If so, reports complete progress. */
async function isComplete(folder: string, {onProgress}: CallOptions): Promise<boolean> {
	let bytes = 0;
	try {
		const {files} = JSON.parse(await readFile(join(folder, 'complete.json'), 'utf8')) as {files: Record<string, number>};
		for (const [file, size] of Object.entries(files)) {
			if ((await stat(join(folder, file))).size !== size) {
				return false;
			}
			bytes += size;
		}
	} catch {
		return false;
	}
	await onProgress?.({done: bytes, total: bytes});
	return true;
}

/** Writes `complete.json`, which marks a complete download: its origin, and the sizes of its files. */
async function markComplete(folder: string, origin: Readonly<Record<string, string | undefined>>, names: readonly string[]): Promise<void> {
	const path = join(folder, 'complete.json');
	await onPath('write', path, async () => {
		const files = Object.fromEntries(await Promise.all(names.map(async name => [name, (await stat(join(folder, name))).size] as const)));
		await writeFile(`${path}.part`, `${JSON.stringify({...origin, files})}\n`);
		await rename(`${path}.part`, path);
	});
}

/** Checks a name and a revision. They become parts of paths and URLs, and must lead only to the folder and the files of this model. */
function checkNames(name: string, revision: string): void {
	checkString('model', name);
	checkString('revision', revision);
	const parts = [...name.split('/'), ...revision.split('/')];
	const isPlain = parts.every(part => /^[\w.-]+$/u.test(part) && !/^\.+$/u.test(part));
	if (!isPlain || name.split('/').length !== 2 || name.includes('--')) {
		throw new RetrievalError('ERR_ARGUMENT', `model: expected owner/name and a revision, got "${name}" and "${revision}"`);
	}
}

function endpointOf(options: DownloadOptions): string {
	const endpoint = options.endpoint ?? (process.env['HF_ENDPOINT'] || 'https://huggingface.co');
	checkString('endpoint', endpoint);
	if (!URL.canParse(endpoint) || !/^https?:$/u.test(new URL(endpoint).protocol)) {
		throw new RetrievalError('ERR_ARGUMENT', `endpoint: expected an address that begins with https:// or http://, got "${endpoint}"`);
	}
	return endpoint.replace(/\/+$/u, '');
}

function headersOf(options: DownloadOptions): Record<string, string> {
	const token = options.token ?? process.env['HF_TOKEN'] ?? '';
	checkString('token', token);
	if (!/^[\u0021-\u007E]*$/u.test(token.trim())) {
		// The message does not contain the token, because messages end up in logs.
		throw new RetrievalError('ERR_ARGUMENT', 'token: expected visible ASCII characters, got others');
	}
	return {'user-agent': 'passagekit', ...(token.trim() === '' ? {} : {authorization: `Bearer ${token.trim()}`})};
}

function offlineByEnvironment(): boolean {
	return ['PASSAGEKIT_OFFLINE', 'HF_HUB_OFFLINE'].some(name => !['', '0', undefined].includes(process.env[name]));
}

async function firstExisting(folder: string, names: readonly string[]): Promise<string | undefined> {
	for (const name of names) {
		if ((await stat(join(folder, name)).catch(() => undefined))?.isFile()) {
			return name;
		}
	}
	return undefined;
}
