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

/** Where models of the Hugging Face hub come from and go to. */
export interface DownloadOptions extends CallOptions {
	/** Branch, tag or commit. @default 'main' */
	readonly revision?: string | undefined;
	/** Use the cache only. @default whether PASSAGEKIT_OFFLINE or HF_HUB_OFFLINE is set to something but 0 */
	readonly offline?: boolean | undefined;
	/** @default PASSAGEKIT_CACHE, else `.cache/passagekit` in the home folder */
	readonly cacheFolder?: string | undefined;
	/** @default HF_ENDPOINT, else the hub's own address */
	readonly endpoint?: string | undefined;
	/** Sent as a bearer token, to the endpoint alone; '' for none. @default HF_TOKEN */
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

/** A file of the hub, and what the hub says of it. */
interface Found {
	readonly file: string;
	readonly url: string;
	readonly facts: FileFacts;
}

const TOKENIZER = ['tokenizer.json'];
/** Of alternatives the first that the model has is taken. */
const GRAPH = ['onnx/model.onnx', 'model.onnx'];
const OPTIONAL = ['config.json', '1_Pooling/config.json'];

/** As often as other calls of the package report. */
const PROGRESS_INTERVAL_MS = 100;

/**
The local folder of a model of the hub, `owner/name`. What the cache has is taken from it without asking the hub again;
what it lacks is fetched: resumed where a fetch broke off, compared with the hub's checksum, and renamed into its place
when it is whole. Processes that want the same model wait for the one that fetches it. Progress counts the bytes of all
files together; what the cache had of them counts as done.
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
	// No two revisions share a folder: names have no `%`.
	const folder = join(cache, 'models', name.replace('/', '--'), encodeURIComponent(revision));
	if (await isComplete(folder, options)) {
		return folder;
	}
	if (offline) {
		// Put there by hand, or all but marked: the graph is the last file to come into its place.
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

/** The files to fetch, the graph last. All are of one commit, also if the branch moves meanwhile. */
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
	// Weights beside the graph, as exporters name them.
	others.push(...(await find([`${graph.file}_data`, `${graph.file}.data`])));
	return [tokenizer, ...others, graph];
}

async function fetchAll(found: readonly Found[], folder: string, {onProgress, ...options}: RequestOptions & CallOptions): Promise<void> {
	const sizes = found.map(({facts}) => facts.size);
	const total = sizes.includes(undefined) ? 0 : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
	let before = 0;
	let most = 0;
	let reported = Number.NEGATIVE_INFINITY;
	for (const {file, url, facts} of found) {
		let here = 0;
		await fetchFile(url, join(folder, file), facts, {
			...options,
			signal: options.signal,
			async onBytes(done) {
				here = done;
				// A server without ranges begins anew; the count waits until it has caught up.
				most = Math.max(most, before + done);
				if (performance.now() - reported >= PROGRESS_INTERVAL_MS && (total === 0 || most < total)) {
					reported = performance.now();
					await onProgress?.({done: most, total});
				}
			},
		});
		before += here;
	}
	await onProgress?.({done: before, total: before});
}

/** Whether all files are there that were fetched, as long as they were then. */
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

/** Names become folders and addresses: nothing may lead out of them, or make two models one. */
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
		// Not shown: messages end in logs.
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
