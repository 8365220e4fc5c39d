// Describes records of encoding benchmarks for the report.
import {type Description, type RecordKind, referencedSpeeds} from '../report/records/description.ts';
import type {QpsRecord, TypedRecord} from '../report/records/record.ts';
import type {Definition} from './definition.ts';
import {encodingCharts} from './report/charts.ts';
import {encodingTables} from './report/html-tables.ts';
import type {Result} from './results/result.ts';

export type EncodingRecord = TypedRecord<Definition, Result>;

export const encodingKind: RecordKind = {
	accepts: ({definition}) => 'tasks' in definition,
	describe: (record: QpsRecord) => describe(record as EncodingRecord),
};

function describe(record: EncodingRecord): Description {
	const {definition, results} = record;
	const {model, maxTokens, tasks, reference} = definition;
	const counts = Object.values(tasks).map(({sample, texts}) => `${sample.toLocaleString('en')} ${texts}`);
	return {
		kind: 'encoding',
		setting: `${model}, at most ${maxTokens} tokens per text; ${counts.join(', ')}; one thread`,
		charts: encodingCharts(definition, results),
		tables: encodingTables(record),
		measured: referencedSpeeds(results, reference),
	};
}
