// Describes the records of vector search for the report: their charts, tables and speeds.
import {type Description, type RecordKind, threadsInWords} from '../report/records/description.ts';
import {type QpsRecord, type TypedRecord, threadsOf} from '../report/records/record.ts';
import type {Definition} from './definition.ts';
import {vectorsCharts} from './report/charts.ts';
import {vectorsTables} from './report/html-tables.ts';
import type {Summary} from './results/summary.ts';

export type VectorsRecord = TypedRecord<Definition, Summary>;

export const vectorsKind: RecordKind = {
	accepts: ({definition}) => 'targets' in definition,
	describe: (record: QpsRecord) => describe(record as VectorsRecord),
};

function describe(record: VectorsRecord): Description {
	const {definition, results} = record;
	const {figures: tables, points: effortTables} = vectorsTables(record);
	const curves = results.flatMap(({name, curves = {}}) => Object.entries(curves).map(([k, curve]) => ({entry: name, k, curve})));
	return {
		kind: 'vectors',
		setting: setting(record),
		charts: vectorsCharts(definition, results),
		tables,
		effortTables,
		// `curve.at` has the speed at each target recall; for exact search, one speed.
		measured: curves.flatMap(({entry, k, curve}) =>
			curve.at.map(({recall, atLeast, wall, cpu, rival}) => ({
				entry,
				k,
				...(recall !== undefined && {recall}),
				atLeast,
				wall,
				cpu,
				...(rival && {ratio: {to: rival.name, atLeast: rival.atLeast, wall: rival.wall, cpu: rival.cpu}}),
			})),
		),
		indexes: results.flatMap(({name, built}) =>
			built ? [{entry: name, version: built.version, seconds: built.seconds, bytes: built.bytes}] : [],
		),
		recalls: curves.flatMap(({entry, k, curve}) => curve.points.map(({effort, recall}) => ({entry, k, effort, recall}))),
	};
}

/** Returns what was measured, in one line: the size of the data, the similarity, the queries, and the number of threads. */
function setting(record: VectorsRecord): string {
	const {rows, queries, similarity, filter} = record.definition;
	const among = filter === undefined ? '' : ` among ${100 * filter}% of the rows`;
	const vectors = `${rows.toLocaleString('en')} × ${String(record.data['dim'])} vectors`;
	const ranking = similarity === 'dot' ? 'inner product' : 'L2';
	return `${vectors}, ${ranking}, ${queries.toLocaleString('en')} queries${among}, ${threadsInWords(threadsOf(record))}`;
}
