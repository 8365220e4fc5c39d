/** Checks relevance judgments and copies them to the addon. Without the checks, malformed judgments would be silently ignored. */
import {checkId, checkMap, hasMethods, kindOf, shown} from '../checks.ts';
import {RetrievalError} from '../errors.ts';
import {type Binding, native} from './native.ts';
import {yieldToEventLoop} from '../event-loop.ts';
import type {Qrels} from '../types.ts';

/** Number of queries that are copied per slice; that takes about a millisecond. */
const QUERIES_PER_SLICE = 500;

/** Copies judgments to the addon in slices, one per iteration of the event loop. */
export async function nativeQrels(qrels: Qrels, signal?: AbortSignal): Promise<Binding.QrelsBuilder> {
	const judgments = new native.QrelsBuilder();
	let added = 0;
	for (const [query, judged] of checkedQrels(qrels)) {
		judgments.add(query, [...judged.keys()], Int32Array.from(judged.values()));
		if (++added % QUERIES_PER_SLICE === 0) {
			await yieldToEventLoop();
			signal?.throwIfAborted();
		}
	}
	return judgments;
}

/** Iterates over the queries of `qrels` and their judgments. Each query is checked when the iteration reaches it. */
export function* checkedQrels(qrels: Qrels, what = 'qrels'): Generator<[string, ReadonlyMap<string, number>], void, undefined> {
	checkQrels(what, qrels);
	for (const [query, judged] of qrels) {
		checkId(`${what}: query id`, query);
		checkJudged(`${what}: judgments of query "${query}"`, judged);
		yield [query, judged];
	}
}

/** Checks only that `qrels` is a map. `checkedQrels` also checks its entries. */
export function checkQrels(what: string, qrels: unknown): asserts qrels is Qrels {
	checkMap(what, qrels, 'query id to a Map of passage id to grade');
}

/** Checks the judgments of one query: a map of passage ids to grades. */
export function checkJudged(what: string, judged: unknown): asserts judged is ReadonlyMap<string, number> {
	if (hasMethods(judged, 'has', Symbol.iterator) && !hasMethods(judged, 'get')) {
		const hint = 'convert it: new Map([...it].map(id => [id, 1]))';
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected a Map of passage id to grade, got ${kindOf(judged)}; ${hint}`);
	}
	checkMap(what, judged, 'passage id to grade');
	for (const [passage, grade] of judged) {
		checkId(`${what}: passage id`, passage);
		// Not `checkCount`, whose argument `what` would have to be built for every grade.
		if (typeof grade !== 'number' || (grade | 0) !== grade) {
			throw new RetrievalError('ERR_ARGUMENT', `${what}: grade of "${passage}": expected a 32-bit integer, got ${shown(grade)}`);
		}
	}
}
