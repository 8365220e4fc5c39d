/** Builds a collection (`buildCollection`): reads passages, indexes and encodes them, and writes everything to one folder. */
import {readdir} from 'node:fs/promises';
import {availableParallelism} from 'node:os';
import {join, resolve} from 'node:path';
import {checkBoolean, checkCount, checkFunction, checkIterable, checkOneOf, checkString, kindOf} from '../core/checks.ts';
import {type PassageFormat, PassageStore, type ReadLimits, type SplitOptions} from '../corpus/index.ts';
import {type FlatStorage, storages} from '../dense/flat-index.ts';
import {type HnswIndexOptions, checkedGraph} from '../dense/hnsw-index.ts';
import {encoderOptions as encoderNames} from '../encoders/onnx-encoder.ts';
import {OnnxEncoder, type OnnxEncoderOptions} from '../encoders/index.ts';
import {RetrievalError} from '../core/errors.ts';
import {isFolder, pathError} from '../core/file-system.ts';
import {callNative, native} from '../core/native/native.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import {checkedFileOptions, fileNames} from '../core/passage-source.ts';
import type {Analyzer} from '../sparse/analyzer.ts';
import {nativeAnalyzer} from '../sparse/native-analyzer.ts';
import type {CallOptions, Passage, Progress} from '../core/types.ts';
import {BuildFolder, restoreMovedAside, targetOf} from './build-folder.ts';
import {type EncoderRecord, type FilePart, type Manifest, headerOf, parts, readManifest, writeManifest} from './manifest.ts';

/** The stages of a build, in order: reading and splitting passages, the BM25 index, encoding into the flat index, the HNSW graph. */
export type BuildStage = 'read' | 'bm25' | 'encode' | 'hnsw';

/** The progress of a stage. The stage `read` counts bytes, the other stages count passages. */
export interface BuildProgress extends Progress {
	readonly stage: BuildStage;
}

/** The vector indexes of a collection: only a flat (exact) index, or a flat index and an HNSW graph. */
export type DenseIndexes = 'flat' | 'flat+hnsw';

/** The result of a stage of a build. */
export interface StageReport {
	readonly stage: BuildStage;
	/** Duration of the stage. */
	readonly milliseconds: number;
	/** Number of passages that the stage processed. */
	readonly passages: number;
}

/** The options of a build. */
export interface BuildOptions extends Omit<CallOptions, 'onProgress'>, ReadLimits {
	/** Format of the source file. @default 'auto' */
	readonly format?: PassageFormat | undefined;
	/** How documents are split into passages. @default {words: 100} for text files; other formats are not split */
	readonly split?: SplitOptions | undefined;
	/** Skips invalid lines instead of failing with `ERR_FORMAT`. @default false */
	readonly skipBadLines?: boolean | undefined;
	/** How texts are turned into terms for BM25. @default 'english' */
	readonly analyzer?: Analyzer | undefined;
	/** The passage encoder, as for `OnnxEncoder.load`, or `false` for a collection without vectors. @default 'minilm-encoder' */
	readonly encoder?: string | false | undefined;
	/** The options with which encoders are loaded. */
	readonly encoderOptions?: OnnxEncoderOptions | undefined;
	/**
	Maximum number of tokens that are encoded in one batch, padding included. If ONNX Runtime runs an int8 model, a vector depends slightly
	on the other texts in its batch, because the model chooses a quantization scale per batch. With 1, every passage is encoded alone, so
	that its vector does not depend on other passages; this takes longer. If passagekit itself runs the model, vectors never depend on other
	passages, and batches have at least 2048 tokens. @default 2048
	*/
	readonly batchTokens?: number | undefined;
	/** The question encoder, if it differs from that of passages, as in DPR. @default the passage encoder */
	readonly questionEncoder?: string | undefined;
	/** Which vector indexes are built. @default 'flat+hnsw' */
	readonly dense?: DenseIndexes | undefined;
	/**
	How the flat index stores its vectors. The HNSW graph is built from the stored vectors: with `f16`, from the rounded ones.
	@default {storage: 'f32'}
	*/
	readonly flat?: {readonly storage?: FlatStorage | undefined} | undefined;
	/** Parameters of the HNSW graph. @default {m: 24, efConstruction: 200, seed: 42, layout: 'fast'} */
	readonly hnsw?: Pick<HnswIndexOptions, 'm' | 'efConstruction' | 'seed' | 'layout'> | undefined;
	/** Number of threads that build the graph. With 1, the graph is the same every time. @default all cores */
	readonly threads?: number | undefined;
	/** Replaces an existing collection. @default false */
	readonly overwrite?: boolean | undefined;
	/** Called about ten times per second. If it throws or its promise rejects, the build stops and rejects with that error. */
	readonly onProgress?: ((progress: BuildProgress) => void) | undefined;
	/**
	Called and awaited after a file or folder was read, with the number of invalid lines that were skipped. If it throws or its promise rejects,
	the build stops.
	*/
	readonly onSkipped?: ((lines: number) => void) | undefined;
	/** Called and awaited after each stage. If it throws or its promise rejects, the build stops and rejects with that error. */
	readonly onStage?: ((report: StageReport) => void) | undefined;
}

