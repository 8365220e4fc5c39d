// Makes small records of `benches/qps`, for tests of reports, comparisons and charts. A record has the queries per second and other results
// of one run of a benchmark.
import type {Bm25Record} from '../../benches/qps/bm25/kind.ts';
import type {Figure} from '../../benches/qps/statistics/statistics.ts';
import type {VectorsRecord} from '../../benches/qps/vectors/kind.ts';

/** Makes a figure whose minimum and maximum are below and above the median by `spread` times the median. */
export const figure = (median: number, spread = 0.02): Figure => ({median, least: median * (1 - spread), most: median * (1 + spread)});

const machine = {
	date: '2026-01-02T03:04:05.000Z',
	cpu: 'A CPU',
	cores: 2,
	pinnedTo: 1,
	flags: 'avx2 fma',
	memoryBytes: 16e9,
	platform: 'linux-x64',
	commit: 'abc1234',
};

/**
Makes a record of BM25 with Lucene as the reference, passagekit at four times Lucene's speed, and PISA, which failed. `before` and
`after` are the one-minute load averages before and after the benchmark, `spread` is the spread of the speeds by wall and CPU time, `name`
is the name of the definition, `passagekitName` is that of passagekit's entry, `date` is when the benchmark ran, and `rounds` is the number
of rounds. By default, the record is not noisy.
*/
export function bm25Record({
	before = 0.2,
	after = 1.1,
	spread = 0.02,
	name = 'small',
	passagekitName = 'passagekit',
	date = machine.date,
	rounds = 5,
} = {}): Bm25Record {
	const built = {version: '1', seconds: 2, bytes: 3e6, peakBytes: 4e6};
	const speed = (wall: number) => ({wall: figure(wall, spread), cpu: figure(wall, spread), rounds: []});
	return {
		definition: {
			name,
			about: 'a few questions',
			corpus: 'tiny',
			queries: 'some',
			analysis: 'tokens',
			k: [10],
			rounds,
			reference: 'Lucene',
			systems: [
				{name: 'Lucene', system: 'lucene'},
				{name: passagekitName, system: 'passagekit', exact: true},
				{name: 'PISA', system: 'pisa'},
			],
		},
		data: {corpus: {about: 'little', files: ['a.tsv']}, queries: {about: 'made up'}},
		machine: {...machine, date},
		load: {before: [before, 9, 9], after: [after, 9, 9]},
		results: [
			{name: 'Lucene', built, speed: {10: {...speed(1000), p50: figure(900), p99: figure(2000)}}},
			{
				name: passagekitName,
				built,
				speed: {
					10: {
						...speed(4000),
						p50: figure(200),
						p99: figure(500),
						wallRatio: figure(4),
						cpuRatio: figure(4),
						agreement: {queries: 100, identical: 99, overlapAt10: 0.999},
					},
				},
			},
			{name: 'PISA', failed: 'not set up'},
		],
	};
}

/** Makes a record of vector search with one system, measured at two efforts (values of `efSearch`) with the given recalls at k = 10. */
export function vectorsRecord(recalls: readonly [number, number] = [0.94, 0.97]): VectorsRecord {
	const points = recalls.map((recall, i) => ({
		effort: 10 * (i + 1),
		recall,
		wall: figure(1000 / (i + 1)),
		cpu: figure(1000 / (i + 1)),
	}));
	return {
		definition: {
			name: 'vectors',
			about: 'a few vectors',
			data: 'tiny',
			rows: 100,
			queries: 10,
			similarity: 'dot',
			targets: {10: [0.95]},
			efforts: {10: [10, 20]},
			rounds: 3,
			systems: [{name: 'passagekit', system: 'passagekit', options: {m: 16}}],
		},
		data: {about: 'made up', dim: 4},
		machine,
		load: {before: [0, 0, 0], after: [1, 1, 1]},
		results: [
			{
				name: 'passagekit',
				ours: true,
				built: {version: '1', seconds: 1, cpuSeconds: 1, bytes: 1e6},
				queries: 10,
				curves: {10: {points, at: [{recall: 0.95, atLeast: false, wall: figure(800), cpu: figure(800)}]}},
			},
		],
	};
}
