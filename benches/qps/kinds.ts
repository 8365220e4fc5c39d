// All kinds of records: one per folder beside this file.
import {bm25Kind} from './bm25/kind.ts';
import {dprKind} from './dpr/kind.ts';
import {encodingKind} from './encoding/kind.ts';
import type {DescribedRecord, RecordKind} from './report/description.ts';
import type {QpsRecord} from './report/record.ts';
import {vectorsKind} from './vectors/kind.ts';

const kinds: readonly RecordKind[] = [vectorsKind, dprKind, encodingKind, bm25Kind];

export function described(record: QpsRecord): DescribedRecord {
	const kind = kinds.find(each => each.accepts(record));
	if (!kind) {
		throw new TypeError(`${record.definition.name}: expected a record of BM25, vectors, encoding or DPR's table, got another`);
	}
	return {record, ...kind.describe(record)};
}
