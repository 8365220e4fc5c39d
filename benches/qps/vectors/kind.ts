// Records of vectors, as the report shows them.
import {type Description, type RecordKind, threadsInWords} from '../report/description.ts';
import {type Kept, type QpsRecord, threadsOf} from '../report/record.ts';
import {vectorsCharts} from './charts.ts';
import type {Definition} from './definition.ts';
import type {Summary} from './summary.ts';
import {vectorsTables} from './tables-html.ts';

export type VectorsRecord = Kept<Definition, Summary>;

export const vectorsKind: RecordKind = {
	accepts: ({definition}) => 'targets' in definition,
	describe: (record: QpsRecord) => describe(record as VectorsRecord),
};

function describe(record: VectorsRecord): Description {
	const {definition, results} = record;
	const {figures, points} = vectorsTables(record);
	const curves = results.flatMap(({name, curves = {}}) => Object.entries(curves).map(([k, curve]) => ({entry: name, k, curve})));
	return {
		kind: 'vectors',
		setting: setting(record),
		charts: vectorsCharts(definition, results),
		tables: figures,
		effortTables: points,
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

function setting(record: VectorsRecord): string {
	const {rows, queries, similarity, filter} = record.definition;
	const among = filter === undefined ? '' : ` among ${100 * filter}% of the rows`;
	const vectors = `${rows.toLocaleString('en')} × ${String(record.data['dim'])} vectors`;
	const ranking = similarity === 'dot' ? 'inner product' : 'L2';
	return `${vectors}, ${ranking}, ${queries.toLocaleString('en')} queries${among}, ${threadsInWords(threadsOf(record))}`;
}
