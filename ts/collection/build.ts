import {readdir} from 'node:fs/promises';
import {availableParallelism} from 'node:os';
import {join, resolve} from 'node:path';
import {checkBoolean, checkCount, checkFunction, checkIterable, checkOneOf, checkString} from '../core/checks.ts';
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
import {BuildFolder, placeOf, putBack} from './build-folder.ts';
import {type EncoderRecord, type Manifest, parts, readManifest, writeManifest} from './manifest.ts';

/** The stages of a build in their order: read and split passages, index them for BM25, encode them into the flat index, build the graph. */
export type BuildStage = 'read' | 'bm25' | 'encode' | 'hnsw';

/** `read` counts bytes, the other stages passages. */
export interface BuildProgress extends Progress {
	readonly stage: BuildStage;
}

export type DenseIndexes = 'flat' | 'flat+hnsw';

export interface StageReport {
	readonly stage: BuildStage;
	readonly milliseconds: number;
	readonly passages: number;
}

export interface BuildOptions extends Omit<CallOptions, 'onProgress'>, ReadLimits {
	/** Format of the source file. @default 'auto' */
	readonly format?: PassageFormat | undefined;
	/** How documents are split into passages. @default text files are split into 100 words, other formats are not split */
	readonly split?: SplitOptions | undefined;
	/** Skips invalid lines and counts them, instead of failing with `ERR_FORMAT`. @default false */
	readonly skipBadLines?: boolean | undefined;
	/** How texts are turned into terms for BM25. @default 'english' */
	readonly analyzer?: Analyzer | undefined;
	/** The encoder of passages, or `false` for BM25 alone. @default 'minilm-encoder' */
	readonly encoder?: string | false | undefined;
	readonly encoderOptions?: OnnxEncoderOptions | undefined;
	/**
	Tokens that are encoded together, padding included. With 1 every passage is encoded alone, and its vector does not depend on
	other passages: int8 models choose the scale of their activations per batch. That takes longer, the more so the shorter the texts.
	@default 2048
	*/
	readonly batchTokens?: number | undefined;
	/** The encoder of questions, if it differs from that of passages, as in DPR. @default the encoder of passages */
	readonly questionEncoder?: string | undefined;
	/** @default 'flat+hnsw' */
	readonly dense?: DenseIndexes | undefined;
	/**
	How the flat index stores its vectors. The graph is built from the stored vectors, which are rounded with `f16`.
	@default {storage: 'f32'}
	*/
	readonly flat?: {readonly storage?: FlatStorage | undefined} | undefined;
	/** Parameters of the HNSW graph. @default {m: 24, efConstruction: 200, seed: 42, layout: 'fast'} */
	readonly hnsw?: Pick<HnswIndexOptions, 'm' | 'efConstruction' | 'seed' | 'layout'> | undefined;
	/** Number of threads that build the graph. With 1, its bytes are the same every time. @default all cores */
	readonly threads?: number | undefined;
	/** Replaces an existing collection. @default false */
	readonly overwrite?: boolean | undefined;
	/** If it throws or its promise rejects, the build stops, rejects with that error and leaves an existing collection as it was. */
	readonly onProgress?: ((progress: BuildProgress) => void) | undefined;
	/** Called and awaited after each stage. An error stops the build, as for `onProgress`. */
	readonly onStage?: ((report: StageReport) => void) | undefined;
}

/** The names of `BuildOptions`, to be spread into the lists of calls with more options. */
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
	onStage: true,
} as const;
const buildOptions: OptionNames = optionNames<BuildOptions>(buildNames);
const flatOptions: OptionNames = optionNames<NonNullable<BuildOptions['flat']>>({storage: true});
const graphOptions: OptionNames = optionNames<NonNullable<BuildOptions['hnsw']>>({m: true, efConstruction: true, seed: true, layout: true});

/**
Builds a collection in the folder `output`: passages, BM25 index, vectors, graph. It is built in a temporary folder next to
`output` and moved there when it is complete; if the build fails or is aborted, an existing collection stays. An aborted build
rejects once its work has stopped. The new folder has the mode of the one it replaces, and its owner where the system permits;
symbolic links are followed. Leftovers of killed builds of the same folder are removed.
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
	const target = await placeOf(output);
	await putBack(target);
	await checkTarget(target, overwrite);
	// Loaded first: a missing model should not cost the time of reading a corpus.
	const encoder = model === false ? undefined : await OnnxEncoder.load(model, {...options.encoderOptions, signal: options.signal});
	let building: BuildFolder | undefined;
	try {
		building = await BuildFolder.create(target);
		const folder = building.path;
		const place = (part: keyof typeof parts): string => join(folder, parts[part]);
		const {passages} = await stage('read', options, async call => {
			const result =
				typeof source === 'string'
					? await PassageStore.ingest(source, place('passages'), {
							...call,
							format: options.format,
							split: options.split,
							skipBadLines: options.skipBadLines,
							maxDocumentBytes: options.maxDocumentBytes,
							maxPassageBytes: options.maxPassageBytes,
						})
					: await PassageStore.write(source, place('passages'), {...call, maxPassageBytes: options.maxPassageBytes});
			if (result.passages === 0) {
				throw new RetrievalError(
					'ERR_FORMAT',
					`${typeof source === 'string' ? source : 'passages'}: expected at least one passage, got none`,
				);
			}
			return result;
		});
		await stage('bm25', options, async call => {
			await callNative(call, control => native.buildBm25FromStore(place('passages'), place('bm25'), analyzer, control));
			return {passages};
		});
		let record: EncoderRecord | null = null;
		const indexes: Array<'flat' | 'hnsw'> = [];
		if (encoder && model !== false) {
			const questions = await questionsOf(options, encoder);
			record = {model: named(model), identity: encoder.identity, dim: encoder.dim, unit: encoder.normalized, ...(questions && {questions})};
			const metadata = JSON.stringify({encoder: encoder.identity, ...(questions && {questionEncoder: questions.identity})});
			await stage('encode', options, async call => {
				const handle = OnnxEncoder.handle(encoder);
				await callNative(call, control =>
					native.encodeStore(handle, place('passages'), place('flat'), storage, batchTokens, metadata, control),
				);
				return {passages};
			});
			indexes.push('flat');
			if (dense === 'flat+hnsw') {
				await stage('hnsw', options, async call => {
					await callNative(call, control =>
						native.buildHnswFromFlat(
							place('flat'),
							place('hnsw'),
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
		const manifest: Manifest = {format: 'passagekit-collection', version: 1, passages, analyzer: analyzer.name, encoder: record, indexes};
		await writeManifest(folder, manifest);
		options.signal?.throwIfAborted();
		building.moveInto(overwrite);
		return manifest;
	} finally {
		encoder?.close();
		await building?.remove();
	}
}

/** The encoder of questions, where it is another. */
async function questionsOf(
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
	return {model: named(questionEncoder), identity: encoder.identity};
}

async function stage<T extends {readonly passages: number}>(
	name: BuildStage,
	{signal, onProgress, onStage}: BuildOptions,
	work: (call: CallOptions) => Promise<T>,
): Promise<T> {
	const began = performance.now();
	const result = await work({signal, onProgress: onProgress && (progress => onProgress({stage: name, ...progress}))});
	await onStage?.({stage: name, milliseconds: performance.now() - began, passages: result.passages});
	return result;
}

/** The name that is stored for a model: the absolute path of a folder, so that the collection can be opened from elsewhere, or the name itself. */
function named(model: string): string {
	return isFolder(model) ? resolve(model) : model;
}

/** Fails unless the target is absent, an empty folder, or with `overwrite` a collection. */
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
