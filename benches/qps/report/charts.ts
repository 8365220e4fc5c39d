// What is drawn of a record.
import {bm25Charts} from '../bm25/charts.ts';
import {vectorsCharts} from '../vectors/charts.ts';
import type {Chart} from './plot/chart.ts';
import {type QpsRecord, isVectors} from './record.ts';

export const chartsOf = (record: QpsRecord): readonly Chart[] =>
	isVectors(record) ? vectorsCharts(record.definition, record.results) : bm25Charts(record.definition, record.results);
