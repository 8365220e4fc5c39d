// Tests the table of the benchmark `dpr-table`, which repeats the run-time measurements of Karpukhin et al. (2020), the
// DPR paper, and shows its results (`here`) next to the paper's figures.
import test from 'ava';
import type {Measured} from '../../benches/qps/dpr/definition.ts';
import {dprTable} from '../../benches/qps/dpr/table.ts';

/** A figure whose rounds do not differ. */
const figure = (median: number) => ({median, least: median, most: median});
/** The result of a BM25 system at k = 100. */
const sparse = (name: string, perSecond: number) => ({
	name,
	speed: {100: {wall: figure(perSecond), cpu: figure(perSecond), rounds: []}},
});
/** The encoding of `rows` of 2,000 texts. */
const encoding = (rows: number) => ({texts: 2000, rows, dim: 384, seconds: 20, cpuSeconds: 20});
const built = {version: '1', seconds: 4, cpuSeconds: 4, bytes: 1};
/** The result of an HNSW index at k = 100; `ours` says whether it is passagekit's. */
const dense = (name: string, ours: boolean, perSecond: number) => ({
	name,
	ours,
	built,
	curves: {100: {points: [{effort: 128, recall: 0.998, wall: figure(perSecond), cpu: figure(perSecond)}], at: []}},
});
const peer = dense('Faiss', false, 600);
const measured: Measured = {
	encoded: {version: '1', passages: encoding(1000), questions: encoding(100)},
	sparse: [sparse('Lucene', 200), sparse('passagekit', 1000)],
	sparseBuilds: [{name: 'Lucene', seconds: figure(0.5)}],
	dense: [peer, dense('passagekit, augmented', true, 3000), {name: 'hnswlib', ours: false, failed: 'not set up'}],
	denseBuilds: [peer],
};
const lines = dprTable({k: 100, model: 'models/minilm-encoder', reference: 'Lucene'}, measured)
	.split('\n')
	.map(line => line.replaceAll(/ {2,}/gu, ' | '));

test('the table has the figures of the paper and those measured here', t => {
	t.true(lines.includes('DPR (2020), HNSW of Faiss | 995.0'));
	t.true(lines.includes('here, Faiss | 600 ±0% | 600 ±0% | 0.9980'));
	// The paper encoded 21 million passages in 8.8 hours on 8 GPUs.
	t.true(lines.includes('DPR (2020), encoding, each of 8 GPUs | 31680 | 83'));
	// 1,000 of the 2,000 passages were encoded in 20 s. Faiss indexed these in 4 s; Lucene indexed all 2,000 in 0.5 s.
	t.true(lines.includes('here, minilm-encoder | 20.00 | 50 | 20.00'));
	t.true(lines.includes('here, Faiss | 4.00 | 250 | 4.00'));
	t.true(lines.includes('here, Lucene | 0.50 | 4000'));
});

test('dense retrieval is compared with BM25 if both were measured', t => {
	// In the paper, 995.0 / 23.7 questions per second, and 8.5 h / 0.5 h to build the index. Here, 600 / 200 questions per
	// second, and 4 s / 0.5 s.
	t.true(lines.includes('DPR (2020), Faiss and Lucene | 42.0 | 17.0'));
	t.true(lines.includes('here, Faiss and Lucene | 3.00 | 8.00'));
	// There is no build time of passagekit's BM25 index to compare with.
	t.false(lines.some(line => line.startsWith('here, passagekit, augmented and')));
	t.true(lines.includes('hnswlib: not measured (not set up)'));
});
