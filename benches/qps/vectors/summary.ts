// What the measurements of a definition come to, as records keep it.
import {type Latencies, latencyFigures} from '../latencies.ts';
import {type Figure, figure, median} from '../statistics.ts';
import {type At, type Point, speedAt} from './curve.ts';
import type {Built} from './indexes.ts';
import type {Definition, Result} from './definition.ts';
import {type Entry, isOurs} from './system.ts';

export interface Summary {
	readonly name: string;
	readonly ours: boolean;
	readonly failed?: string;
	readonly built?: Built;
	readonly peakBytes?: number | undefined;
	readonly anonBytes?: number;
	readonly fileBytes?: number;
	/** Queries asked. */
	readonly queries?: number;
	/** That searched, where the definition has several. */
	readonly threads?: number;
	/** Of each k. */
	readonly curves?: Readonly<Record<string, Curve>>;
}

export interface Curve {
	/** Medians over rounds. */
	readonly points: ReadonlyArray<{
		readonly effort: number;
		readonly recall: number;
		readonly wall: Figure;
		readonly cpu: Figure;
		/** Not of batches, nor in records from before there were any. */
		readonly latency?: Latencies<Figure>;
	}>;
	/** Of each target that is reached. */
	readonly at: readonly Target[];
}

export interface Target {
	/** None where search is exact. */
	readonly recall?: number;
	/** Speeds are at least so: the least effort is above that recall. */
	readonly atLeast: boolean;
	readonly wall: Figure;
	readonly cpu: Figure;
	readonly latency?: Latencies<Figure>;
	/** Of ours, how many times as fast as the fastest of the others that are called alike, within rounds. */
	readonly rival?: {readonly name: string; readonly atLeast: boolean; readonly wall: Figure; readonly cpu: Figure};
}

const ours = (entry: Entry): boolean => isOurs(entry) && !entry.limit;

export function summaries(definition: Definition, results: readonly Result[]): readonly Summary[] {
	const several = (definition.threads ?? 1) > 1;
	return results.map(result => {
		const {entry, failed, built, peakBytes, anonBytes, fileBytes, queries, threads, points} = result;
		const summary = {name: entry.name, ours: ours(entry), ...(failed && {failed}), ...(built && {built})};
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
			...(several && {threads: threads!}),
			curves,
		};
	});
}

function target(result: Result, results: readonly Result[], k: string, recall: number | undefined): readonly Target[] {
	const at = speed(result, k, recall);
	if (!at) {
		return [];
	}
	const best = ours(result.entry) ? fastest(result, results, k, recall) : undefined;
	const ratio = (of: 'wall' | 'cpu'): Figure => figure(at[of].map((value, round) => value / best!.at[of][round]!));
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

/** Of the others called from the same side, and in exact search in calls of as many queries. */
function fastest(
	{entry}: Result,
	results: readonly Result[],
	k: string,
	recall: number | undefined,
): {readonly name: string; readonly at: At} | undefined {
	const rivals = results.flatMap(other => {
		const alike = (other.entry.node ?? false) === (entry.node ?? false);
		const asOften = recall !== undefined || (other.entry.batch ?? false) === (entry.batch ?? false);
		const at = !ours(other.entry) && !other.entry.limit && alike && asOften ? speed(other, k, recall) : undefined;
		return at ? [{name: other.entry.name, at}] : [];
	});
	return rivals.sort((a, b) => median(b.at.wall) - median(a.at.wall))[0];
}

function speed({failed, points}: Result, k: string, recall: number | undefined): At | undefined {
	const of = points?.[k];
	if (failed || !of || of.length === 0) {
		return undefined;
	}
	return recall === undefined ? {...of[0]!, atLeast: false} : speedAt(of, recall);
}
