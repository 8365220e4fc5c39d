/**
The command `passagekit replicate`, which runs the replication study (Ma et al., 2021) and prints the values of two
tables of its report, in percent: Table 1, the top-k accuracy of retrievers, and Table 3, the exact match of the reader.
*/
import type {Command} from 'commander';
import type {Study} from '../../studies/replication/index.ts';
import {replicationStudy} from '../../studies/replication/replicate.ts';
import {table} from '../table.ts';
import {registerStudy} from './study.ts';

export function registerReplicate(program: Command, signal: AbortSignal): void {
	registerStudy(program, signal, replicationStudy, summary);
}

function summary({retrieval, reading}: Study): string {
	const percent = (share: number): string => (100 * share).toFixed(1);
	const retrievalTable = table(
		['retriever', 'weight', ...retrieval.ks.map(k => `top-${k}`)],
		retrieval.rows.map(({condition, weight, accuracy}) => [
			condition,
			weight === undefined ? '' : String(Number(weight.toPrecision(4))),
			...accuracy.map(percent),
		]),
	);
	if (!reading) {
		return retrievalTable;
	}
	const readingTable = table(
		['exact match', ...reading.rows[0]!.cells.map(({scoring}) => scoring)],
		reading.rows.map(({retriever, cells}) => [retriever, ...cells.map(({exactMatch}) => percent(exactMatch))]),
	);
	return [retrievalTable, '', readingTable].join('\n');
}
