// Measures what Karpukhin et al. (2020, § 5.4) report for DPR and BM25, over the same passages in one run: questions per
// second, and the times to encode passages and to build indexes.
import {queries} from '../bm25/data/data.ts';
import * as bm25 from '../bm25/measure.ts';
import type {Result} from '../bm25/results/result.ts';
import {folderOf as sparseFolder} from '../bm25/system.ts';
import type {Options, Outcome} from '../harness/suite.ts';
import * as vectors from '../vectors/measure.ts';
import {type Entry as DenseEntry, folderOf as denseFolder} from '../vectors/system.ts';
import type {Definition, Measured} from './definition.ts';
import {ENCODER, encodeTexts} from './encoding.ts';
import {paper} from './paper.ts';
import {dprTable} from './table.ts';

/** The maximum numbers of passages and questions in a smoke run. */
const SMOKE = {passages: 500, questions: 200};

/** Returns the folders of all systems, of passagekit's servers (which also prepare data), and of the encoder. */
export const systemsOf = ({sparse, dense}: Definition): readonly string[] => [
	...sparse.map(entry => sparseFolder(entry)),
	...dense.map(entry => denseFolder(entry)),
	sparseFolder({system: 'passagekit'}),
	denseFolder({system: 'passagekit'}),
	ENCODER,
];

/** Whether two entries build the same index. They may still search it in different ways. */
const haveSameIndex = (a: DenseEntry, b: DenseEntry): boolean =>
	a.system === b.system && JSON.stringify(a.options) === JSON.stringify(b.options);

export async function measure(defined: Definition, options: Options): Promise<Outcome> {
	const {about, corpus, queries: queriesName, k, effort, rounds, warmUp, reference, sparse, dense} = defined;
	const {smoke} = options;
	const {sample} = queries(queriesName);
	const counts = {...(smoke && {passages: SMOKE.passages}), questions: smoke ? Math.min(sample, SMOKE.questions) : sample};
	const [encoding, files] = await encodeTexts(defined, counts, options);
	const common = {about, corpus, rounds, reference};
	// Entries with the same system build the same index, so each system builds only once.
	const builders = sparse.filter(({system}, i) => sparse.findIndex(other => other.system === system) === i);
	const builds = await bm25.measure(
		{...common, analysis: 'english', warmUp: {rounds: 1, seconds: 0}, systems: builders},
		{...options, say: line => options.say(`BM25, building: ${line}`)},
	);
	const answers = await bm25.measure(
		{...common, queries: queriesName, analysis: 'tokens', k: [k], warmUp, systems: sparse},
		{...options, say: line => options.say(`BM25: ${line}`)},
	);
	const denseOutcome = await vectors.measureVectors(
		{
			about,
			data: `dpr-${corpus}`,
			rows: encoding.passages.rows,
			queries: counts.questions,
			similarity: 'dot',
			// The only effort is measured, whatever its recall is. So the target does not matter.
			targets: {[k]: [1]},
			efforts: {[k]: [effort]},
			rounds: smoke ? 1 : rounds,
			systems: dense,
		},
		{...files, dim: encoding.passages.dim},
		// The index is always built again, so that the build time is measured in this run.
		{...options, rebuild: true, say: line => options.say(`HNSW: ${line}`)},
	);
	const measured: Measured = {
		encoded: encoding,
		sparse: answers.results as readonly Result[],
		sparseBuilds: builds.results as readonly Result[],
		dense: denseOutcome.results,
		denseBuilds: denseOutcome.results.filter((_, i) => dense.findIndex(entry => haveSameIndex(entry, dense[i]!)) === i),
	};
	return {
		definition: {...defined, rounds: smoke ? 1 : rounds},
		data: {...answers.data, checked: denseOutcome.checked},
		results: [{paper}, measured],
		table: dprTable(defined, measured),
		violations: [...builds.violations, ...answers.violations, ...denseOutcome.violations],
	};
}
