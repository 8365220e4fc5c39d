// Records of DPR's table, which are shown as the table in words.
import type {RecordKind} from '../report/description.ts';

export const dprKind: RecordKind = {
	accepts: ({text}) => text !== undefined,
	describe: () => ({kind: 'table', setting: 'see the table', charts: [], tables: [], measured: []}),
};
