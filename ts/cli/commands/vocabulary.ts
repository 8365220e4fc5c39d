import {join, relative} from 'node:path';
import type {Command} from 'commander';
import {parts} from '../../studies/vocabulary/configuration.ts';
import {type VocabularyStudy, type VocabularyStudyOptions, studyVocabulary} from '../../studies/vocabulary/index.ts';
import {conditionName, encoderName} from '../../studies/vocabulary/labels.ts';
import {count, number} from '../options.ts';
import {note, print, printJson} from '../output.ts';
import {datasetOptions, watched} from '../study.ts';
import {table} from '../table.ts';

interface VocabularyFlags extends Omit<VocabularyStudyOptions, 'signal' | 'onProgress'> {
	readonly dataset: string;
	readonly output: string;
	readonly json?: boolean;
}

export function registerVocabulary(program: Command, signal: AbortSignal): void {
	datasetOptions(
		program.command('vocabulary').description('rerun Ram et al. (2023), "What Are You Token About?", on a data set, and write its report'),
	)
		.option('-o, --output <folder>', 'the run: report, TREC runs, vectors; goes on where it stopped', 'passagekit-vocabulary')
		.option('--name <name>', 'of the data set (default: that of its folder or file)')
		.option('--encoder <model>', 'encoder of passages', 'minilm-encoder')
		.option('--question-encoder <model>', 'encoder of questions, where it is another, as with DPR')
		.option('--head <model>', "masked-language-model head of the encoder's initialisation (default: minilm-mlm-head, or the encoder's)")
		.option('--baseline <model>', "the encoder's initialisation as an encoder (default: the head's static embeddings)")
		.option('--no-enrichment', 'leave lexical enrichment out')
		.option('--learning-rate <α>', 'of single-token enrichments (default: 0.001 for heads of MPNet, else 0.01)', number)
		.option('--max-steps <n>', 'of single-token enrichments', count(1), 100)
		.option('--max-questions <n>', 'use so many of each file, spread over it', count(2))
		.option('--seed <n>', 'of development questions', count(0), 42)
		.option('--significance <p>', 'a difference counts with a corrected p below this', number, 0.01)
		.option('--json', 'print the study as one JSON object')
		.action(async ({dataset, output, json, ...flags}: VocabularyFlags) => {
			const study = await watched(async onProgress => studyVocabulary(dataset, output, {...flags, signal, onProgress}));
			if (json) {
				printJson(study);
				return;
			}
			print(shown(study));
			note(`the report: ${relative('.', join(output, parts.html))}, also as ${parts.markdown} and ${parts.json}`);
		});
}

function shown({analyses, baseline, retrieval}: VocabularyStudy): string {
	const percent = (value: number): string => (100 * value).toFixed(1);
	const ks = analyses[0]!.analysis.ks;
	const at = (values: readonly number[], k: number): string => percent(values[ks.indexOf(k)]!);
	return [
		table(
			['tokens', 'shared, Q@20', 'shared, P@20', 'expansion@20', 'MRR shared', 'MRR passage only'],
			analyses.map(({of, analysis: {coverage, expansion, mrr}}) => [
				encoderName(of, baseline),
				at(coverage.all.question, 20),
				at(coverage.all.passage, 20),
				at(expansion, 20),
				percent(mrr.all.shared.mrr),
				percent(mrr.all.passageOnly.mrr),
			]),
		),
		'',
		table(
			['retrieval', ...retrieval.measures],
			retrieval.rows.map(({condition, values}) => [conditionName(condition), ...values.map(percent)]),
		),
	].join('\n');
}
