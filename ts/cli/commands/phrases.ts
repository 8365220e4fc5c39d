import {join, relative} from 'node:path';
import {type Command, Option} from 'commander';
import {conditionName} from '../../studies/phrases/labels.ts';
import {parts} from '../../studies/phrases/configuration.ts';
import {type PhraseStudy, type PhraseStudyOptions, type ProtocolStudy, studyPhrases} from '../../studies/phrases/index.ts';
import {count, counts, number} from '../options.ts';
import {note, print, printJson} from '../output.ts';
import {datasetOptions, watched} from '../study.ts';
import {table} from '../table.ts';

interface PhrasesFlags extends Omit<PhraseStudyOptions, 'signal' | 'onProgress'> {
	readonly dataset: string;
	readonly output: string;
	readonly json?: boolean;
}

export function registerPhrases(program: Command, signal: AbortSignal): void {
	datasetOptions(
		program
			.command('phrases')
			.description(
				'rerun Yang et al. (2023), "Confidence-Calibrated Ensemble Dense Phrase Retrieval", on a data set, and write its report',
			),
	)
		.option(
			'-o, --output <folder>',
			'the run: report, TREC runs, indexes of phrases; continues a run that was stopped',
			'passagekit-phrases',
		)
		.option('--name <name>', "SQuAD, PubMedQA, SCOTUS, NFCorpus or NQ, to see the paper's figures beside yours")
		.option('--sentences <list>', 'models by phrases of these numbers of sentences (default: 1,3,5)', counts)
		.option('--tokens <list>', 'models by phrases of these numbers of tokens, such as 75,125,250', counts)
		.option('--encoder <model>', 'encoder of passages and phrases', 'minilm-encoder')
		.option('--question-encoder <model>', 'encoder of questions, if it is another model, as with DPR')
		.option('--max-questions <n>', 'number of questions to use from each file, spread over it', count(2))
		.option('--seed <n>', 'of random candidates and of development questions', count(0), 42)
		.option('--negatives <n>', 'hard negatives of BM25 among the candidates', count(0), 10)
		.option('--random <n>', 'random passages among the candidates', count(0), 20)
		.option('--significance <p>', 'a difference counts with a corrected p below this', number, 0.01)
		.addOption(
			new Option('--confidence-of <what>', "scores that a confidence is computed from: the paper's are those of phrases")
				.choices(['phrases', 'passages'])
				.default('phrases'),
		)
		.option('--json', 'print the study as one JSON object')
		.action(async ({dataset, output, json, ...flags}: PhrasesFlags) => {
			const study = await watched(async onProgress => studyPhrases(dataset, output, {...flags, signal, onProgress}));
			if (json) {
				printJson(study);
				return;
			}
			show(study);
			note(`the report: ${relative('.', join(output, parts.html))}, also as ${parts.markdown} and ${parts.json}`);
		});
}

function show({candidates, retrieval}: PhraseStudy): void {
	print(measured(`among ${candidates.size}`, candidates));
	print('');
	print(measured('among all', retrieval));
}

function measured(heading: string, {measures, rows}: ProtocolStudy): string {
	return table(
		[heading, ...measures],
		rows.map(({condition, values}) => [conditionName(condition), ...values.map(value => (100 * value).toFixed(1))]),
	);
}
