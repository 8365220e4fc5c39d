/** Collects what studies need to know about a corpus: passage ids, titles and the mean length of a passage. */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import type {PassageStore} from '../../corpus/index.ts';

/** The result of `corpusStatistics`. */
export interface CorpusStatistics {
	/** All passage ids, in the order of the corpus. */
	readonly order: readonly string[];
	/** The same ids as a set. */
	readonly ids: ReadonlySet<string>;
	/** Passage id → title, for passages with a title. */
	readonly titles: ReadonlyMap<string, string>;
	/** Mean number of words per passage, without titles. */
	readonly words: number;
}

/** Reads the whole corpus once. */
export async function corpusStatistics(passages: PassageStore, signal: AbortSignal | undefined): Promise<CorpusStatistics> {
	const order: string[] = [];
	const titles = new Map<string, string>();
	let words = 0;
	for await (const {id, title, text} of passages) {
		await yieldIfOverBudget();
		signal?.throwIfAborted();
		order.push(id);
		words += wordCount(text);
		if (title !== undefined && title !== '') {
			titles.set(id, title);
		}
	}
	return {order, ids: new Set(order), titles, words: words / order.length};
}

/** Returns the number of words in a text. Words are separated by white space. */
export const wordCount = (text: string): number => text.match(/\S+/gu)?.length ?? 0;
