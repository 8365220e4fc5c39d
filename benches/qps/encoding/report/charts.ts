// The charts of encoding benchmarks: bars of texts per second for each task.
import type {Bar} from '../../report/plot/bars.ts';
import type {Chart} from '../../report/plot/chart.ts';
import {plainLooks} from '../../report/plot/colors.ts';
import {range} from '../../report/plot/pieces.ts';
import {type Definition, taskNames} from '../definition.ts';
import type {Result, Speed} from '../results/result.ts';
import type {Task} from '../system.ts';

/** Returns the charts of a record, or of the results of a run. */
export function encodingCharts(definition: Definition, results: readonly Result[]): readonly Chart[] {
	const ours = new Set(definition.systems.filter(({system}) => system.startsWith('passagekit')).map(({name}) => name));
	const looks = plainLooks(results.map(({name}) => ({ours: ours.has(name)})));
	const entries = results.flatMap(({name, speed}, i) => {
		const bars = Object.entries(speed ?? {}).map(([task, at]) => [task, bar(at, definition.reference)]);
		return speed ? [{name, look: looks[i]!, bars: Object.fromEntries(bars)}] : [];
	});
	// Where other charts have a switch for k, this one has a switch for the task.
	const ks = (Object.keys(definition.tasks) as Task[]).map(task => taskNames[task]);
	return [{kind: 'bars', ks, unit: 'texts per second', best: 'highest', entries}];
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