/** The option names of `BuildOptions`, for calls that spread them into their own option names. */
export const buildNames = {
	...callNames,
	...fileNames,
	analyzer: true,
	encoder: true,
	encoderOptions: true,
	batchTokens: true,
	questionEncoder: true,
	dense: true,
	flat: true,
	hnsw: true,
	threads: true,
	overwrite: true,
	onSkipped: true,
	onStage: true,
} as const;
const buildOptions: OptionNames = optionNames<BuildOptions>(buildNames);
const flatOptions: OptionNames = optionNames<NonNullable<BuildOptions['flat']>>({storage: true});
const graphOptions: OptionNames = optionNames<NonNullable<BuildOptions['hnsw']>>({m: true, efConstruction: true, seed: true, layout: true});

/**
Builds a collection in the folder `output`: a passage store, a BM25 index and, by default, a flat vector index and an HNSW graph. Resolves to
the manifest of the collection.

`output` must be a missing or empty folder; otherwise, the call fails with `ERR_ARGUMENT`. With `overwrite`, it may also be an existing
built collection, which is then replaced. The new collection is built in a temporary folder next to `output` and moved to `output` when it
is complete. If the build fails or is aborted, an existing collection remains. An aborted build rejects once its work has stopped. The new
folder has the mode of the folder that it replaces and, where the system permits, the same owner; symbolic links are followed. Temporary
folders of earlier builds of `output` that were killed are removed.
*/
export async function buildCollection(
	source: string | Iterable<Passage> | AsyncIterable<Passage>,
	output: string,
	options: BuildOptions = {},
): Promise<Manifest> {
	checkOptions('build', options, buildOptions);
	if (typeof source !== 'string') {
		checkIterable('source', source, 'passages, or a path');
	}
	checkOptions('flat', options.flat, flatOptions);
	checkOptions('hnsw', options.hnsw, graphOptions);
	checkOptions('encoderOptions', options.encoderOptions, encoderNames);
	if (options.onStage !== undefined) {
		checkFunction('onStage', options.onStage);
	}
	if (options.onSkipped !== undefined) {
		checkFunction('onSkipped', options.onSkipped);
	}
	const {encoder: model = 'minilm-encoder', dense = 'flat+hnsw', threads = 0, flat = {}, hnsw = {}, overwrite = false} = options;
	const {storage = 'f32'} = flat;
	const {batchTokens = 2048} = options;
	checkCount('batchTokens', batchTokens, 1);
	checkString('output', output);
	checkOneOf('dense', dense, ['flat', 'flat+hnsw']);
	checkOneOf('flat: storage', storage, storages);
	const graph = checkedGraph(hnsw, 'hnsw: ');
	checkCount('threads', threads, 0);
	checkBoolean('overwrite', overwrite);
	checkedFileOptions(options);
	if (model !== false) {
		checkString('encoder', model);
	}
	if (options.questionEncoder !== undefined) {
		checkString('questionEncoder', options.questionEncoder);
	}
	const analyzer = nativeAnalyzer(options.analyzer ?? 'english');
	options.signal?.throwIfAborted();
	const target = await targetOf(output);
	await restoreMovedAside(target);
	await checkTarget(target, overwrite);
	// The encoder is loaded first, so that a missing model is reported before the corpus is read: reading may take hours.
	const encoder = model === false ? undefined : await OnnxEncoder.load(model, {...options.encoderOptions, signal: options.signal});
	let building: BuildFolder | undefined;
	try {
		building = await BuildFolder.create(target);
		const folder = building.path;
		const pathOf = (part: keyof typeof parts): string => join(folder, parts[part]);
		const {passages} = await stage('read', options, async call => {
			const result =
				typeof source === 'string'
					? await PassageStore.ingest(source, pathOf('passages'), {
							...call,
							format: options.format,
							split: options.split,
							skipBadLines: options.skipBadLines,
							maxDocumentBytes: options.maxDocumentBytes,
							maxPassageBytes: options.maxPassageBytes,
						})
					: await PassageStore.write(withoutFields(source), pathOf('passages'), {...call, maxPassageBytes: options.maxPassageBytes});
			if (result.passages === 0) {
				throw new RetrievalError(
					'ERR_FORMAT',
					`${typeof source === 'string' ? source : 'passages'}: expected at least one passage, got none`,
				);
			}
			if (typeof source === 'string') {
				await options.onSkipped?.(result.skipped);
			}
			return result;
		});
		await stage('bm25', options, async call => {
			// The BM25 index records the passage store that it was built from.
			const state = JSON.stringify({passages: await headerOf(folder, 'passages')});
			await callNative(call, control => native.buildBm25FromStore(pathOf('passages'), pathOf('bm25'), analyzer, state, control));
			return {passages};
		});
		let record: EncoderRecord | null = null;
		const indexes: Array<'flat' | 'hnsw'> = [];
		if (encoder && model !== false) {
			const questions = await questionEncoderRecord(options, encoder);
			record = {
				model: storedName(model),
				identity: encoder.identity,
				dim: encoder.dim,
				unit: encoder.normalized,
				...(questions && {questions}),
			};
			const metadata = JSON.stringify({encoder: encoder.identity, ...(questions && {questionEncoder: questions.identity})});
			await stage('encode', options, async call => {
				const handle = OnnxEncoder.handle(encoder);
				await callNative(call, control =>
					native.encodeStore(handle, pathOf('passages'), pathOf('flat'), storage, batchTokens, metadata, control),
				);
				return {passages};
			});
			indexes.push('flat');
			if (dense === 'flat+hnsw') {
				await stage('hnsw', options, async call => {
					await callNative(call, control =>
						native.buildHnswFromFlat(
							pathOf('flat'),
							pathOf('hnsw'),
							graph.m,
							graph.efConstruction,
							graph.seed,
							graph.innerProduct,
							graph.layout,
							threads || availableParallelism(),
							control,
						),
					);
					return {passages};
				});
				indexes.push('hnsw');
			}
		}
		const headers: Partial<Record<FilePart, string>> = {};
		for (const part of ['passages', ...indexes] as const) {
			headers[part] = await headerOf(folder, part);
		}
		const manifest: Manifest = {
			format: 'passagekit-collection',
			version: 1,
			passages,
			analyzer: analyzer.name,
			encoder: record,
			indexes,
			headers,
		};
		await writeManifest(folder, manifest);
		options.signal?.throwIfAborted();
		building.moveToTarget(overwrite);
		return manifest;
	} finally {
		encoder?.close();
		await building?.remove();
	}
}

