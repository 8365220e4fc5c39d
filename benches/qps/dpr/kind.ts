// Describes the records of the benchmark `dpr-table` for the report. Only these records have a `text`: tables in plain text, which the
// report shows unchanged.
import type {RecordKind} from '../report/records/description.ts';

export const dprKind: RecordKind = {
	accepts: ({text}) => text !== undefined,
	// There are no charts and no other tables.
	describe: () => ({kind: 'table', setting: 'see the table', charts: [], tables: [], measured: []}),
};
