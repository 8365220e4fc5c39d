// Summarizes what was measured for each entry, in the form that records store: curves, speeds at the target recalls, and
// ratios to the fastest other system. An entry is a system, the options of its index, and the way in which it is called.
import {type Latencies, latencyFigures} from '../../statistics/latencies.ts';
import {type Figure, figure, median} from '../../statistics/statistics.ts';
import type {Definition} from '../definition.ts';
import type {Built} from '../indexes.ts';
import {type Entry, isOurs} from '../system.ts';
import {type Point, type SpeedAtRecall, speedAt} from './curve.ts';
import type {Result} from './result.ts';

/** What was measured for one entry. */
export interface Summary {
	readonly name: string;
	/** Whether the entry is a search by passagekit. */
	readonly ours: boolean;
	/** Why the entry was not measured. */
	readonly failed?: string;
	readonly built?: Built;
	/** The peak memory of the process that searched. */
	readonly peakBytes?: number | undefined;
	/** The peaks of the process's anonymous memory and of the memory mapped from files. */
	readonly anonBytes?: number;
	readonly fileBytes?: number;
	/** The number of queries per round. */
	readonly queries?: number;
	/** The number of threads that searched, if the definition has several. */
	readonly threads?: number;
	/** The curve at each k. */
	readonly curves?: Readonly<Record<string, Curve>>;
}

/** The speed of an entry as a function of recall, at one k. */
export interface Curve {
	/** What was measured at each effort, which is the search parameter that trades speed for recall. */
	readonly points: ReadonlyArray<{
		readonly effort: number;
		readonly recall: number;
		readonly wall: Figure;
		readonly cpu: Figure;
		/** Missing for batches, and in old records. */
		readonly latency?: Latencies<Figure>;
	}>;
	/** The speed at each target recall that is reached. For exact search, one speed without a recall. */
	readonly at: readonly Target[];
}

/** The speed at a target recall. */
export interface Target {
	/** Missing for exact search. */
	readonly recall?: number;
	/** Whether speeds are lower bounds, because even the smallest effort has a higher recall. */
	readonly atLeast: boolean;
	readonly wall: Figure;
	readonly cpu: Figure;
	readonly latency?: Latencies<Figure>;
	/**
	For passagekit's entries: the fastest comparable system (see `fastest`), and how many times as fast passagekit is in the
	same rounds. `atLeast` says whether the speed of the other system is a lower bound.
	*/
	readonly rival?: {readonly name: string; readonly atLeast: boolean; readonly wall: Figure; readonly cpu: Figure};
}

/** Returns whether an entry is a search by passagekit. A `limit` entry runs in passagekit's server, but does not search. */
const countsAsOurs = (entry: Entry): boolean => isOurs(entry) && !entry.limit;

/** Summarizes the results of a definition. */
export function summaries(definition: Definition, results: readonly Result[]): readonly Summary[] {
	const isMultithreaded = (definition.threads ?? 1) > 1;
	return results.map(result => {
		const {entry, failed, built, peakBytes, anonBytes, fileBytes, queries, threads, points} = result;
		const summary = {name: entry.name, ours: countsAsOurs(entry), ...(failed && {failed}), ...(built && {built})};
		if (failed || !points) {
			return summary;
		}
		const curves: Record<string, Curve> = {};
		for (const [k, recalls] of Object.entries(definition.targets)) {
			const targets = recalls.length > 0 ? recalls : [undefined];
			curves[k] = {
				points: points[k]!.map(({effort, recall, wall, cpu, latencies}) => ({
					effort,
					recall: Number(recall.toFixed(5)),
					wall: figure(wall),
					cpu: figure(cpu),
					...latency(latencies),
				})),
				at: targets.flatMap(recall => target(result, results, k, recall)),
			};
		}
		return {
			...summary,
			peakBytes,
			...(anonBytes !== undefined && {anonBytes, fileBytes: fileBytes!}),
			queries: queries!,
			...(isMultithreaded && {threads: threads!}),
			curves,
		};
	});
}

/**
Returns the speed of an entry at a recall, or of exact search if `recall` is undefined. Returns an empty list if the recall
is not reached.
*/
function target(result: Result, results: readonly Result[], k: string, recall: number | undefined): readonly Target[] {
	const at = speed(result, k, recall);
	if (!at) {
		return [];
	}
	const best = countsAsOurs(result.entry) ? fastest(result, results, k, recall) : undefined;
	const ratio = (clock: 'wall' | 'cpu'): Figure => figure(at[clock].map((value, round) => value / best!.at[clock][round]!));
	return [
		{
			...(recall !== undefined && {recall}),
			atLeast: at.atLeast,
			wall: figure(at.wall),
			cpu: figure(at.cpu),
			...latency(at.latencies),
			...(best && {rival: {name: best.name, atLeast: best.at.atLeast, wall: ratio('wall'), cpu: ratio('cpu')}}),
		},
	];
}

function latency(rounds: Point['latencies']): {readonly latency?: Latencies<Figure>} {
	const latency = latencyFigures(rounds ?? []);
	return latency ? {latency} : {};
}

/**
Returns the fastest system other than passagekit that is comparable with an entry: either both are called from Node, or
neither is. In exact search, in addition, either both get queries one at a time, or both get them as a batch.
*/
function fastest(
	{entry}: Result,
	results: readonly Result[],
	k: string,
	recall: number | undefined,
): {readonly name: string; readonly at: SpeedAtRecall} | undefined {
	const rivals = results.flatMap(other => {
		const sameSide = (other.entry.node ?? false) === (entry.node ?? false);
		const sameCalls = recall !== undefined || (other.entry.batch ?? false) === (entry.batch ?? false);
		const at = !countsAsOurs(other.entry) && !other.entry.limit && sameSide && sameCalls ? speed(other, k, recall) : undefined;
		return at ? [{name: other.entry.name, at}] : [];
	});
	return rivals.sort((a, b) => median(b.at.wall) - median(a.at.wall))[0];
}

/** Returns the speed of an entry at a recall or, if `recall` is undefined, the speed at the single point of exact search. */
function speed({failed, points}: Result, k: string, recall: number | undefined): SpeedAtRecall | undefined {
	const pointsAtK = points?.[k];
	if (failed || !pointsAtK || pointsAtK.length === 0) {
		return undefined;
	}
	return recall === undefined ? {...pointsAtK[0]!, atLeast: false} : speedAt(pointsAtK, recall);
}
