// Records of BM25, as the report shows them.
import {type Description, type RecordKind, referencedSpeeds, threadsInWords} from '../report/description.ts';
import {type Kept, type QpsRecord, ourNames, threadsOf} from '../report/record.ts';
import {bm25Charts} from './charts.ts';
import type {Definition, Result} from './definition.ts';
import {bm25Tables} from './tables-html.ts';

export type Bm25Record = Kept<Definition, Result>;

export const bm25Kind: RecordKind = {
	accepts: ({definition}) => 'corpus' in definition && 'analysis' in definition,
	describe: (record: QpsRecord) => describe(record as Bm25Record),
};

function describe(record: Bm25Record): Description {
	const {definition, results} = record;
	const first = results.find(({name}) => name === [...ourNames(record)][0]);
	const builds = results.some(({seconds}) => seconds);
	const ratio = first?.secondsRatio;
	return {
		kind: 'BM25',
		setting: setting(record),
		charts: bm25Charts(definition, results),
		tables: bm25Tables(record),
		measured: referencedSpeeds(results, definition.reference),
		indexes: results.flatMap(({name, built, seconds}) =>
			built ? [{entry: name, version: built.version, seconds: built.seconds, bytes: built.bytes, ...(seconds && {rounds: seconds})}] : [],
		),
		...(builds && {headline: ratio ? `${ratio.median.toFixed(1)}× ${definition.reference}, building` : '–'}),
	};
}

function setting(record: Bm25Record): string {
	const {corpus, queries, analysis, warmUp} = record.definition;
	const warm = warmUp ? `, after a warm-up of ${warmUp.rounds} rounds and ${warmUp.seconds} s` : '';
	const tokens = analysis === 'tokens' ? 'tokens' : 'English analyzer';
	return `${queries ? `${queries} over` : 'building of'} ${corpus}, ${tokens}, ${threadsInWords(threadsOf(record))}${warm}`;
}