/** Returns the record of the question encoder, or `undefined` if questions have the same encoder as passages. */
async function questionEncoderRecord(
	{questionEncoder, encoderOptions, signal}: BuildOptions,
	passages: OnnxEncoder,
): Promise<EncoderRecord['questions']> {
	if (questionEncoder === undefined) {
		return undefined;
	}
	await using encoder = await OnnxEncoder.load(questionEncoder, {...encoderOptions, signal});
	if (encoder.dim !== passages.dim) {
		throw new RetrievalError(
			'ERR_DIMENSION',
			`questionEncoder: expected vectors of dimension ${passages.dim}, as passages have, got an encoder of dimension ${encoder.dim}`,
		);
	}
	return {model: storedName(questionEncoder), identity: encoder.identity};
}

/** Runs a stage, passes its progress to `onProgress`, and calls `onStage` at its end. */
async function stage<T extends {readonly passages: number}>(
	name: BuildStage,
	{signal, onProgress, onStage}: BuildOptions,
	work: (call: CallOptions) => Promise<T>,
): Promise<T> {
	const startedAt = performance.now();
	const result = await work({signal, onProgress: onProgress && (progress => onProgress({stage: name, ...progress}))});
	await onStage?.({stage: name, milliseconds: performance.now() - startedAt, passages: result.passages});
	return result;
}

/** Returns the name to store for a model. A folder becomes an absolute path, so that the collection can be opened from any folder. */
function storedName(model: string): string {
	return isFolder(model) ? resolve(model) : model;
}

/** Fails unless the target is missing, an empty folder, or, with `overwrite`, a collection. */
async function checkTarget(target: string, overwrite: boolean): Promise<void> {
	let entries: string[];
	try {
		entries = await readdir(target);
	} catch (error) {
		const {code} = error as NodeJS.ErrnoException;
		if (code === 'ENOENT') {
			return;
		}
		if (code === 'ENOTDIR') {
			throw new RetrievalError('ERR_IO', `write ${target}: expected a folder, got a file`, {cause: error});
		}
		throw pathError('write', target, error);
	}
	if (entries.length === 0) {
		return;
	}
	if (!overwrite) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`output: expected a new or empty folder, got ${target} with ${entries.length} entries. To replace a collection, set \`overwrite\` (\`--overwrite\`).`,
		);
	}
	await readManifest(target);
}

/** Yields the passages of a source. Fails with `ERR_ARGUMENT` if one of them has fields, or a vector, which a built collection does not keep. */
async function* withoutFields(source: Iterable<Passage> | AsyncIterable<Passage>): AsyncGenerator<Passage> {
	let position = 0;
	for await (const passage of source) {
		for (const name of ['fields', 'vector'] as const) {
			const value = (passage as (Passage & Readonly<Partial<Record<typeof name, unknown>>>) | null | undefined)?.[name];
			if (value !== undefined) {
				throw new RetrievalError(
					'ERR_ARGUMENT',
					`passage ${position}: ${name}: expected none, since a built collection does not keep them, got ${kindOf(value)}; use Collection.open for a collection that does`,
				);
			}
		}
		position += 1;
		yield passage;
	}
}
