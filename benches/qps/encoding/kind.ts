// Records of encoding, as the report shows them.
import {type Description, type RecordKind, referencedSpeeds} from '../report/description.ts';
import type {Kept, QpsRecord} from '../report/record.ts';
import {encodingCharts} from './charts.ts';
import type {Definition, Result} from './definition.ts';
import {encodingTables} from './tables-html.ts';

export type EncodingRecord = Kept<Definition, Result>;

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
