// The charts of BM25 benchmarks: bars of queries per second and a chart of latencies, or bars of build times.
import type {Bar} from '../../report/plot/bars.ts';
import type {Chart} from '../../report/plot/chart.ts';
import {type Look, plainLooks} from '../../report/plot/colors.ts';
import type {PercentileFigures} from '../../report/plot/latencies.ts';
import {range} from '../../report/plot/pieces.ts';
import {PERCENTILES} from '../../statistics/latencies.ts';
import type {Definition} from '../definition.ts';
import type {Result} from '../results/result.ts';
import type {Speed} from '../results/speed.ts';

/** Returns the charts of a record, or of the results of a run. */
export function bm25Charts(definition: Definition, results: readonly Result[]): readonly Chart[] {
	const ours = new Set(definition.systems.filter(({system}) => system.startsWith('passagekit')).map(({name}) => name));
	const looks = plainLooks(results.map(({name}) => ({ours: ours.has(name)})));
	const entries = results.map((result, i) => ({...result, look: looks[i]!}));
	if (!definition.queries) {
		return [buildTimes(entries)];
	}
	const ks = (definition.k ?? []).map(String);
	const perK = <T>(speed: Result['speed'], value: (at: NonNullable<Result['speed']>[number]) => T): Readonly<Record<string, T>> =>
		Object.fromEntries(Object.entries(speed ?? {}).map(([k, at]) => [k, value(at)]));
	const measured = entries.filter(({speed}) => speed);
	const withLatencies = measured.filter(({speed}) => Object.values(speed!).some(({p50}) => p50));
	const bars: Chart = {
		kind: 'bars',
		ks,
		unit: 'queries per second',
		best: 'highest',
		entries: measured.map(({name, look, speed}) => ({name, look, bars: perK(speed, at => bar(at, definition.reference))})),
	};
	const latencies: Chart = {
		kind: 'latencies',
		ks,
		entries: withLatencies.map(({name, look, speed}) => ({name, look, percentiles: perK(speed, percentiles)})),
	};
	return withLatencies.length > 0 ? [bars, latencies] : [bars];
}

/** Returns the percentiles of latency that a record has: older records have only p50 and p99, and batches have none. */
function percentiles(speed: Speed): PercentileFigures {
	return PERCENTILES.flatMap(percentile => (speed[percentile] ? [[percentile, speed[percentile]] as const] : []));
}

/** Returns the bar of a speed, with its ratio to the reference as a note. */
function bar({wall, cpu, wallRatio, cpuRatio}: Speed, reference: string): Bar {
	return {
		wall,
		cpu,
		...(wallRatio &&
			cpuRatio && {
				note: {wall: `×${wallRatio.median.toFixed(2)}`, cpu: `×${cpuRatio.median.toFixed(2)}`},
				details: [`× ${reference}: ${range(wallRatio)} by wall time`],
			}),
	};
}

/** Returns bars of build times, which do not depend on k: their only k is ''. The bars show wall time even if CPU time is selected. */
function buildTimes(entries: ReadonlyArray<Result & {readonly look: Look}>): Chart {
	const measured = entries.flatMap(({name, look, seconds, secondsRatio}) => {
		const note = secondsRatio ? `${secondsRatio.median.toFixed(2)} times as fast` : '';
		return seconds ? [{name, look, bars: {'': {wall: seconds, cpu: seconds, note: {wall: note, cpu: note}}}}] : [];
	});
	return {kind: 'bars', ks: [''], unit: 'seconds', best: 'lowest', entries: measured};
}
