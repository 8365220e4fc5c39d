// What a run comes to, in the shape of DPR's § 5.4: questions a second, what building takes, and dense beside sparse.
import type {Figure} from '../statistics.ts';
import {table} from '../text-table.ts';
import type {Curve, Summary} from '../vectors/summary.ts';
import type {Definition, Measured} from './definition.ts';
import {paper, paperEncodingRate} from './paper.ts';

type Row = readonly string[];

/** Figures of the paper are of 8,000 times as many passages, on another machine: they say what stood where, no more. */
export function dprTable({k, model, reference}: Pick<Definition, 'k' | 'model' | 'reference'>, measured: Measured): string {
	const {encoded, sparse, sparseBuilds, dense, denseBuilds} = measured;
	const {rows, texts} = encoded.passages;
	const failed = [...sparse, ...sparseBuilds, ...dense].flatMap(({name, failed}) => (failed ? [`${name}: not measured (${failed})`] : []));
	return [
		`${texts} passages${rows < texts ? `, of which ${rows} encoded` : ''}, top ${k}, one core; of the paper 21 million passages, on a server`,
		table(
			['questions per second', 'wall', 'cpu', 'recall', `same@10 as ${reference}`],
			[
				['DPR (2020), HNSW of Faiss', paper.dense.questionsPerSecond.toFixed(1), '', '', ''],
				...dense.flatMap(result => {
					const point = pointOf(result, k);
					return point ? [[`here, ${result.name}`, rate(point.wall), rate(point.cpu), point.recall.toFixed(4), '']] : [];
				}),
				['DPR (2020), BM25 of Lucene, a CPU thread', paper.sparse.questionsPerSecond.toFixed(1), '', '', ''],
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
				built(`here, ${model.split('/').at(-1)!}`, rows, encoded.passages.seconds, encoded.passages.cpuSeconds),
				built('DPR (2020), HNSW of Faiss', paper.passages, paper.dense.buildSeconds),
				...denseBuilds.flatMap(({name, built: of}) => (of ? [built(`here, ${name}`, rows, of.seconds, of.cpuSeconds)] : [])),
				built('DPR (2020), inverted index of Lucene', paper.passages, paper.sparse.buildSeconds),
				...sparseBuilds.flatMap(({name, seconds}) => (seconds ? [built(`here, ${name}`, texts, seconds.median)] : [])),
			],
		),
		table(
			['dense, times BM25', 'questions/s', 'building'],
			[
				[
					'DPR (2020), Faiss and Lucene',
					times(paper.dense.questionsPerSecond, paper.sparse.questionsPerSecond),
					times(paper.dense.buildSeconds, paper.sparse.buildSeconds),
				],
				...besides(k, reference, measured),
			],
		),
		...new Set(failed),
	].join('\n\n');
}

/** Of the peers the first dense entry beside the reference, of passagekit the first of both. */
function besides(k: number, reference: string, {sparse, sparseBuilds, dense}: Measured): readonly Row[] {
	const pairs = [
		[dense.find(({ours}) => !ours), reference],
		[dense.find(({ours}) => ours), sparse.find(({name}) => name !== reference)?.name],
	] as const;
	return pairs.flatMap(([of, name]): readonly Row[] => {
		const point = of && pointOf(of, k);
		const speed = sparse.find(result => result.name === name)?.speed?.[k];
		const seconds = sparseBuilds.find(result => result.name === name)?.seconds;
		return point && speed && seconds
			? [[`here, ${of.name} and ${name}`, times(point.wall.median, speed.wall.median), times(of.built!.seconds, seconds.median)]]
			: [];
	});
}

/** At the one effort there is. */
const pointOf = ({curves}: Summary, k: number): Curve['points'][number] | undefined => curves?.[k]?.points[0];

const built = (name: string, passages: number, seconds: number, cpuSeconds?: number): Row => [
	name,
	seconds.toFixed(seconds < 100 ? 2 : 0),
	(passages / seconds).toFixed(0),
	cpuSeconds === undefined ? '' : cpuSeconds.toFixed(2),
];

const rate = ({median, least, most}: Figure): string => `${median.toFixed(0)} ±${Math.round((50 * (most - least)) / median)}%`;
const times = (a: number, b: number): string => (a / b).toPrecision(3);
