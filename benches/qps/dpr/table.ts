// The results of `dpr-table` as plain text, next to the figures of Karpukhin et al. (2020, § 5.4): questions per second,
// build times, and the ratios of dense retrieval to BM25.
import {table} from '../report/tables/text-table.ts';
import type {Figure} from '../statistics/statistics.ts';
import type {Curve, Summary} from '../vectors/results/summary.ts';
import type {Definition, Measured} from './definition.ts';
import {paper, paperEncodingRate} from './paper.ts';

/** The cells of a row. */
type Row = readonly string[];

/**
Returns a line about the data, three tables, and a line per entry that failed. Rows that start with `DPR (2020)` have the
figures of the paper, rows that start with `here` those of the run. The paper's figures are from another machine and from
8,000 times as many passages as SQuAD has, so only the ratios of the paper can be compared with those of the run.
*/
export function dprTable({k, model, reference}: Pick<Definition, 'k' | 'model' | 'reference'>, measured: Measured): string {
	const {encoded, sparse, sparseBuilds, dense, denseBuilds} = measured;
	const {rows, texts} = encoded.passages;
	const failures = [...sparse, ...sparseBuilds, ...dense].flatMap(({name, failed}) =>
		failed ? [`${name}: not measured (${failed})`] : [],
	);
	return [
		`${texts} passages${rows < texts ? ` (${rows} of them encoded)` : ''}, top ${k}, one core; in the paper 21 million passages, on a server`,
		table(
			['questions per second', 'wall', 'cpu', 'recall', `same@10 as ${reference}`],
			[
				['DPR (2020), HNSW of Faiss', paper.dense.questionsPerSecond.toFixed(1), '', '', ''],
				...dense.flatMap(result => {
					const point = pointOf(result, k);
					return point ? [[`here, ${result.name}`, rate(point.wall), rate(point.cpu), point.recall.toFixed(4), '']] : [];
				}),
				['DPR (2020), BM25 of Lucene, per CPU thread', paper.sparse.questionsPerSecond.toFixed(1), '', '', ''],
				...sparse.flatMap(({name, speed}): readonly Row[] => {
					const at = speed?.[k];
					return at ? [[`here, ${name}`, rate(at.wall), rate(at.cpu), '', at.agreement ? at.agreement.overlapAt10.toFixed(3) : '']] : [];
				}),
				['here, encoding a question', (encoded.questions.rows / encoded.questions.seconds).toFixed(0), '', '', ''],
			],
		),
		table(
			['building', 'seconds', 'passages/s', 'CPU s'],
			[
				[`DPR (2020), encoding, each of ${paper.encoding.gpus} GPUs`, paper.encoding.seconds.toFixed(0), paperEncodingRate.toFixed(0), ''],
				buildRow(`here, ${model.split('/').at(-1)!}`, rows, encoded.passages.seconds, encoded.passages.cpuSeconds),
				buildRow('DPR (2020), HNSW of Faiss', paper.passages, paper.dense.buildSeconds),
				...denseBuilds.flatMap(({name, built}) => (built ? [buildRow(`here, ${name}`, rows, built.seconds, built.cpuSeconds)] : [])),
				buildRow('DPR (2020), inverted index of Lucene', paper.passages, paper.sparse.buildSeconds),
				...sparseBuilds.flatMap(({name, seconds}) => (seconds ? [buildRow(`here, ${name}`, texts, seconds.median)] : [])),
			],
		),
		table(
			['ratio of dense to BM25', 'questions/s', 'building'],
			[
				[
					'DPR (2020), Faiss and Lucene',
					ratio(paper.dense.questionsPerSecond, paper.sparse.questionsPerSecond),
					ratio(paper.dense.buildSeconds, paper.sparse.buildSeconds),
				],
				...denseToSparse(k, reference, measured),
			],
		),
		...new Set(failures),
	].join('\n\n');
}

/**
Returns a row for each of two pairs: the first dense entry that is not passagekit's with the reference, and passagekit's
first dense entry with the first sparse entry other than the reference.
*/
function denseToSparse(k: number, reference: string, {sparse, sparseBuilds, dense}: Measured): readonly Row[] {
	const pairs = [
		[dense.find(({ours}) => !ours), reference],
		[dense.find(({ours}) => ours), sparse.find(({name}) => name !== reference)?.name],
	] as const;
	return pairs.flatMap(([denseResult, sparseName]): readonly Row[] => {
		const point = denseResult && pointOf(denseResult, k);
		const speed = sparse.find(({name}) => name === sparseName)?.speed?.[k];
		const seconds = sparseBuilds.find(({name}) => name === sparseName)?.seconds;
		return point && speed && seconds
			? [
					[
						`here, ${denseResult.name} and ${sparseName}`,
						ratio(point.wall.median, speed.wall.median),
						ratio(denseResult.built!.seconds, seconds.median),
					],
				]
			: [];
	});
}

/** Returns the measurement at the definition's only effort. */
const pointOf = ({curves}: Summary, k: number): Curve['points'][number] | undefined => curves?.[k]?.points[0];

const buildRow = (name: string, passages: number, seconds: number, cpuSeconds?: number): Row => [
	name,
	seconds.toFixed(seconds < 100 ? 2 : 0),
	(passages / seconds).toFixed(0),
	cpuSeconds === undefined ? '' : cpuSeconds.toFixed(2),
];

/** Returns the median, and half the range between minimum and maximum in percent of the median. */
const rate = ({median, least, most}: Figure): string => `${median.toFixed(0)} ±${Math.round((50 * (most - least)) / median)}%`;
const ratio = (a: number, b: number): string => (a / b).toPrecision(3);
