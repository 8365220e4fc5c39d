// The study of phrases and their fusion on each shared collection: what `npx passagekit phrases` measures there.
import {join} from 'node:path';
import {sharedFile} from '../test/support/shared.ts';
import {packageRoot} from '../ts/core/native/addon.ts';
import {type PhraseStudyOptions, studyPhrases} from '../ts/studies/phrases/index.ts';
import type {Benchmark} from './benchmark.ts';

/** Collections without punctuation have no sentences: their phrases consist of word pieces. */
const datasets: Readonly<Record<string, {readonly path: readonly string[]; readonly options?: PhraseStudyOptions}>> = {
	SQuAD: {path: ['squad', 'dev-v2.0.json.gz']},
	PubMedQA: {path: ['pubmedqa', 'pqal.json.gz']},
	SciFact: {path: ['ir', 'scifact']},
	DBpedia: {path: ['ir', 'agentset-dbpedia']},
	NFCorpus: {path: ['ir', 'nfcorpus-preprocessed'], options: {sentences: [], tokens: [25, 50, 100]}},
	Vaswani: {path: ['ir', 'vaswani-npl'], options: {sentences: [], tokens: [10, 20, 40]}},
};

/** The corpus that comes with passagekit. */
const ENCYCLOPAEDIA = join(packageRoot, 'examples', 'encyclopedia');

export const phraseStudy: Benchmark = async say => {
	const data = sharedFile('data');
	if (!data) {
		throw new Error('the benchmark of the phrase study needs the shared collections');
	}
	const studies: Record<string, unknown> = {};
	const all = Object.entries(datasets).map(([name, {path, options}]) => ({name, path: join(data, ...path), options}));
	// PASSAGEKIT_COLLECTIONS=SQuAD,PubMedQA measures only these.
	const wanted = process.env['PASSAGEKIT_COLLECTIONS']?.split(',');
	for (const {name, path, options} of [{name: 'Encyclopaedia', path: ENCYCLOPAEDIA, options: {}}, ...all]) {
		if (wanted && !wanted.includes(name)) {
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
			...Object.fromEntries(
				Object.entries({candidates, retrieval}).map(([protocol, {models, fused, ...others}]) => [
					protocol,
					{
						...others,
						calibration: [...models, {name: 'MUF', temperature: others.temperatures.descent, ...fused}].map(
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
