/** What `passagekit push` reads: a corpus, or a collection with its vectors, and the settings of the index that it makes. */
import {Collection} from '../../collection/index.ts';
import {checkedCreate} from '../../collection/live/create.ts';
import {LiveCollection} from '../../collection/live/live-collection.ts';
import {versionOf} from '../../collection/manifest.ts';
import {RetrievalError} from '../../core/errors.ts';
import type {FileOptions} from '../../core/passage-source.ts';
import type {FilterableSearcher, Hit, Passage} from '../../core/types.ts';
import {readPassages} from '../../corpus/index.ts';
import type {OpenSearchCreateOptions, PassageWithVector} from '../../remote/index.ts';
import type {Analyzer} from '../../sparse/index.ts';
import {UsageError} from '../errors.ts';

/** Where passages come from. */
export interface PushSource extends AsyncDisposable {
	readonly passages: AsyncIterable<PassageWithVector>;
	/** Number of passages; 0 if it is unknown. */
	readonly total: number;
	/** The settings of an index with the same hits. */
	readonly settings: Pick<OpenSearchCreateOptions, 'encoder' | 'passageEncoder' | 'questionEncoder' | 'analyzer' | 'vectors' | 'split'>;
	/** Searches the embedded index by words, if the source has one. */
	readonly searcher: FilterableSearcher | undefined;
	/** Searches all vectors of the embedded index, if the source has them. */
	readonly nearest: ((vector: Float32Array, k: number) => Promise<readonly Hit[]>) | undefined;
}

/** The kind of a source: a corpus, or a collection that `passagekit index` built or that `passagekit add` changes. */
export type SourceKind = 'corpus' | 'built' | 'live';

/** Tells what a path has. */
export async function sourceKind(path: string): Promise<SourceKind> {
	const version = await versionOf(path);
	return version === undefined || version === null ? 'corpus' : version === 1 ? 'built' : 'live';
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
export async function openSource(
	path: string,
	kind: SourceKind,
	flags: SourceFlags,
	files: FileOptions,
	signal: AbortSignal,
): Promise<PushSource> {
	if (kind === 'corpus') {
		const {encoder, questionEncoder, analyzer} = flags;
		return {
			passages: readPassages(path, {...files, signal}),
			total: 0,
			settings: {encoder, questionEncoder, analyzer, split: files.split},
			searcher: undefined,
			nearest: undefined,
			async [Symbol.asyncDispose]() {},
		};
	}
	const collection = await Collection.open(path);
	try {
		const source = await (kind === 'built' ? builtSource(collection, flags) : liveSource(collection, path, flags));
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
		return {passages, total: manifest.passages, settings: {encoder: false, analyzer}, nearest: undefined};
	}
	const {model, questions} = manifest.encoder;
	const flat = await collection.flat();
	const vectorsOf = async (ids: readonly string[]): Promise<Float32Array> => (await flat.vectors(ids)).data;
	const settings = {encoder: model, questionEncoder: questions?.model, analyzer};
	return {
		passages: withVectors(passages, vectorsOf),
		total: manifest.passages,
		settings,
		nearest: async (vector, k) => flat.search(vector, {k}),
	};
}

/** A collection that `passagekit add` changes. */
async function liveSource(
	collection: Collection,
	path: string,
	{encoder, analyzer, similarity: given}: SourceFlags,
): Promise<OpenedSource> {
	const {passages: total, dim, encoder: stored, questionEncoder, split} = await collection.stats();
	if (dim === undefined || encoder === false) {
		return {passages: contentsOf(collection), total, settings: {encoder: false, analyzer, split}, nearest: undefined};
	}
	if (stored?.model === null || questionEncoder?.model === null) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`push: expected a collection whose encoder is a model, got ${path}, which a program made with an encoder of its own; push it with OpenSearchCollection.push, or with --no-encoder`,
		);
	}
	const similarity = await storedSimilarity(path);
	if (given !== undefined && given !== similarity) {
		throw new UsageError(`push: expected --similarity ${similarity}, as ${path} has, or none, got ${given}`);
	}
	const passages = withVectors(contentsOf(collection), async ids => collection.vectors(ids));
	const models =
		stored === undefined ? {encoder: false as const, vectors: {dim, similarity}} : {encoder: stored.model, vectors: {similarity}};
	return {
		passages,
		total,
		settings: {...models, questionEncoder: questionEncoder?.model, analyzer, split},
		// With a vector, the text is not searched.
		nearest: async (vector, k) => (await collection.search('x', {retriever: 'dense', vector, exact: true, k})).hits,
	};
}

/** Reads the similarity with which a collection compares vectors. */
async function storedSimilarity(path: string): Promise<'dot' | 'cosine' | 'l2'> {
	const live = await LiveCollection.open(path, checkedCreate({}, false));
	try {
		return live.similarity!;
	} finally {
		await live.close(false);
	}
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
