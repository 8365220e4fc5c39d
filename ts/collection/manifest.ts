/** The manifest of a collection: its format, its parts, and the encoder of its vectors. */
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {RetrievalError} from '../core/errors.ts';
import {isMissing, pathError} from '../core/file-system.ts';
import {replaceFile} from '../core/files/replace-file.ts';

/** The encoder that computed a collection's vectors. */
export interface EncoderRecord {
	/** The name given when the collection was built: a folder, one of passagekit's own models, or a name on the hub. */
	readonly model: string;
	/** `Encoder.identity`. Encoders with another identity are rejected. */
	readonly identity: string;
	readonly dim: number;
	/** Whether its vectors have unit length. */
	readonly unit: boolean;
	/** The encoder of questions, if it differs. */
	readonly questions?: {readonly model: string; readonly identity: string};
}

/** `passagekit.json` of a collection. It is written last, so a folder without it is not a collection. */
export interface Manifest {
	readonly format: 'passagekit-collection';
	readonly version: 1;
	readonly passages: number;
	/** The name of the analyzer. The BM25 index stores its options. */
	readonly analyzer: string;
	/** `null` if the collection has no vectors. */
	readonly encoder: EncoderRecord | null;
	readonly indexes: ReadonlyArray<'flat' | 'hnsw'>;
}

/** The file and folder names of a collection's parts. */
export const parts = {
	manifest: 'passagekit.json',
	passages: 'passages.pkstore',
	bm25: 'bm25',
	flat: 'flat.pkflat',
	hnsw: 'hnsw.pkhnsw',
} as const;

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
			`open ${folder}: expected a collection, got no ${parts.manifest} there. Make one with \`passagekit index <files> --output ${folder}\`.`,
			{cause: error},
		);
	}
	let manifest: Partial<Manifest>;
	try {
		manifest = JSON.parse(text) as Partial<Manifest>;
	} catch (error) {
		throw new RetrievalError('ERR_INDEX_CORRUPT', `${path}: expected JSON, got ${(error as Error).message}`, {cause: error});
	}
	if (manifest?.format !== 'passagekit-collection' || !Number.isInteger(manifest.passages) || !Array.isArray(manifest.indexes)) {
		throw new RetrievalError('ERR_INDEX_CORRUPT', `${path}: expected the manifest of a passagekit collection, got another file`);
	}
	if (manifest.version !== 1) {
		throw new RetrievalError(
			'ERR_INDEX_VERSION',
			`${path}: expected version 1 of the collection format, got version ${String(manifest.version)}; build it again`,
		);
	}
	return manifest as Manifest;
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
	await replaceFile(join(folder, parts.manifest), `${JSON.stringify(manifest, undefined, '\t')}\n`);
}
