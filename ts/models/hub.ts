/** Downloads models from the Hugging Face hub to the cache. */
import {mkdir, readFile, rename, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {checkBoolean, checkString} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {onPath} from '../core/file-system.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import type {CallOptions} from '../core/types.ts';
import {cacheFolderOf} from './cache.ts';
import {type FileFacts, type RequestOptions, askFacts, fetchFile} from './download.ts';
import {whileLocked} from './lock.ts';

/** Options for downloading models from the Hugging Face hub. */
export interface DownloadOptions extends CallOptions {
	/** Branch, tag or commit. @default 'main' */
	readonly revision?: string | undefined;
	/** Use only the cache. @default true if PASSAGEKIT_OFFLINE or HF_HUB_OFFLINE is set to a value other than 0 */
	readonly offline?: boolean | undefined;
	/** @default PASSAGEKIT_CACHE, else `.cache/passagekit` in the home folder */
	readonly cacheFolder?: string | undefined;
	/** @default HF_ENDPOINT, else the hub's own address */
	readonly endpoint?: string | undefined;
	/** Bearer token, which is sent only to the endpoint; '' for none. @default HF_TOKEN */
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

/** A file of the hub and its facts. */
interface Found {
	readonly file: string;
	readonly url: string;
	readonly facts: FileFacts;
}

const TOKENIZER = ['tokenizer.json'];
/** Alternative names of the graph. The first that the model has is downloaded. */
const GRAPH = ['onnx/model.onnx', 'model.onnx'];
const OPTIONAL = ['config.json', '1_Pooling/config.json'];

/** The same interval as in native calls. */
const PROGRESS_INTERVAL_MS = 100;

/**
Returns the local folder of the hub's model `name`, which has the form `owner/name`. A model that is in the cache is used without a
request to the hub. Missing files are downloaded: a broken download is resumed, the file is compared with the hub's checksum, and it
gets its final name when it is complete. If several processes want the same model, one downloads it and the others wait. Progress
counts the bytes of all files together, including those that were already in the cache.
*/
export async function downloadModel(name: string, options: DownloadOptions = {}): Promise<string> {
	checkOptions('downloadModel', options, downloadOptions);
	const {revision = 'main', offline = offlineByEnvironment(), signal} = options;
	checkBoolean('offline', offline);
	checkNames(name, revision);
	const cache = cacheFolderOf(options.cacheFolder);
	const endpoint = endpointOf(options);
	const headers = headersOf(options);
	signal?.throwIfAborted();
	// Names contain no `%`, so two revisions never share a folder.
	const folder = join(cache, 'models', name.replace('/', '--'), encodeURIComponent(revision));
	if (await isComplete(folder, options)) {
		return folder;
	}
	if (offline) {
		// Accepts files that were copied here by hand, and a complete download that was not marked yet: the graph is downloaded last.
		if (!(await firstOf(folder, ['complete.json'])) && (await firstOf(folder, TOKENIZER)) && (await firstOf(folder, GRAPH))) {
			return folder;
		}
		throw new RetrievalError(
			'ERR_MODEL_MISSING',
			`model ${name}: expected it in the cache at ${folder}, since fetching is off (offline). Fetch it once with \`offline: false\`, or put its files there.`,
		);
	}
	await onPath('write', folder, async () => mkdir(folder, {recursive: true}));
	await whileLocked(join(folder, '.lock'), signal, async () => {
		if (!(await isComplete(folder, options))) {
			const found = await findFiles(name, revision, endpoint, {headers, signal});
			await fetchAll(found, folder, {headers, signal, onProgress: options.onProgress});
			await markComplete(
				folder,
				{model: name, revision, commit: found[0]?.facts.commit},
				found.map(({file}) => file),
			);
		}
	});
	return folder;
}

/** Finds the files to download, the graph last. All of them are of the same commit, even if the branch moves meanwhile. */
async function findFiles(name: string, revision: string, endpoint: string, options: RequestOptions): Promise<Found[]> {
	let at = revision;
	const address = (file: string): string => `${endpoint}/${name}/resolve/${encodeURIComponent(at)}/${file}`;
	const find = async (names: readonly string[]): Promise<Found[]> => {
		for (const file of names) {
			const facts = await askFacts(address(file), options);
			if (facts) {
				at = facts.commit ?? at;
				return [{file, url: address(file), facts}];
			}
		}
		return [];
	};
	const required = async (names: readonly string[], advice = ''): Promise<Found> => {
		const [found] = await find(names);
		if (!found) {
			throw new RetrievalError(
				'ERR_DOWNLOAD',
				`model ${name}: expected ${names.join(' or ')} at revision ${revision} on the hub, got none.${advice}`,
			);
		}
		return found;
	};
	const tokenizer = await required(TOKENIZER, ' Models need the tokenizer in this form.');
	const graph = await required(GRAPH, ' Models need an ONNX export.');
	const others: Found[] = [];
	for (const file of OPTIONAL) {
		others.push(...(await find([file])));
	}
	// External weights next to the graph, under the names that exporters use.
	others.push(...(await find([`${graph.file}_data`, `${graph.file}.data`])));
	return [tokenizer, ...others, graph];
}

async function fetchAll(found: readonly Found[], folder: string, {onProgress, ...options}: RequestOptions & CallOptions): Promise<void> {
	const sizes = found.map(({facts}) => facts.size);
	const total = sizes.includes(undefined) ? 0 : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
	let before = 0;
	let maxDone = 0;
	let reported = Number.NEGATIVE_INFINITY;
	for (const {file, url, facts} of found) {
		let here = 0;
		await fetchFile(url, join(folder, file), facts, {
			...options,
			signal: options.signal,
			async onBytes(done) {
				here = done;
				// If a server does not support range requests, a download starts again. Progress never decreases.
				maxDone = Math.max(maxDone, before + done);
				if (performance.now() - reported >= PROGRESS_INTERVAL_MS && (total === 0 || maxDone < total)) {
					reported = performance.now();
					await onProgress?.({done: maxDone, total});
				}
			},
		});
		before += here;
	}
	await onProgress?.({done: before, total: before});
}

/** Whether all downloaded files exist and have their recorded sizes. */
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

async function markComplete(folder: string, origin: Readonly<Record<string, string | undefined>>, names: readonly string[]): Promise<void> {
	const path = join(folder, 'complete.json');
	await onPath('write', path, async () => {
		const files = Object.fromEntries(await Promise.all(names.map(async name => [name, (await stat(join(folder, name))).size] as const)));
		await writeFile(`${path}.part`, `${JSON.stringify({...origin, files})}\n`);
		await rename(`${path}.part`, path);
	});
}

/** Names become parts of paths and URLs, so they must not lead out of a folder or make two models share one. */
function checkNames(name: string, revision: string): void {
	checkString('model', name);
	checkString('revision', revision);
	const parts = [...name.split('/'), ...revision.split('/')];
	const plain = parts.every(part => /^[\w.-]+$/u.test(part) && !/^\.+$/u.test(part));
	if (!plain || name.split('/').length !== 2 || name.includes('--')) {
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
		throw new RetrievalError('ERR_ARGUMENT', 'token: expected letters, digits and signs, got other characters');
	}
	return {'user-agent': 'passagekit', ...(token.trim() === '' ? {} : {authorization: `Bearer ${token.trim()}`})};
}

function offlineByEnvironment(): boolean {
	return ['PASSAGEKIT_OFFLINE', 'HF_HUB_OFFLINE'].some(name => !['', '0', undefined].includes(process.env[name]));
}

async function firstOf(folder: string, names: readonly string[]): Promise<string | undefined> {
	for (const name of names) {
		if ((await stat(join(folder, name)).catch(() => undefined))?.isFile()) {
			return name;
		}
	}
	return undefined;
}
