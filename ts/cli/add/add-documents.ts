/**
Adds a stream of documents to a collection in batches, with a commit from time to time. Documents that the collection has already, with the
same passages and fields, are left as they are, so that a load that was interrupted costs little when it is run again.
*/
import {isDeepStrictEqual} from 'node:util';
import type {Collection, SplitSetting, StoredPassage} from '../../collection/index.ts';
import {type SourceDocument, splitDocument} from '../../corpus/index.ts';

/** After how many documents, or after how many milliseconds, changes are committed. */
export type CommitInterval = {readonly documents: number} | {readonly milliseconds: number};

/** How many documents were read so far, by what became of them. */
export interface AddCounts {
	/** With new ids. */
	readonly added: number;
	/** With other passages or fields than before. */
	readonly replaced: number;
	/** The same as before. With `newOnly`, all whose ids the collection had. */
	readonly unchanged: number;
}

interface AddOptions {
	/** Leaves documents as they are if the collection has their ids. */
	readonly newOnly: boolean;
	readonly commitEvery: CommitInterval;
	readonly signal: AbortSignal;
	/** Called when documents were added, also within a batch. `documents` counts all that were read. */
	readonly onProgress: (documents: number) => void;
}

/** Number of documents, or UTF-16 code units of text, of a batch. Encoding one takes a few seconds at most. */
const MAX_DOCUMENTS = 64;
const MAX_UNITS = 1 << 17;

/** Adds documents. After an error, the documents before it are added, but the last of them are not committed. */
export class DocumentAdder {
	readonly #collection: Collection;
	readonly #split: SplitSetting;
	readonly #options: AddOptions;
	/** The ids of the documents that were added since the last commit. What the collection returns for them is outdated. */
	readonly #uncommitted = new Set<string>();
	#committedAt = performance.now();
	#counts = {added: 0, replaced: 0, unchanged: 0};

	constructor(collection: Collection, split: SplitSetting, options: AddOptions) {
		this.#collection = collection;
		this.#split = split;
		this.#options = options;
	}

	/** What was added so far. */
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
			// A batch must not have an id twice; the later document replaces the earlier one.
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

	async #put(batch: readonly SourceDocument[]): Promise<void> {
		const {newOnly, signal, onProgress} = this.#options;
		const {added, replaced, unchanged} = this.#counts;
		const before = added + replaced + unchanged;
		const {changed, known} = await this.#compared(batch);
		const same = batch.length - changed.length;
		if (changed.length > 0) {
			await this.#collection.upsert(changed, {signal, onProgress: ({done}) => onProgress(before + same + done)});
		}
		for (const {id} of changed) {
			this.#uncommitted.add(id);
		}
		const isNew = newOnly ? changed.length : changed.filter(({id}) => !known.has(id)).length;
		this.#counts = {added: added + isNew, replaced: replaced + changed.length - isNew, unchanged: unchanged + same};
		onProgress(before + batch.length);
	}

	/** Returns the documents of a batch that must be added or replaced, and the ids that the collection has. */
	async #compared(
		batch: readonly SourceDocument[],
	): Promise<{readonly changed: readonly SourceDocument[]; readonly known: ReadonlySet<string>}> {
		const texts = batch.map(document => this.#textsOf(document));
		// One more passage than a document has, because the collection may have a longer document.
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
