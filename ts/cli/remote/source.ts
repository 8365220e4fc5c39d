/** What `passagekit push` reads: a corpus, or a collection with its vectors, and the settings of the index that it makes. */
import {Collection} from '../../collection/index.ts';
import {versionOf} from '../../collection/manifest.ts';
import {RetrievalError} from '../../core/errors.ts';
import type {FileOptions} from '../../core/passage-source.ts';
import type {FilterableSearcher, Passage} from '../../core/types.ts';
import {readPassages} from '../../corpus/index.ts';
import type {OpenSearchCreateOptions, PassageWithVector} from '../../remote/index.ts';
import type {Analyzer} from '../../sparse/index.ts';

/** Where passages come from. */
export interface PushSource extends AsyncDisposable {
	readonly passages: AsyncIterable<PassageWithVector>;
	/** Number of passages; 0 if it is unknown. */
	readonly total: number;
	/** The settings of an index with the same hits. */
	readonly settings: Pick<OpenSearchCreateOptions, 'encoder' | 'passageEncoder' | 'questionEncoder' | 'analyzer' | 'vectors' | 'split'>;
	/** Searches the embedded index by words, if the source has one. */
	readonly searcher: FilterableSearcher | undefined;
}

/** The flags that describe a source. */
export interface SourceFlags {
	readonly encoder?: string | false;
	readonly questionEncoder?: string;
	readonly analyzer?: Analyzer;
	readonly similarity?: 'dot' | 'cosine' | 'l2';
}

/** Number of passages whose vectors are read at a time. */
const PASSAGES_PER_READ = 512;

/** Opens a corpus file or folder, or the folder of a collection. */
export async function openSource(path: string, flags: SourceFlags, files: FileOptions, signal: AbortSignal): Promise<PushSource> {
	const version = await versionOf(path);
	if (version === undefined || version === null) {
		const {encoder, questionEncoder, analyzer} = flags;
		return {
			passages: readPassages(path, {...files, signal}),
			total: 0,
			settings: {encoder, questionEncoder, analyzer, split: files.split},
			searcher: undefined,
			async [Symbol.asyncDispose]() {},
		};
	}
	const collection = await Collection.open(path);
	try {
		const source = await (version === 1 ? builtSource(collection, flags) : liveSource(collection, path, flags));
		return {...source, searcher: await collection.searcher('bm25'), [Symbol.asyncDispose]: async () => collection.close()};
	} catch (error) {
		await collection.close();
		throw error;
	}
}

type OpenedSource = Omit<PushSource, 'searcher' | typeof Symbol.asyncDispose>;

/** A collection that `passagekit index` built. */
async function builtSource(collection: Collection, {encoder}: SourceFlags): Promise<OpenedSource> {
	const {manifest, passages, bm25} = collection;
	const {version: _version, ...analyzer} = bm25.analyzer;
	if (manifest.encoder === null || encoder === false) {
		return {passages, total: manifest.passages, settings: {encoder: false, analyzer}};
	}
	const {model, questions} = manifest.encoder;
	const flat = await collection.flat();
	const vectorsOf = async (ids: readonly string[]): Promise<Float32Array> => (await flat.vectors(ids)).data;
	const settings = {encoder: model, questionEncoder: questions?.model, analyzer};
	return {passages: withVectors(passages, vectorsOf), total: manifest.passages, settings};
}

/** A collection that `passagekit add` changes. */
async function liveSource(collection: Collection, path: string, {encoder, analyzer, similarity}: SourceFlags): Promise<OpenedSource> {
	const {passages: total, dim, encoder: stored, questionEncoder, split} = await collection.stats();
	if (dim === undefined || encoder === false) {
		return {passages: contentsOf(collection), total, settings: {encoder: false, analyzer, split}};
	}
	if (stored?.model === null || questionEncoder?.model === null) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`push: expected a collection whose encoder is a model, got ${path}, which a program made with an encoder of its own; push it with OpenSearchCollection.push, or with --no-encoder`,
		);
	}
	const passages = withVectors(contentsOf(collection), async ids => collection.vectors(ids));
	const models =
		stored === undefined ? {encoder: false as const, vectors: {dim, similarity}} : {encoder: stored.model, vectors: {similarity}};
	return {passages, total, settings: {...models, questionEncoder: questionEncoder?.model, analyzer, split}};
}

async function* contentsOf(collection: Collection): AsyncGenerator<Passage, void, undefined> {
	for await (const {id, title, text, fields} of collection.scan()) {
		yield {id, text, fields, ...(title === undefined ? {} : {title})};
	}
}

/** Adds their vectors to passages. */
async function* withVectors(
	passages: AsyncIterable<Passage>,
	vectorsOf: (ids: readonly string[]) => Promise<Float32Array>,
): AsyncGenerator<PassageWithVector, void, undefined> {
	let batch: Passage[] = [];
	const flush = async function* (): AsyncGenerator<PassageWithVector, void, undefined> {
		const data = await vectorsOf(batch.map(({id}) => id));
		const dim = data.length / batch.length;
		for (const [i, passage] of batch.entries()) {
			yield {...passage, vector: data.slice(i * dim, (i + 1) * dim)};
		}
		batch = [];
	};
	for await (const passage of passages) {
		batch.push(passage);
		if (batch.length === PASSAGES_PER_READ) {
			yield* flush();
		}
	}
	if (batch.length > 0) {
		yield* flush();
	}
}
