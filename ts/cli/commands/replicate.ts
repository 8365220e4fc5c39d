import {join, relative} from 'node:path';
import {type Command, Option} from 'commander';
import {parts} from '../../studies/replication/configuration.ts';
import {type AnswerMerge, answerMerges} from '../../reader/extractive-reader.ts';
import {type ReplicateOptions, type Study, replicate} from '../../studies/replication/index.ts';
import {count, counts, number} from '../options.ts';
import {note, print, printJson} from '../output.ts';
import {watched} from '../study.ts';
import {table} from '../table.ts';

interface ReplicateFlags {
	readonly dataset: string;
	readonly output: string;
	readonly name?: string;
	readonly corpus?: string;
	readonly development?: string;
	readonly test?: string;
	readonly collection?: string;
	readonly encoder: string;
	readonly questionEncoder?: string;
	readonly reader: string | false;
	readonly answerKind: 'text' | 'pattern';
	readonly depth: number;
	readonly dprDepth?: number;
	readonly ks: number[];
	readonly passagesRead: number;
	readonly spansPerPassage: number;
	readonly maxAnswerTokens: number;
	readonly merge: AnswerMerge;
	readonly significance: number;
	readonly maxDevelopmentQuestions?: number;
	readonly maxTestQuestions?: number;
	readonly json?: boolean;
}

export function registerReplicate(program: Command, signal: AbortSignal): void {
	program
		.command('replicate')
		.description('rerun Ma et al. (2021), "A Replication Study of Dense Passage Retriever", on a data set, and write its report')
		.requiredOption('--dataset <folder>', 'a corpus, development and test questions, told apart by their names')
		.option('-o, --output <folder>', 'the run: report, TREC runs, what the reader said; goes on where it stopped', 'passagekit-study')
		.option('--name <name>', "NQ, TriviaQA, WQ, CuratedTREC or SQuAD, to see the paper's figures beside yours")
		.option('--corpus <path>', 'the corpus, if its name does not tell')
		.option('--development <file>', 'development questions, if their name does not tell')
		.option('--test <file>', 'test questions, if their name does not tell')
		.option('--collection <folder>', 'made by `passagekit index` of this corpus, instead of building one')
		.option('--encoder <model>', 'encoder of passages', 'minilm-encoder')
		.option('--question-encoder <model>', 'encoder of questions, where it is another, as with DPR')
		.option('--reader <model>', 'reader', 'minilm-reader')
		.option('--no-reader', 'retrieval alone: Tables 1 and 2')
		.addOption(
			new Option('--answer-kind <kind>', 'accepted answers: texts, or regular expressions as in CuratedTREC')
				.choices(['text', 'pattern'])
				.default('text'),
		)
		.option('--depth <n>', "hits taken from each list before fusing (k')", count(1), 1000)
		.option('--dpr-depth <n>', "the same for DPR's own hybrid (default: twice --depth)", count(1))
		.option('--ks <list>', 'cut-offs of accuracy', counts, [20, 100])
		.option('--passages-read <n>', 'maximum number of passages read per question; the paper has 500', count(1), 100)
		.option('--spans-per-passage <n>', 'maximum number of spans kept per passage (m); PyGaggle has 5', count(1), 10)
		.option('--max-answer-tokens <n>', 'maximum number of tokens of an answer', count(1), 10)
		.addOption(
			new Option('--merge <way>', 'answers that are equal: as texts, or after normalization as in PyGaggle')
				.choices(answerMerges)
				.default('text'),
		)
		.option('--significance <p>', 'a difference counts with a corrected p below this', number, 0.01)
		.option('--max-development-questions <n>', 'number of questions used, spread over the file (default: all)', count(1))
		.option('--max-test-questions <n>', 'number of questions used, spread over the file (default: all)', count(2))
		.option('--json', 'print the study as one JSON object')
		.action(async ({dataset, output, json, ...flags}: ReplicateFlags) => {
			const options: ReplicateOptions = {...flags, signal};
			const study = await watched(async onProgress => replicate(dataset, output, {...options, onProgress}));
			if (json) {
				printJson(study);
				return;
			}
			show(study);
			note(`the report: ${relative('.', join(output, parts.html))}, also as ${parts.markdown} and ${parts.json}`);
		});
}

function show({retrieval, reading}: Study): void {
	const share = (value: number): string => (100 * value).toFixed(1);
	print(
		table(
			['retriever', 'weight', ...retrieval.ks.map(k => `top-${k}`)],
			retrieval.rows.map(({condition, weight, accuracy}) => [
				condition,
				weight === undefined ? '' : String(Number(weight.toPrecision(4))),
				...accuracy.map(share),
			]),
		),
	);
	if (reading) {
		print('');
		print(
			table(
				['exact match', ...reading.rows[0]!.cells.map(({scoring}) => scoring)],
				reading.rows.map(({retriever, cells}) => [retriever, ...cells.map(({exactMatch}) => share(exactMatch))]),
			),
		);
	}
}
