/**
The command `passagekit replicate`, which runs the replication study (Ma et al., 2021) and prints the values of two
tables of its report, in percent: Table 1, the top-k accuracy of retrievers, and Table 3, the exact match of the reader.
*/
import type {Command} from 'commander';
import type {Study} from '../../studies/replication/index.ts';
import {replicationStudy} from '../../studies/replication/replicate.ts';
import {UsageError} from '../errors.ts';
import {type RemoteFlags, addConnectionFlags, connectionOf} from '../remote/flags.ts';
import {table} from '../table.ts';
import {registerStudy} from './study.ts';

export function registerReplicate(program: Command, signal: AbortSignal): void {
	registerStudy(program, signal, replicationStudy, summary, {
		add: addConnectionFlags,
		async options({url, ca, awsRegion}, isGiven) {
			if (url !== undefined && isGiven('encoder')) {
				throw new UsageError('replicate: --encoder has no effect with --url, whose index has its own encoder');
			}
			if (url === undefined && (ca !== undefined || awsRegion !== undefined)) {
				throw new UsageError(`replicate: --${ca === undefined ? 'aws-region' : 'ca'} needs --url URL`);
			}
			// These flags are no options of the study.
			const others: object = {ca: undefined, awsRegion: undefined};
			if (url === undefined) {
				return others;
			}
			const {url: _url, ...connection} = await connectionOf([], {ca, awsRegion} as RemoteFlags);
			return {...others, encoder: undefined, connection};
		},
	});
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
