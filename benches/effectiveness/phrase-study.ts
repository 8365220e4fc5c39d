// Runs the study of the command `npx passagekit phrases` on the bundled encyclopedia (examples/encyclopedia) and on each of the shared
// collections (../shared; see benches/README.md). The study repeats experiments of Yang et al. (2023) on phrase retrieval and on model
// uncertainty fusion (MUF), which returns the hits of the most confident model.
import {join} from 'node:path';
import {sharedFile} from '../../test/support/shared.ts';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {type PhraseStudyOptions, studyPhrases} from '../../ts/studies/phrases/index.ts';
import type {Benchmark} from '../support/benchmark.ts';

/**
The shared data sets. The texts of NFCorpus and Vaswani have no punctuation, so they are not split into phrases by numbers of sentences,
but by numbers of word pieces, such as 25, 50 or 100.
*/
const datasets: Readonly<Record<string, {readonly path: readonly string[]; readonly options?: PhraseStudyOptions}>> = {
	SQuAD: {path: ['squad', 'dev-v2.0.json.gz']},
	PubMedQA: {path: ['pubmedqa', 'pqal.json.gz']},
	SciFact: {path: ['ir', 'scifact']},
	DBpedia: {path: ['ir', 'agentset-dbpedia']},
	NFCorpus: {path: ['ir', 'nfcorpus-preprocessed'], options: {sentences: [], tokens: [25, 50, 100]}},
	Vaswani: {path: ['ir', 'vaswani-npl'], options: {sentences: [], tokens: [10, 20, 40]}},
};

/** The bundled encyclopedia. */
const ENCYCLOPEDIA = join(packageRoot, 'examples', 'encyclopedia');

export const phraseStudy: Benchmark = async say => {
	const data = sharedFile('data');
	if (!data) {
		throw new Error('the benchmark of the phrase study needs the shared data sets');
	}
	const studies: Record<string, unknown> = {};
	const shared = Object.entries(datasets).map(([name, {path, options}]) => ({name, path: join(data, ...path), options}));
	// For example, PASSAGEKIT_DATA_SETS=SQuAD,PubMedQA runs the study only on these two.
	const selected = process.env['PASSAGEKIT_DATA_SETS']?.split(',');
	for (const {name, path, options} of [{name: 'Encyclopaedia', path: ENCYCLOPEDIA, options: {}}, ...shared]) {
		if (selected && !selected.includes(name)) {
			continue;
		}
		const began = performance.now();
		const study = await studyPhrases(path, join(packageRoot, 'benches', '.cache', 'phrase-study', name), {name, ...options});
		say(`${name}, ${((performance.now() - began) / 1000).toFixed(0)} s`);
		for (const {condition, values} of study.candidates.rows) {
			say(`  ${condition.padEnd(14)} ${values.map(value => (100 * value).toFixed(1)).join('  ')}`);
		}
		const {questions, models, candidates, retrieval} = study;
		studies[name] = {
			questions,
			models,
			// The study has two protocols: ranking a question's gold passage among other candidates, and retrieving from all passages.
			...Object.fromEntries(
				Object.entries({candidates, retrieval}).map(([protocol, {models: calibratedModels, fused, ...others}]) => [
					protocol,
					{
						...others,
						// The calibration errors of each model and of MUF, before and after fitting the temperature.
						calibration: [...calibratedModels, {name: 'MUF', temperature: others.temperatures.descent, ...fused}].map(
							({name, temperature, before, after}) => ({
								name,
								temperature,
								errorBefore: before.absolute,
								errorAfter: after.absolute,
							}),
						),
					},
				]),
			),
		};
	}
	return {encoder: 'minilm-encoder', studies};
};
