/**
Finds the passages of the corpus that correspond to the contexts of questions, which come from another corpus or were split differently
(Karpukhin et al., 2020, §4.2).
*/
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {callNative, native} from '../../core/native/native.ts';
import {nativeRun} from '../../core/native/runs.ts';
import type {MiningCorpus} from './mining-corpus.ts';
import type {CheckedMiningOptions, TrainingQuestion} from './mining-options.ts';
import type {MiningCounts} from './mining-statistics.ts';

/**
Returns question id → its positive. If the corpus has a passage with the id and the text of the context, it is that passage. Otherwise, it is the
passage that contains an accepted answer and has the most pairs of adjacent words in common with the context, among the first BM25 hits for
the text of the context. A question without such a passage is counted as dropped.
*/
export async function matchContexts(
	questions: readonly TrainingQuestion[],
	corpus: MiningCorpus,
	options: CheckedMiningOptions,
	counts: MiningCounts,
): Promise<Map<string, readonly string[]>> {
	const found = await identicalPassages(questions, corpus);
	const others = questions.filter(({id}) => !found.has(id));
	if (others.length === 0) {
		return found;
	}
	const {contextDepth, contextOverlap, answerKind, signal} = options;
	// Several questions may have the same context, for which one search is enough.
	const queries = new Map<string, string>();
	for (const {context} of others) {
		if (!queries.has(context!.text)) {
			queries.set(context!.text, String(queries.size));
		}
	}
	const bm25 = await corpus.bm25();
	const run = await bm25.searchMany(
		[...queries].map(([text, id]) => ({id, text})),
		{k: contextDepth, signal},
	);
	const handle = await nativeRun(run);
	const matcher = new native.ContextMatcher(corpus.texts, answerKind === 'pattern');
	for (const {context, answers = []} of others) {
		await yieldIfOverBudget();
		matcher.add(queries.get(context!.text)!, context!.text, [...answers]);
	}
	const matches = await callNative({signal}, async control => matcher.find(handle, contextDepth, contextOverlap, control));
	for (const [i, {id}] of others.entries()) {
		// The addon returns null if passages overlap but lack an answer, and '' if none overlaps.
		const match = matches[i];
		if (match) {
			found.set(id, [match]);
		} else {
			counts.drop(id, match === '' ? 'unmatchedContext' : 'contextWithoutAnswer');
		}
	}
	return found;
}

/** Finds the contexts that are passages of the corpus, with the same id and text. */
async function identicalPassages(questions: readonly TrainingQuestion[], corpus: MiningCorpus): Promise<Map<string, readonly string[]>> {
	const ids = questions.flatMap(({context}) => (context!.id ? [context!.id] : []));
	const passages = await corpus.passages(await corpus.known([...new Set(ids)]));
	const found = new Map<string, readonly string[]>();
	for (const {id, context} of questions) {
		const passage = context!.id ? passages.get(context!.id) : undefined;
		if (passage?.text === context!.text) {
			found.set(id, [passage.id]);
		}
	}
	return found;
}
