/**
Adds a stream of documents to a collection in batches, and commits at intervals. A document that the collection already has, with the same
passages, title and fields, is left as it is, so repeating an interrupted load costs little.
*/
import {isDeepStrictEqual} from 'node:util';
import type {Collection, SplitSetting, StoredPassage} from '../../collection/index.ts';
import {type SourceDocument, splitDocument} from '../../corpus/index.ts';

/** The interval between commits: a number of documents, or a time in milliseconds. */
export type CommitInterval = {readonly documents: number} | {readonly milliseconds: number};

/** The numbers of documents processed so far, by what was done with them. */
export interface AddCounts {
	/** Documents with new ids. */
	readonly added: number;
	/**
	Documents whose passages, title or fields differ from those in the collection, and documents whose ids were added or replaced since the
	last commit, which are not compared.
	*/
	readonly replaced: number;
	/** Documents that the collection already had, unchanged. With `newOnly`, all documents whose ids the collection already had. */
	readonly unchanged: number;
}

interface AddOptions {
	/** Whether to leave a document as it is if the collection already has its id. */
	readonly newOnly: boolean;
	readonly commitEvery: CommitInterval;
	readonly signal: AbortSignal;
	/** Called whenever documents have been added, including within a batch. `documents` is the number of documents processed so far. */
	readonly onProgress: (documents: number) => void;
}

/** A batch is full when it has this number of documents. Encoding a batch takes a few seconds at most. */
const MAX_DOCUMENTS = 64;
/** A batch is also full when its texts have at least this number of UTF-16 code units. */
const MAX_UNITS = 1 << 17;

/** Adds documents to a collection. After an error, the complete batches before it are added, but the last of them may not be committed. */
export class DocumentAdder {
	readonly #collection: Collection;
	readonly #split: SplitSetting;
	readonly #options: AddOptions;
	/**
	The ids of the documents that were added or replaced since the last commit. Until the next commit, the collection returns the previous
	versions of these documents, or nothing if they are new.
	*/
	readonly #uncommitted = new Set<string>();
	#committedAt = performance.now();
	#counts = {added: 0, replaced: 0, unchanged: 0};

	constructor(collection: Collection, split: SplitSetting, options: AddOptions) {
		this.#collection = collection;
		this.#split = split;
		this.#options = options;
	}

	/** The numbers of documents processed so far. */
	get counts(): AddCounts {
		return this.#counts;
	}

	/** Adds all documents and commits. */
	async add(documents: AsyncIterable<SourceDocument>): Promise<void> {
		let batch = new Map<string, SourceDocument>();
		let units = 0;
		const flush = async (): Promise<void> => {
			await this.#put([...batch.values()]);
			batch = new Map();
			units = 0;
			await this.#commitIfDue();
		};
		for await (const document of documents) {
			this.#options.signal.throwIfAborted();
			// A batch must not contain an id twice: it is flushed before a document with the same id, which then replaces the earlier one.
			if (batch.has(document.id) || batch.size >= MAX_DOCUMENTS || units >= MAX_UNITS) {
				await flush();
			}
			batch.set(document.id, document);
			units += document.text.length;
		}
		await flush();
		await this.commit();
	}

	async commit(): Promise<void> {
		await this.#collection.commit();
		this.#uncommitted.clear();
		this.#committedAt = performance.now();
	}

	async #commitIfDue(): Promise<void> {
		const {commitEvery} = this.#options;
		const isDue =
			'documents' in commitEvery
				? this.#uncommitted.size >= commitEvery.documents
				: performance.now() - this.#committedAt >= commitEvery.milliseconds;
		if (isDue) {
			await this.commit();
		}
	}

	/** Adds or replaces the documents of a batch that are new or changed. */
	async #put(batch: readonly SourceDocument[]): Promise<void> {
		const {newOnly, signal, onProgress} = this.#options;
		const {added, replaced, unchanged} = this.#counts;
		const before = added + replaced + unchanged;
		const {changed, known} = await this.#compared(batch);
		const sameCount = batch.length - changed.length;
		if (changed.length > 0) {
			await this.#collection.upsert(changed, {signal, onProgress: ({done}) => onProgress(before + sameCount + done)});
		}
		for (const {id} of changed) {
			this.#uncommitted.add(id);
		}
		const newCount = newOnly ? changed.length : changed.filter(({id}) => !known.has(id)).length;
		this.#counts = {added: added + newCount, replaced: replaced + changed.length - newCount, unchanged: unchanged + sameCount};
		onProgress(before + batch.length);
	}

	/** Returns the documents of a batch that must be added or replaced, and the ids of those that the collection already has. */
	async #compared(
		batch: readonly SourceDocument[],
	): Promise<{readonly changed: readonly SourceDocument[]; readonly known: ReadonlySet<string>}> {
		const texts = batch.map(document => this.#textsOf(document));
		// Requests one more passage than a document has, because the document in the collection may be longer.
		const ids = batch.flatMap(({id}, i) => Array.from({length: texts[i]!.length + 1}, (_, n) => `${id}#${n}`));
		const stored = new Map((await this.#collection.get(ids)).map(passage => [passage.id, passage]));
		const known = new Set(batch.map(({id}) => id).filter(id => this.#uncommitted.has(id) || stored.has(`${id}#0`)));
		const changed = batch.filter((document, i) => {
			if (this.#options.newOnly) {
				return !known.has(document.id);
			}
			return this.#uncommitted.has(document.id) || !isSame(document, texts[i]!, stored);
		});
		return {changed, known};
	}

	/** Returns the texts of the passages into which the collection splits a document. */
	#textsOf({id, text}: SourceDocument): string[] {
		const pieces = this.#split === false ? [] : splitDocument({id, text}, this.#split);
		return pieces.length === 0 ? [text] : pieces.map(piece => piece.text);
	}
}

/** Whether the stored passages are those of a document, with the same title and fields. */
function isSame({id, title, fields = {}}: SourceDocument, texts: readonly string[], stored: ReadonlyMap<string, StoredPassage>): boolean {
	return (
		!stored.has(`${id}#${texts.length}`) &&
		texts.every((text, n) => {
			const passage = stored.get(`${id}#${n}`);
			return passage?.text === text && passage.title === title && isDeepStrictEqual(passage.fields, fields);
		})
	);
}
