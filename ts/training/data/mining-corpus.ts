/** The passages from which training examples are mined: a passage store, and a BM25 searcher if one is needed. */
import {mkdtempSync, rmSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {checkIterable, isInstance} from '../../core/checks.ts';
import {onPath} from '../../core/file-system.ts';
import {onForcedExit} from '../../core/files/unfinished-files.ts';
import {type Binding, callNative} from '../../core/native/native.ts';
import {nativeTexts} from '../../core/native/texts.ts';
import type {Passage, Progress, Searcher} from '../../core/types.ts';
import {PassageStore} from '../../corpus/index.ts';
import {Bm25Index} from '../../sparse/index.ts';
import type {MiningOptions, MiningPassages, MiningStage} from './mining-options.ts';

/** Number of ids per call of the addon. */
const IDS_PER_CALL = 512;

/** The options that a corpus needs. */
type CorpusOptions = Pick<MiningOptions, 'signal' | 'onProgress' | 'bm25'>;

/**
Passages with their BM25 searcher. Unless it is given, the store is written to a temporary folder, and so is the BM25 index, when it is first
needed.
*/
export class MiningCorpus implements AsyncDisposable {
	readonly store: PassageStore;
	readonly texts: Binding.NativeTexts;
	readonly #options: CorpusOptions;
	readonly #folder: TemporaryFolder;
	readonly #ownsStore: boolean;
	#bm25: Searcher | undefined;
	#ownIndex: Bm25Index | undefined;

	private constructor(
		store: PassageStore,
		texts: Binding.NativeTexts,
		ownsStore: boolean,
		folder: TemporaryFolder,
		options: CorpusOptions,
	) {
		this.store = store;
		this.texts = texts;
		this.#ownsStore = ownsStore;
		this.#folder = folder;
		this.#options = options;
		this.#bm25 = options.bm25;
	}

	static async open(passages: MiningPassages, options: CorpusOptions): Promise<MiningCorpus> {
		const folder = new TemporaryFolder();
		if (isInstance(passages, PassageStore)) {
			return new MiningCorpus(passages, await nativeTexts(passages), false, folder, options);
		}
		if (typeof passages !== 'string') {
			checkIterable('passages', passages, 'passages, a path, or a PassageStore');
		}
		try {
			const path = join(folder.path(), 'passages');
			const call = callOptions(options, 'read');
			await (typeof passages === 'string' ? PassageStore.ingest(passages, path, call) : PassageStore.write(passages, path, call));
			const store = await PassageStore.open(path);
			return new MiningCorpus(store, await nativeTexts(store), true, folder, options);
		} catch (error) {
			await folder.remove();
			throw error;
		}
	}

	/** Returns the BM25 searcher. Builds an index if none was given. */
	async bm25(): Promise<Searcher> {
		if (this.#bm25 === undefined) {
			this.#ownIndex = await Bm25Index.build(join(this.#folder.path(), 'bm25'), this.store, callOptions(this.#options, 'index'));
			this.#bm25 = this.#ownIndex;
		}
		return this.#bm25;
	}

	/** Returns those of the ids that are passages of the corpus. */
	async known(ids: readonly string[]): Promise<Set<string>> {
		const known = new Set<string>();
		const {signal} = this.#options;
		for (let from = 0; from < ids.length; from += IDS_PER_CALL) {
			const slice = ids.slice(from, from + IDS_PER_CALL);
			const found = await callNative({signal}, async () => PassageStore.handle(this.store).has(slice));
			slice.filter((_, i) => found[i] === 1).forEach(id => known.add(id));
		}
		return known;
	}

	/** Returns passages by their ids. */
	async passages(ids: Iterable<string>): Promise<Map<string, Passage>> {
		const passages = await this.store.get([...new Set(ids)]);
		return new Map(passages.map(passage => [passage.id, passage]));
	}

	/** Closes what was opened and removes the temporary folder. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#ownIndex?.close();
		if (this.#ownsStore) {
			this.store.close();
		}
		await this.#folder.remove();
	}
}

/** Returns the options for a stage: its progress gets the name of the stage. */
function callOptions(
	{signal, onProgress}: CorpusOptions,
	stage: MiningStage,
): {signal: AbortSignal | undefined; onProgress: ((progress: Progress) => void) | undefined} {
	return {signal, onProgress: onProgress && (progress => onProgress({stage, ...progress}))};
}

/** A temporary folder that is created when its path is first needed. */
class TemporaryFolder {
	#path: string | undefined;
	#unregister = (): void => {};

	path(): string {
		if (this.#path === undefined) {
			const path = mkdtempSync(join(tmpdir(), 'passagekit-mining-'));
			this.#path = path;
			this.#unregister = onForcedExit(() => rmSync(path, {recursive: true, force: true, maxRetries: 3}));
		}
		return this.#path;
	}

	async remove(): Promise<void> {
		const path = this.#path;
		if (path !== undefined) {
			await onPath('remove', path, async () => rm(path, {recursive: true, force: true, maxRetries: 3}));
			this.#unregister();
		}
	}
}
