// What is drawn of encoding: texts per second of each task.
import type {Chart} from '../report/plot/chart.ts';
import {plainLooks} from '../report/plot/colors.ts';
import {range} from '../report/plot/pieces.ts';
import {type Definition, type Result, type Speed, taskNames} from './definition.ts';
import type {Task} from './system.ts';

export function encodingCharts(definition: Definition, results: readonly Result[]): readonly Chart[] {
	const own = new Set(definition.systems.filter(({system}) => system.startsWith('passagekit')).map(({name}) => name));
	const looks = plainLooks(results.map(({name}) => ({ours: own.has(name)})));
	const entries = results.flatMap(({name, speed}, i) => {
		const of = Object.entries(speed ?? {}).map(([task, at]) => [task, bar(at, definition.reference)]);
		return speed ? [{name, look: looks[i]!, of: Object.fromEntries(of)}] : [];
	});
	const ks = (Object.keys(definition.tasks) as Task[]).map(task => taskNames[task]);
	return [{kind: 'bars', ks, unit: 'texts per second', best: 'most', entries}];
}

function bar({wall, cpu, wallRatio, cpuRatio}: Speed, reference: string) {
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
