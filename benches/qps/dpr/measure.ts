// What DPR's § 5.4 measured, over the same passages in one run: questions a second, and what building takes.
import type {Result} from '../bm25/definition.ts';
import * as bm25 from '../bm25/measure.ts';
import {queries} from '../bm25/data.ts';
import {folderOf as sparseFolder} from '../bm25/system.ts';
import type {Options, Outcome} from '../part.ts';
import * as vectors from '../vectors/measure.ts';
import {type Entry as DenseEntry, folderOf as denseFolder} from '../vectors/system.ts';
import type {Definition, Measured} from './definition.ts';
import {ENCODER, encoded} from './encoding.ts';
import {paper} from './paper.ts';
import {dprTable} from './table.ts';

/** In a smoke run, at most. */
const SMOKE = {passages: 500, questions: 200};

export const systemsOf = ({sparse, dense}: Definition): readonly string[] => [
	...sparse.map(entry => sparseFolder(entry)),
	...dense.map(entry => denseFolder(entry)),
	sparseFolder({system: 'passagekit'}),
	denseFolder({system: 'passagekit'}),
	ENCODER,
];

const sameIndex = (one: DenseEntry, other: DenseEntry): boolean =>
	one.system === other.system && JSON.stringify(one.options) === JSON.stringify(other.options);

export async function measure(defined: Definition, options: Options): Promise<Outcome> {
	const {about, corpus, queries: of, k, effort, rounds, warmUp, reference, sparse, dense} = defined;
	const {smoke} = options;
	const {sample} = queries(of);
	const counts = {...(smoke && {passages: SMOKE.passages}), questions: smoke ? Math.min(sample, SMOKE.questions) : sample};
	const [encoding, files] = await encoded(defined, counts, options);
	const common = {about, corpus, rounds, reference};
	const builders = sparse.filter(({system}, i) => sparse.findIndex(other => other.system === system) === i);
	const builds = await bm25.measure(
		{...common, analysis: 'english', warmUp: {rounds: 1, seconds: 0}, systems: builders},
		{...options, say: line => options.say(`BM25, building: ${line}`)},
	);
	const answers = await bm25.measure(
		{...common, queries: of, analysis: 'tokens', k: [k], warmUp, systems: sparse},
		{...options, say: line => options.say(`BM25: ${line}`)},
	);
	const found = await vectors.measureVectors(
		{
			about,
			data: `dpr-${corpus}`,
			rows: encoding.passages.rows,
			queries: counts.questions,
			similarity: 'dot',
			targets: {[k]: [1]},
			efforts: {[k]: [effort]},
			rounds: smoke ? 1 : rounds,
			systems: dense,
		},
		{...files, dim: encoding.passages.dim},
		// Built in this run, so that building was measured in it.
		{...options, rebuild: true, say: line => options.say(`HNSW: ${line}`)},
	);
	const measured: Measured = {
		encoded: encoding,
		sparse: answers.results as readonly Result[],
		sparseBuilds: builds.results as readonly Result[],
		dense: found.results,
		denseBuilds: found.results.filter((_, i) => dense.findIndex(entry => sameIndex(entry, dense[i]!)) === i),
	};
	return {
		definition: {...defined, rounds: smoke ? 1 : rounds},
		data: {...answers.data, checked: found.checked},
		results: [{paper}, measured],
		table: dprTable(defined, measured),
		wrong: [...builds.wrong, ...answers.wrong, ...found.wrong],
	};
}
