import type {PassageStore} from '../../corpus/index.ts';
import {waitForTime} from '../../core/event-loop.ts';

/** The corpus in its order, titles by passage, and the mean length of a passage in words. */
export async function corpusFacts(
	passages: PassageStore,
	signal: AbortSignal | undefined,
): Promise<{order: readonly string[]; ids: ReadonlySet<string>; titles: ReadonlyMap<string, string>; words: number}> {
	const order: string[] = [];
	const titles = new Map<string, string>();
	let words = 0;
	for await (const {id, title, text} of passages) {
		await waitForTime();
		signal?.throwIfAborted();
		order.push(id);
		words += wordCount(text);
		if (title !== undefined && title !== '') {
			titles.set(id, title);
		}
	}
	return {order, ids: new Set(order), titles, words: words / order.length};
}

/** Words by white space. */
export const wordCount = (text: string): number => text.match(/\S+/gu)?.length ?? 0;
