import {mkdir, stat, writeFile} from 'node:fs/promises';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {checkString} from '../check.ts';
import {RetrievalError} from '../errors.ts';
import type {CallOptions} from '../types.ts';
import {fetchFile} from './download.ts';

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
	/** Sent as a bearer token. @default HF_TOKEN */
	readonly token?: string | undefined;
}

/** What a model folder may have. Of the alternatives of a set the first that exists is taken. */
const files: ReadonlyArray<{readonly names: readonly string[]; readonly required: boolean}> = [
	{names: ['tokenizer.json'], required: true},
	{names: ['config.json'], required: false},
	{names: ['1_Pooling/config.json'], required: false},
	{names: ['onnx/model.onnx', 'model.onnx'], required: true},
	{names: ['onnx/model.onnx_data', 'model.onnx_data'], required: false},
];

/**
The local folder of a model of the hub, `owner/name`. What the cache has is taken from it without asking the hub again;
what it lacks is fetched: resumed where a fetch broke off, compared with the hub's checksum, and renamed into its place
when it is whole. Progress counts bytes.
*/
export async function downloadModel(name: string, options: DownloadOptions = {}): Promise<string> {
	checkString('model', name);
	const {revision = 'main', offline = offlineByEnvironment(), signal} = options;
	if (!/^[\w.-]+\/[\w.-]+$/u.test(name) || !/^[\w./-]+$/u.test(revision) || `${name}/${revision}`.split('/').includes('..')) {
		throw new RetrievalError('ERR_ARGUMENT', `model: expected owner/name and a revision, got "${name}" and "${revision}"`);
	}
	signal?.throwIfAborted();
	const cache = options.cacheFolder ?? process.env['PASSAGEKIT_CACHE'] ?? join(homedir(), '.cache', 'passagekit');
	const folder = join(cache, 'models', name.replace('/', '--'), revision.replaceAll('/', '--'));
	const complete = join(folder, 'complete.json');
	if (await exists(complete)) {
		return folder;
	}
	if (offline) {
		throw new RetrievalError('ERR_MODEL_MISSING', `model ${name}: expected it in the cache at ${folder}, since fetching is off (offline). Fetch it once with \`offline: false\`, or put its files there.`);
	}
	const endpoint = (options.endpoint ?? process.env['HF_ENDPOINT'] ?? 'https://huggingface.co').replace(/\/$/u, '');
	const token = options.token ?? process.env['HF_TOKEN'];
	const headers: Record<string, string> = {'user-agent': 'passagekit', ...(token ? {authorization: `Bearer ${token}`} : {})};
	await mkdir(folder, {recursive: true});
	const fetched: string[] = [];
	for (const {names, required} of files) {
		let found = false;
		for (const file of names) {
			const url = `${endpoint}/${name}/resolve/${revision}/${file}`;
			found = await fetchFile(url, join(folder, file), {...options, headers});
			if (found) {
				fetched.push(file);
				break;
			}
		}
		if (required && !found) {
			throw new RetrievalError('ERR_DOWNLOAD', `model ${name}: expected ${names.join(' or ')} at revision ${revision} on the hub, got none. Models need an ONNX export.`);
		}
	}
	await writeFile(complete, `${JSON.stringify({model: name, revision, files: fetched})}\n`);
	return folder;
}


function offlineByEnvironment(): boolean {
	return ['PASSAGEKIT_OFFLINE', 'HF_HUB_OFFLINE'].some(name => !['', '0', undefined].includes(process.env[name]));
}

async function exists(path: string): Promise<boolean> {
	return Boolean(await stat(path).catch(() => undefined));
}
