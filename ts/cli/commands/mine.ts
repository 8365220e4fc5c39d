/** The command `passagekit mine`, which makes training examples for a dense retriever from questions and passages. */
import {type Command, Option} from 'commander';
import {RetrievalError} from '../../core/errors.ts';
import {readQrels, readQuestions} from '../../corpus/index.ts';
import {type QuestionFormat, questionFormats} from '../../corpus/readers.ts';
import {
	type MiningOptions,
	type MiningStatistics,
	type NegativeSampling,
	type PositiveSource,
	type TrainingQuestion,
	mineTrainingExamples,
	writeTrainingExamples,
} from '../../training/index.ts';
import {UsageError} from '../errors.ts';
import {MiningBars, checkMined, noteMining} from '../mining/report.ts';
import {MiningSource, type SearchedKind, searchedKinds} from '../mining/source.ts';
import {count, names, number} from '../options.ts';
import {amountOf, note, print, printJson} from '../output.ts';

interface MineFlags {
	readonly passages: string;
	readonly questions: string;
	readonly output: string;
	readonly questionFormat: QuestionFormat;
	readonly goldField?: string;
	readonly qrels?: string;
	readonly positives: PositiveSource;
	readonly distant?: boolean;
	readonly contextOverlap?: number;
	readonly depth?: number;
	readonly negatives: number;
	readonly kind: readonly string[];
	readonly minRank?: number;
	readonly maxRank?: number;
	readonly minScore?: number;
	readonly maxScore?: number;
	readonly margin?: number;
	readonly relativeMargin?: number;
	readonly sampling: NegativeSampling;
	readonly maxOverlap?: number;
	readonly answerKind: 'text' | 'pattern';
	readonly dataset?: string;
	readonly seed?: number;
	readonly limit?: number;
	readonly json?: boolean;
}

/** Kinds of negatives that are drawn at random. */
const drawnKinds = ['random', 'gold'] as const;
const kinds: readonly string[] = [...searchedKinds, ...drawnKinds];

export function registerMine(program: Command, signal: AbortSignal): void {
	program
		.command('mine')
		.description('make training examples for a dense retriever: questions with positive and negative passages, in a file of DPR')
		.requiredOption('-p, --passages <corpus>', 'a corpus file or folder, as for `passagekit index`, or a collection')
		.requiredOption('-q, --questions <file>', 'questions: DPR QA, DPR training JSON, JSON lines, SQuAD JSON, BEIR JSONL; also gzipped')
		.requiredOption('-o, --output <file>', 'file to write: DPR training JSON, or JSON lines for *.jsonl; gzipped for *.gz')
		.addOption(new Option('--question-format <format>', 'format of the questions').choices(questionFormats).default('auto'))
		.option('--gold-field <name>', 'property of JSON questions with the id of the gold passage, or a list of ids')
		.option('--qrels <qrels>', 'TREC or BEIR qrels: passages with a grade above 0 are positives, the highest grade first')
		.addOption(
			new Option(
				'--positives <source>',
				'how positives are found: given ids, the passage that matches the context of the question, the best BM25 hit with an answer, or the first of these that a question has',
			)
				.choices(['auto', 'ids', 'contexts', 'answers'])
				.default('auto'),
		)
		.option('--distant', 'distant supervision; the same as --positives answers')
		.option('--context-overlap <x>', 'minimum overlap of a context and its passage, 0 to 1 (default: 0.2)', number)
		.option('--depth <n>', 'distant supervision: number of hits in which an answer is looked for (default: 100)', count(1))
		.option('-n, --negatives <n>', 'number of negatives of each kind per question', count(0), 1)
		.option(
			'-k, --kind <list>',
			`kinds of negatives: ${kinds.join(', ')}. bm25, dense and hybrid are hard negatives; dense and hybrid need a collection with vectors. random draws from all passages, gold from the positives of other questions`,
			names,
			['bm25'],
		)
		.option('--min-rank <n>', 'first rank of hits that can become hard negatives (default: 1)', count(1))
		.option('--max-rank <n>', 'last rank of hits that can become hard negatives (default: 100)', count(1))
		.option('--min-score <x>', 'minimum score of a hard negative', number)
		.option('--max-score <x>', 'maximum score of a hard negative', number)
		.option('--margin <x>', 'minimum difference between the scores of the positive and a hard negative', number)
		.option('--relative-margin <x>', "the same as a fraction of the positive's score", number)
		.addOption(new Option('--sampling <how>', 'take the best eligible hits, or random ones').choices(['top', 'random']).default('top'))
		.option('--max-overlap <x>', 'maximum overlap of a negative with a positive, 0 to 1 (default: 0.8)', number)
		.addOption(
			new Option('--answer-kind <kind>', 'accepted answers: texts, or regular expressions as in CuratedTREC')
				.choices(['text', 'pattern'])
				.default('text'),
		)
		.option('--dataset <name>', 'name of the data set, for the examples')
		.option('--seed <n>', 'seed of random choices (default: 42)', count(0))
		.option('--limit <n>', 'maximum number of questions, from the start of the file', count(1))
		.option('--json', 'print one JSON object')
		.addHelpText(
			'after',
			`
Examples:
  $ passagekit mine --passages psgs_w100.tsv --questions nq-train.qa.csv --distant -o nq-train.json
  $ passagekit mine --passages corpus.jsonl --questions queries.jsonl --qrels train.tsv --kind bm25,random -n 5 -o train.jsonl.gz`,
		)
		.action(async (flags: MineFlags) => mine(flags, signal));
}

