// Runs the study of the command `npx passagekit vocabulary` on the bundled encyclopedia (examples/encyclopedia), on questions in the style
// of EntityQuestions, and on each of the shared data sets (../shared; see benches/README.md). The study repeats experiments of Ram et al.
// (2023), who project the vectors of an encoder onto its vocabulary.
import {join} from 'node:path';
import {sharedFile} from '../../test/support/shared.ts';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {studyVocabulary, vocabularyFindings} from '../../ts/studies/vocabulary/index.ts';
import {entityQuestions} from './entity-questions.ts';
import type {Benchmark} from '../support/benchmark.ts';

/**
The shared data sets. In `SQuAD`, the relevant passage of a question is the paragraph that it was written for. In `SQuAD w100`, whose
passages have 100 words, all passages with an answer are relevant, as in DPR.
*/
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

/** The bundled encyclopedia. */
const ENCYCLOPEDIA = join(packageRoot, 'examples', 'encyclopedia');

/** Token coverage and query expansion (see docs/vocabulary.md) are recorded for these numbers of most probable tokens. */
const KS = [1, 5, 20, 100];

export const vocabularyStudy: Benchmark = async say => {
	const data = sharedFile('data');
	if (!data) {
		throw new Error('the benchmark of the vocabulary study needs the shared data sets');
	}
	const cache = join(packageRoot, 'benches', '.cache', 'vocabulary-study');
	const entities = await entityQuestions(join(data, 'ir', 'agentset-dbpedia'), join(cache, 'entity-questions'));
	const studies: Record<string, unknown> = {};
	const shared = Object.entries(datasets).map(([name, {path, corpus, queries}]) => {
		const folder = join(data, ...path);
		return {name, path: folder, options: corpus && queries ? {corpus: join(folder, corpus), queries: join(folder, queries)} : {}};
	});
	const bundled = [
		{name: 'Encyclopaedia', path: ENCYCLOPEDIA, options: {}},
		{name: 'Entity questions', path: entities, options: {}},
	];
	for (const {name, path, options} of [...bundled, ...shared]) {
		const began = performance.now();
		const study = await studyVocabulary(path, join(cache, name), {name, ...options});
		say(`${name}, ${((performance.now() - began) / 1000).toFixed(0)} s`);
		const {questions, corpus, analyses, retrieval, enrichment, tests} = study;
		if (enrichment !== undefined) {
			const {steps, tokens, reached, proved, renormalized} = enrichment;
			say(
				`  vectors of single tokens: loss below 0.1 for ${reached} of ${tokens} tokens after ${steps} steps, provably impossible for ${proved}; enriched vectors ${renormalized ? '' : 'not '}renormalized`,
			);
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
			// In the record, `here` is the result of this study, as opposed to the paper's.
			findings: vocabularyFindings(study).map(({name, verdict, result}) => ({name, verdict, here: result})),
			// `of` says which encoder was analyzed. `amnesia` is about token amnesia: the projection of a passage's vector gives a low rank to
			// a token that the passage and the question have in common.
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
