// The study of vocabulary projections on each shared collection: what `npx passagekit vocabulary` measures there.
import {join} from 'node:path';
import {sharedFile} from '../test/support/shared.ts';
import {packageRoot} from '../ts/core/native/addon.ts';
import {studyVocabulary, vocabularyFindings} from '../ts/studies/vocabulary/index.ts';
import {entityQuestions} from './entity-questions.ts';
import type {Benchmark} from './benchmark.ts';

/** In `SQuAD` the relevant passage is the paragraph that the question was written for; in `SQuAD w100`, all passages with an answer, as in DPR. */
const datasets: Readonly<Record<string, {readonly path: readonly string[]; readonly corpus?: string; readonly queries?: string}>> = {
	SQuAD: {path: ['squad', 'dev-v2.0.json.gz']},
	'SQuAD w100': {
		path: ['squad'],
		corpus: 'psgs_w100.squad-dev.tsv.gz',
		queries: 'squad-dev.qas.tsv.gz',
	},
	PubMedQA: {path: ['pubmedqa', 'pqal.json.gz']},
	SciFact: {path: ['ir', 'scifact']},
	DBpedia: {path: ['ir', 'agentset-dbpedia']},
	NFCorpus: {path: ['ir', 'nfcorpus-preprocessed']},
	Vaswani: {path: ['ir', 'vaswani-npl']},
};

/** The corpus that comes with passagekit. */
const ENCYCLOPAEDIA = join(packageRoot, 'examples', 'encyclopedia');

/** Cutoffs of coverage and expansion that are recorded. */
const KS = [1, 5, 20, 100];

export const vocabularyStudy: Benchmark = async say => {
	const data = sharedFile('data');
	if (!data) {
		throw new Error('the benchmark of the vocabulary study needs the shared collections');
	}
	const cache = join(packageRoot, 'benches', '.cache', 'vocabulary-study');
	const entities = await entityQuestions(join(data, 'ir', 'agentset-dbpedia'), join(cache, 'entity-questions'));
	const studies: Record<string, unknown> = {};
	const all = Object.entries(datasets).map(([name, {path, corpus, queries}]) => {
		const place = join(data, ...path);
		return {name, path: place, options: corpus && queries ? {corpus: join(place, corpus), queries: join(place, queries)} : {}};
	});
	const own = [
		{name: 'Encyclopaedia', path: ENCYCLOPAEDIA, options: {}},
		{name: 'Entity questions', path: entities, options: {}},
	];
	for (const {name, path, options} of [...own, ...all]) {
		const began = performance.now();
		const study = await studyVocabulary(path, join(cache, name), {name, ...options});
		say(`${name}, ${((performance.now() - began) / 1000).toFixed(0)} s`);
		const {questions, corpus, analyses, retrieval, enrichment, tests} = study;
		if (enrichment !== undefined) {
			const {steps, tokens, reached, proved, renormalized} = enrichment;
			say(`  ${steps} steps, ${reached} of ${tokens} tokens below 0.1, ${proved} cannot be; ${renormalized ? '' : 'not '}renormalized`);
		}
		say(`  ${''.padEnd(18)} ${retrieval.measures.join('  ')}`);
		for (const {condition, values, tuning} of retrieval.rows) {
			say(`  ${condition.padEnd(18)} ${values.map(value => (100 * value).toFixed(1)).join('  ')}  ${tuning ? `λ ${tuning.lambda}` : ''}`);
		}
		studies[name] = {
			passages: corpus.count,
			questions: {development: questions.development, test: questions.test},
			enrichment,
			retrieval,
			tests,
			findings: vocabularyFindings(study).map(({name, verdict, here}) => ({name, verdict, here})),
			analyses: analyses.map(({of, analysis: {ks, coverage, expansion, mrr, composition}, amnesia}) => {
				const at = (values: readonly number[]): Record<string, number> => Object.fromEntries(KS.map(k => [k, values[ks.indexOf(k)]!]));
				return {
					of,
					coverage: {question: at(coverage.all.question), passage: at(coverage.all.passage)},
					expansion: at(expansion),
					mrr: mrr.all,
					composition,
					amnesia,
				};
			}),
		};
	}
	for (const [name, {findings}] of Object.entries(studies as Record<string, {findings: ReadonlyArray<{name: string; verdict: string}>}>)) {
		say(`${name}: ${findings.map(({name, verdict}) => `${name} ${verdict}`).join(', ')}`);
	}
	return {encoder: 'minilm-encoder', head: 'minilm-mlm-head', studies};
};
