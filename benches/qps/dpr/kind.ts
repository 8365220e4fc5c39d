// Describes the records of the benchmark `dpr-table` for the report. They are the only ones with a `text`, tables in plain text, which the
// report shows as it is.
import type {RecordKind} from '../report/records/description.ts';

export const dprKind: RecordKind = {
	accepts: ({text}) => text !== undefined,
	// There are no charts and no other tables.
	describe: () => ({kind: 'table', setting: 'see the table', charts: [], tables: [], measured: []}),
};
