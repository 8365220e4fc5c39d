// Runs the study of the command `npx passagekit training-study` on SQuAD, with the bundled encyclopedia and SciFact as other data sets (Karpukhin
// et al., 2020). A stopped run is continued.
import {join} from 'node:path';
import {sharedFile} from '../../test/support/shared.ts';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {exists} from '../../ts/studies/storage/run-folder.ts';
import {studyTraining, trainingFindings} from '../../ts/studies/training/index.ts';
import {writeFirstLayers} from '../support/first-layers.ts';
import type {Benchmark} from '../support/benchmark.ts';

/**
The model that all encoders start from has the first three of six layers of `minilm-base`. `minilm-base` itself was trained for retrieval, so
more training would change little; its first layers alone find passages badly.
*/
const LAYERS = 3;

/** Few questions, short inputs and few epochs, so that the study ends within hours on two cores. */
const options = {
	name: 'SQuAD',
	epochs: 2,
	learningRate: 1e-4,
	maxTokens: 128,
	maxTrainingQuestions: 1000,
	maxQuestions: 1000,
	examples: [125, 250, 500],
	reader: 'minilm-reader',
	passagesPerQuestion: 4,
	threads: 2,
} as const;

export const trainingStudy: Benchmark = async say => {
	const [base, squad, scifact] = [
		['models', 'minilm-base'],
		['data', 'squad', 'dev-v2.0.json.gz'],
		['data', 'ir', 'scifact'],
	].map(path => sharedFile(...path));
	if (base === undefined || squad === undefined || scifact === undefined) {
		throw new Error('the benchmark of the training study needs the shared data sets and models');
	}
	const cache = join(packageRoot, 'benches', '.cache', 'training-study');
	const encoder = join(cache, `minilm-${LAYERS}`);
	// The tokenizer is written last.
	if (!(await exists(join(encoder, 'tokenizer.json')))) {
		await writeFirstLayers(base, encoder, LAYERS);
	}
	let stage = '';
	const study = await studyTraining(squad, join(cache, options.name), {
		...options,
		encoder,
		transfer: [join(packageRoot, 'examples', 'encyclopedia'), scifact],
		onProgress(progress) {
			if (progress.stage !== stage) {
				({stage} = progress);
				say(`${new Date().toISOString().slice(11, 19)} ${stage}`);
			}
		},
	});
	const {questions, corpus, examples, settings, measures, rows, tables, tests, transfer, joint} = study;
	for (const {condition, values} of rows) {
		say(`  ${condition.padEnd(24)} ${values.map(value => (100 * value).toFixed(1)).join('  ')}`);
	}
	const findings = trainingFindings(study).map(({name, claim, verdict, result}) => ({name, claim, verdict, here: result}));
	for (const {name, verdict} of findings) {
		say(`  ${name}: ${verdict}`);
	}
	return {
		dataset: options.name,
		passages: corpus.count,
		questions: {training: questions.training, test: questions.test},
		examples,
		settings,
		measures,
		rows,
		tables,
		tests,
		transfer: transfer.map(({dataset, examples, test, measuredBy, rows}) => ({dataset, examples, test, measuredBy, rows})),
		joint,
		findings,
	};
};
