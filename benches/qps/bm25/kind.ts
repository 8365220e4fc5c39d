// Describes records of BM25 benchmarks for the report.
import {type Description, type RecordKind, referencedSpeeds, threadsInWords} from '../report/records/description.ts';
import {type QpsRecord, type TypedRecord, ourNames, threadsOf} from '../report/records/record.ts';
import type {Definition} from './definition.ts';
import {bm25Charts} from './report/charts.ts';
import {bm25Tables} from './report/html-tables.ts';
import type {Result} from './results/result.ts';

export type Bm25Record = TypedRecord<Definition, Result>;

export const bm25Kind: RecordKind = {
	accepts: ({definition}) => 'corpus' in definition && 'analysis' in definition,
	describe: (record: QpsRecord) => describe(record as Bm25Record),
};

function describe(record: Bm25Record): Description {
	const {definition, results} = record;
	const [ourFirstName] = [...ourNames(record)];
	const measuresBuilding = results.some(({seconds}) => seconds);
	const ratio = results.find(({name}) => name === ourFirstName)?.secondsRatio;
	return {
		kind: 'BM25',
		setting: setting(record),
		charts: bm25Charts(definition, results),
		tables: bm25Tables(record),
		measured: referencedSpeeds(results, definition.reference),
		indexes: results.flatMap(({name, built, seconds}) =>
			built ? [{entry: name, version: built.version, seconds: built.seconds, bytes: built.bytes, ...(seconds && {rounds: seconds})}] : [],
		),
		...(measuresBuilding && {headline: ratio ? `${ratio.median.toFixed(1)}× ${definition.reference}, building` : '–'}),
	};
}

function setting(record: Bm25Record): string {
	const {corpus, queries, analysis, warmUp} = record.definition;
	const warm = warmUp ? `, after a warm-up of ${warmUp.rounds} rounds and ${warmUp.seconds} s` : '';
	const tokens = analysis === 'tokens' ? 'tokens' : 'English analyzer';
	return `${queries ? `${queries} over` : 'building of'} ${corpus}, ${tokens}, ${threadsInWords(threadsOf(record))}${warm}`;
}
