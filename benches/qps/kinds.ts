// Determines the kind of a record (each suite has its own kind), and describes the record for the report.
import {bm25Kind} from './bm25/kind.ts';
import {dprKind} from './dpr/kind.ts';
import {encodingKind} from './encoding/kind.ts';
import type {DescribedRecord, RecordKind} from './report/records/description.ts';
import type {QpsRecord} from './report/records/record.ts';
import {vectorsKind} from './vectors/kind.ts';

const kinds: readonly RecordKind[] = [vectorsKind, dprKind, encodingKind, bm25Kind];

/** Returns a record with the description that the report shows. Fails if no suite makes such records. */
export function described(record: QpsRecord): DescribedRecord {
	const kind = kinds.find(each => each.accepts(record));
	if (!kind) {
		throw new TypeError(`${record.definition.name}: expected a record of BM25, vectors, encoding or DPR's table, got another`);
	}
	return {record, ...kind.describe(record)};
}
