/**
The manifest of a collection that `buildCollection` built: its format, its parts, and the encoder of its vectors. An updatable collection
has another manifest in a file of the same name, which `crates/collection` writes; `versionOf` tells the two kinds apart.
*/
import {Buffer} from 'node:buffer';
import {open, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {RetrievalError} from '../core/errors.ts';
import {isMissing, pathError} from '../core/file-system.ts';
import {replaceFile} from '../core/files/replace-file.ts';

/** The encoder that computed a collection's vectors. */
export interface EncoderRecord {
	/** A model folder, one of passagekit's own models, or the name of a model on the Hugging Face hub. */
	readonly model: string;
	/** `Encoder.identity` of the encoder. Searches with an encoder of a different identity are rejected. */
	readonly identity: string;
	/** Number of dimensions of the vectors. */
	readonly dim: number;
	/** Whether the vectors have unit length. */
	readonly unit: boolean;
	/** The question encoder, if it differs from that of passages. */
	readonly questions?: {readonly model: string; readonly identity: string};
}

/** The file `passagekit.json` of a collection. A build writes it last, so a folder without this file is not a complete collection. */
export interface Manifest {
	readonly format: 'passagekit-collection';
	/** The version of the format. */
	readonly version: 1;
	/** Number of passages. */
	readonly passages: number;
	/** The name of the analyzer. The BM25 index stores the analyzer's options. */
	readonly analyzer: string;
	/** The encoder of the vectors; `null` if the collection has no vectors. */
	readonly encoder: EncoderRecord | null;
	/** The vector indexes that the collection has. */
	readonly indexes: ReadonlyArray<'flat' | 'hnsw'>;
	/**
	The header of each file, in hexadecimal. A header has the checksum of the file's table of sections, and that table has the checksums of
	all sections, so the header identifies the content of the file. Collections built by earlier versions of passagekit have no `headers`.
	*/
	readonly headers?: Readonly<Partial<Record<FilePart, string>>>;
}

/** The parts of a collection that consist of a single file. */
export type FilePart = 'passages' | 'flat' | 'hnsw';

/** The names of the files and folders in a collection. */
export const parts = {
	manifest: 'passagekit.json',
	passages: 'passages.pkstore',
	bm25: 'bm25',
	flat: 'flat.pkflat',
	hnsw: 'hnsw.pkhnsw',
} as const;

/**
Returns the format version of the collection in a folder: 1 for a built collection, 2 for an updatable collection. Returns `undefined` if
the folder has no manifest, and `null` if the manifest is unreadable or not that of a collection.
*/
export async function versionOf(folder: string): Promise<unknown> {
	try {
		const manifest = JSON.parse(await readFile(join(folder, parts.manifest), 'utf8')) as Partial<Manifest> | null;
		return manifest?.format === 'passagekit-collection' ? manifest.version : null;
	} catch (error) {
		return isMissing(error) ? undefined : null;
	}
}

/**
Reads the manifest of a built collection. Fails with `ERR_IO` if there is none, with `ERR_ARGUMENT` for an updatable collection, and with
`ERR_INDEX_CORRUPT` or `ERR_INDEX_VERSION` for any other manifest.
*/
export async function readManifest(folder: string): Promise<Manifest> {
	const path = join(folder, parts.manifest);
	let text;
	try {
		text = await readFile(path, 'utf8');
	} catch (error) {
		if (!isMissing(error)) {
			throw pathError('open', path, error);
		}
		throw new RetrievalError(
			'ERR_IO',
			`open ${folder}: expected a collection, got no ${parts.manifest} there. Make one with \`passagekit add <files> --collection ${folder}\`, or \`passagekit index\` for files that do not change.`,
			{cause: error},
		);
	}
	let manifest: Partial<Manifest>;
	try {
		manifest = JSON.parse(text) as Partial<Manifest>;
	} catch (error) {
		throw new RetrievalError('ERR_INDEX_CORRUPT', `${path}: expected JSON, got ${(error as Error).message}`, {cause: error});
	}
	if (manifest?.format === 'passagekit-collection' && (manifest.version as number) === 2) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`${folder}: expected a collection that Collection.build made, got one that Collection.open created, to which documents are added; use another folder, or remove this one first`,
		);
	}
	if (manifest?.format === 'passagekit-collection' && manifest.version !== 1) {
		throw new RetrievalError(
			'ERR_INDEX_VERSION',
			`${path}: expected version 1 or 2 of the collection format, got version ${String(manifest.version)}; build it again`,
		);
	}
	if (manifest?.format !== 'passagekit-collection' || !Number.isInteger(manifest.passages) || !Array.isArray(manifest.indexes)) {
		throw new RetrievalError('ERR_INDEX_CORRUPT', `${path}: expected the manifest of a passagekit collection, got another file`);
	}
	return manifest as Manifest;
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
	await replaceFile(join(folder, parts.manifest), `${JSON.stringify(manifest, undefined, '\t')}\n`);
}

/** Number of bytes at the start of a file's header that are in use; the rest of the header is zeros. */
const HEADER_BYTES = 36;

/** Returns the header of a file, in hexadecimal. */
export async function headerOf(folder: string, part: FilePart): Promise<string> {
	const path = join(folder, parts[part]);
	try {
		const file = await open(path, 'r');
		try {
			const {buffer, bytesRead} = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
			return buffer.subarray(0, bytesRead).toString('hex');
		} finally {
			await file.close();
		}
	} catch (error) {
		throw pathError('open', path, error);
	}
}

/**
Fails with `ERR_INDEX_CORRUPT` if a file is not the one that the collection was built with: another collection's file was put in its place,
or the collection was replaced after its manifest was read.
*/
export async function checkHeader(folder: string, manifest: Manifest, part: FilePart): Promise<void> {
	const expected = manifest.headers?.[part];
	if (expected !== undefined && (await headerOf(folder, part)) !== expected) {
		throw new RetrievalError(
			'ERR_INDEX_CORRUPT',
			`${join(folder, parts[part])}: expected the file that the collection was built with, got another; if the collection was replaced, open it again`,
		);
	}
}