async function mine(flags: MineFlags, signal: AbortSignal): Promise<void> {
	if (flags.distant && flags.positives !== 'auto' && flags.positives !== 'answers') {
		throw new UsageError(`mine: expected --distant or --positives ${flags.positives}, got both`);
	}
	if (flags.qrels !== undefined && flags.goldField !== undefined) {
		throw new UsageError('mine: expected --qrels or --gold-field, got both');
	}
	const searched = searcherKind(flags.kind);
	await using source = await MiningSource.open('mine', flags.passages, searched);
	const bars = new MiningBars();
	let statistics: MiningStatistics | undefined;
	try {
		const examples = mineTrainingExamples(readAll(flags, signal), source.passages, {
			...miningOptions(flags, searched),
			...source.searchers,
			signal,
			onProgress: progress => bars.update(progress),
			onStatistics(result) {
				checkMined('mine', result, flags.questions);
				statistics = result;
			},
		});
		await writeTrainingExamples(flags.output, examples, {signal});
	} finally {
		bars.end();
	}
	report(flags, statistics!);
}

/** Returns the searcher that finds hard negatives, or `undefined` if there are none. Fails for unknown kinds. */
function searcherKind(given: readonly string[]): SearchedKind | undefined {
	const unknown = given.find(kind => !kinds.includes(kind));
	if (unknown !== undefined || given.length === 0) {
		throw new UsageError(`mine: --kind: expected some of ${kinds.join(', ')}, got "${unknown ?? ''}"`);
	}
	const [searched, other] = searchedKinds.filter(kind => given.includes(kind));
	if (other !== undefined) {
		throw new UsageError(`mine: --kind: expected one of ${searchedKinds.join(', ')}, got ${searched} and ${other}`);
	}
	return searched;
}

function miningOptions(flags: MineFlags, searched: string | undefined): MiningOptions {
	const {negatives, kind, minRank, maxRank, minScore, maxScore, margin, relativeMargin, sampling, maxOverlap} = flags;
	return {
		positives: flags.distant ? 'answers' : flags.positives,
		contextOverlap: flags.contextOverlap,
		supervisionDepth: flags.depth,
		hardNegatives: searched === undefined ? 0 : negatives,
		randomNegatives: kind.includes('random') ? negatives : 0,
		goldNegatives: kind.includes('gold') ? negatives : 0,
		minRank,
		maxRank,
		minScore,
		maxScore,
		margin,
		relativeMargin,
		sampling,
		maxOverlap,
		answerKind: flags.answerKind,
		dataset: flags.dataset,
		seed: flags.seed,
	};
}

/** Reads the questions, with the ids of their positives if there are qrels. */
async function* readAll(flags: MineFlags, signal: AbortSignal): AsyncGenerator<TrainingQuestion, void, undefined> {
	const qrels = flags.qrels === undefined ? undefined : await readQrels(flags.qrels, {signal});
	const {questionFormat: format, goldField, limit = Number.POSITIVE_INFINITY} = flags;
	let [used, skipped] = [0, 0];
	for await (const question of readQuestions(flags.questions, {format, goldField, signal})) {
		if (used === limit) {
			break;
		}
		const grades = [...(qrels?.get(question.id) ?? [])].filter(([, grade]) => grade > 0);
		// BEIR's files of queries have those of all splits, so queries without judgments are not questions to train on.
		if (qrels !== undefined && grades.length === 0) {
			skipped += 1;
			continue;
		}
		used += 1;
		// The sort is stable: passages with equal grades keep the order of the file.
		const positives = grades.sort(([, a], [, b]) => b - a).map(([id]) => id);
		yield qrels === undefined ? question : {...question, positives};
	}
	if (qrels !== undefined && used === 0) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`mine: expected relevant passages in ${flags.qrels} for the questions in ${flags.questions}, got none for all ${skipped}`,
		);
	}
	if (skipped > 0) {
		note(`skipped ${amountOf(skipped, 'question')} without relevant passages in ${flags.qrels!}`);
	}
}

/** Prints how many examples were written, what was dropped, and which negatives are missing. */
function report(flags: MineFlags, statistics: MiningStatistics): void {
	const {questions, examples, rejected} = statistics;
	if (flags.json) {
		printJson({output: flags.output, ...statistics});
		return;
	}
	noteMining(statistics);
	note(
		`rejected candidates: ${rejected.answer} with an answer, ${rejected.positive} positives, ${rejected.duplicate} near-duplicates of positives, ${rejected.score} by score, ${rejected.margin} by margin`,
	);
	print(`${amountOf(examples, 'training example')} of ${amountOf(questions, 'question')} written to ${flags.output}`);
}
