// What is drawn of BM25: speeds and latencies, or seconds of building.
import {PERCENTILES, type Percentile} from '../latencies.ts';
import type {Bar} from '../report/plot/bars.ts';
import type {Chart} from '../report/plot/chart.ts';
import {type Look, plainLooks} from '../report/plot/colors.ts';
import {range} from '../report/plot/pieces.ts';
import type {Figure} from '../statistics.ts';
import type {Definition, Result} from './definition.ts';
import type {Speed} from './speed.ts';

export function bm25Charts(definition: Definition, results: readonly Result[]): readonly Chart[] {
	const own = new Set(definition.systems.filter(({system}) => system.startsWith('passagekit')).map(({name}) => name));
	const all = plainLooks(results.map(({name}) => ({ours: own.has(name)})));
	const entries = results.map((result, i) => ({...result, look: all[i]!}));
	if (!definition.queries) {
		return [building(entries)];
	}
	const ks = (definition.k ?? []).map(String);
	const of = <T>(speed: Result['speed'], value: (at: NonNullable<Result['speed']>[number]) => T): Readonly<Record<string, T>> =>
		Object.fromEntries(Object.entries(speed ?? {}).map(([k, at]) => [k, value(at)]));
	const measured = entries.filter(({speed}) => speed);
	const single = measured.filter(({speed}) => Object.values(speed!).some(({p50}) => p50));
	return [
		{
			kind: 'bars',
			ks,
			unit: 'queries per second',
			best: 'most',
			entries: measured.map(({name, look, speed}) => ({name, look, of: of(speed, at => bar(at, definition.reference))})),
		},
		...(single.length > 0
			? [{kind: 'ladder' as const, ks, entries: single.map(({name, look, speed}) => ({name, look, of: of(speed, rungs)}))}]
			: []),
	];
}

/** Of the percentiles that there are, µs; in a batch there are none. */
function rungs(speed: Speed): ReadonlyArray<readonly [Percentile, Figure]> {
	return PERCENTILES.flatMap(percentile => (speed[percentile] ? [[percentile, speed[percentile]] as const] : []));
}

function bar({wall, cpu, wallRatio, cpuRatio}: Speed, reference: string): Bar {
	return {
		wall,
		cpu,
		...(wallRatio &&
			cpuRatio && {
				note: {wall: `×${wallRatio.median.toFixed(2)}`, cpu: `×${cpuRatio.median.toFixed(2)}`},
				more: [`× ${reference}: ${range(wallRatio)} by wall time`],
			}),
	};
}

function building(entries: ReadonlyArray<Result & {readonly look: Look}>): Chart {
	const measured = entries.flatMap(({name, look, seconds, secondsRatio}) => {
		const note = secondsRatio ? `${secondsRatio.median.toFixed(2)} times as fast` : '';
		return seconds ? [{name, look, of: {'': {wall: seconds, cpu: seconds, note: {wall: note, cpu: note}}}}] : [];
	});
	return {kind: 'bars', ks: [''], unit: 'seconds', best: 'least', entries: measured};
}
