// What is drawn of a record.
import {bm25Charts} from '../bm25/charts.ts';
import {encodingCharts} from '../encoding/charts.ts';
import {vectorsCharts} from '../vectors/charts.ts';
import type {Chart} from './plot/chart.ts';
import {type QpsRecord, isEncoding, isText, isVectors} from './record.ts';

export function chartsOf(record: QpsRecord): readonly Chart[] {
	if (isVectors(record)) {
		return vectorsCharts(record.definition, record.results);
	}
	if (isText(record)) {
		return [];
	}
	return isEncoding(record) ? encodingCharts(record.definition, record.results) : bm25Charts(record.definition, record.results);
}
