/**
The command `passagekit evaluate`, which measures a TREC run by relevance judgments or by the answers that its passages
contain, and can compare two runs.
*/
import {stat} from 'node:fs/promises';
import {join} from 'node:path';
import {type Command, Option} from 'commander';
import {Collection} from '../../collection/index.ts';
import {parts} from '../../collection/manifest.ts';
import {PassageStore, readPassages, readQrels, readQuestions, readTrecRun} from '../../corpus/index.ts';
import {
	type Measure,
	type PassageTexts,
	type TopKAccuracy,
	documentRun,
	evaluate,
	pairedTest,
	significance,
	topKAccuracy,
} from '../../evaluation/index.ts';
import {documentOf} from '../../core/filters/document-id.ts';
import type {Qrels, Question, Run} from '../../core/types.ts';
import {isLive} from '../collections.ts';
import {compare, comparisonNote, comparisonTable} from '../comparison.ts';
import {UsageError} from '../errors.ts';
import {collectedNames, counts} from '../options.ts';
import {note, print, printJson} from '../output.ts';
import {type RemoteFlags, addRemoteFlags, checkRemoteFlags, openRemote} from '../remote/flags.ts';
import {table} from '../table.ts';

const defaultMeasures: readonly string[] = ['nDCG@10', 'R@100'];

interface EvaluateFlags extends RemoteFlags {
	readonly run: string;
	readonly compare?: string;
	readonly qrels?: string;
	readonly measures: string[];
	readonly documents?: boolean;
	readonly questions?: string;
	readonly passages?: string;
	readonly ks: number[];
	readonly answerKind: 'text' | 'pattern';
	readonly perQuery?: boolean;
	readonly json?: boolean;
}

export function registerEvaluate(program: Command, signal: AbortSignal): void {
	const command = program.command('evaluate');
	addRemoteFlags(command)
		.description('evaluate a TREC run: against qrels, or by the answers that its passages contain')
		.requiredOption('--run <run>', 'TREC run, also gzipped')
		.option('--compare <run>', 'second TREC run: test whether the measures differ significantly')
		.option('--qrels <qrels>', 'TREC or BEIR qrels')
		.option(
			'--measures <list...>',
			'nDCG, RR, AP (with or without @k), R@k, P@k or Success@k; a minimum grade as in RR(rel=2)@10',
			collectedNames(defaultMeasures),
			defaultMeasures,
		)
		.option('--documents', 'rank documents: keep the best passage of each, for qrels of documents')
		.option('--questions <file>', 'questions with answers: DPR QA, SQuAD JSON, JSON lines')
		.option('--passages <file>', "the passages' texts: a corpus file or folder, or a collection")
		.option('--ks <list>', 'cut-offs of top-k accuracy', counts, [20, 100])
		.addOption(
			new Option('--answer-kind <kind>', 'accepted answers: texts, or regular expressions as in CuratedTREC')
				.choices(['text', 'pattern'])
				.default('text'),
		)
		.option('--per-query', 'also print the values of each query')
		.option('--json', 'print one JSON object')
		.addHelpText('after', '\nExample:\n  $ passagekit evaluate --run run.txt --qrels test.qrels --measures nDCG@10,R@100')
		.action(async (flags: EvaluateFlags) => {
			checkRemoteFlags('evaluate', flags, command, ['passages', 'qrels']);
			const byQrels = flags.qrels !== undefined;
			if (byQrels === (flags.questions !== undefined)) {
				throw new UsageError('evaluate: expected either --qrels QRELS, or --questions FILE with --passages FILE or --url URL --index NAME');
			}
			if (flags.documents && !byQrels) {
				throw new UsageError('evaluate: expected --documents only with --qrels');
			}
			const readRun = async (path: string): Promise<Run> => {
				const run = await readTrecRun(path, {signal});
				return flags.documents ? documentRun(run, {signal}) : run;
			};
			const run = await readRun(flags.run);
			const other = flags.compare === undefined ? undefined : await readRun(flags.compare);
			await (byQrels ? evaluateByQrels(run, other, flags, signal) : evaluateByAnswers(run, other, flags, signal));
		});
}

/** Evaluates a run by relevance judgments. If `other` is given, evaluates it as well and compares the two runs. */
async function evaluateByQrels(run: Run, other: Run | undefined, flags: EvaluateFlags, signal: AbortSignal): Promise<void> {
	const measures = flags.measures as Measure[];
	const qrels = await readQrels(flags.qrels!, {signal});
	const evaluation = await evaluate(run, qrels, measures, {signal});
	const {mean, perQuery, missing, unjudged} = evaluation;
	const otherEvaluation = other && (await evaluate(other, qrels, measures, {signal}));
	const comparison =
		otherEvaluation &&
		(await compare(
			measures.map(measure => ({
				measure,
				mean: mean[measure]!,
				other: otherEvaluation.mean[measure]!,
				test: async () => significance(evaluation, otherEvaluation, measure, {signal}),
			})),
		));
	if (flags.json) {
		printJson({mean, queries: perQuery.size, missing, unjudged, ...(comparison && {comparison}), ...(flags.perQuery ? {perQuery} : {})});
		return;
	}
	if (flags.perQuery) {
		print(
			table(
				['query', ...measures],
				[...perQuery].map(([query, values]) => [query, ...measures.map(measure => values[measure]!.toFixed(4))]),
			),
		);
	}
	print(
		comparison
			? comparisonTable(comparison)
			: table(
					['measure', 'mean'],
					measures.map(measure => [measure, mean[measure]!.toFixed(4)]),
				),
	);
	note(`${perQuery.size} judged queries, ${missing} of them without hits in the run; ${unjudged} queries of the run are not judged`);
	noteForeignIds('the run', run, qrels);
	if (otherEvaluation) {
		note(
			`the other run has no hits for ${otherEvaluation.missing} of the judged queries; ${otherEvaluation.unjudged} of its queries are not judged\n${comparisonNote}`,
		);
		noteForeignIds('the other run', other!, qrels);
	}
}

/** Prints a warning if no hit of a run is judged: then its ids are probably not those of the qrels. `what` names the run. */
function noteForeignIds(what: string, run: Run, qrels: Qrels): void {
	let [hit, judged]: [string | undefined, string | undefined] = [undefined, undefined];
	for (const [query, grades] of qrels) {
		for (const {id} of run.get(query) ?? []) {
			if (grades.has(id)) {
				return;
			}
			hit ??= id;
		}
		judged ??= [...grades.keys()][0];
	}
	if (hit !== undefined) {
		const advice = documentOf(hit) === hit ? '' : '; with --documents, the documents of passages such as d#0 are judged';
		note(`warning: no hit of ${what} is judged: expected ids such as "${judged}", got ids such as "${hit}"${advice}`);
	}
}

/**
Evaluates a run by the answers that its passages contain. If `other` is given, evaluates it as well and compares the two
runs.
*/
async function evaluateByAnswers(run: Run, other: Run | undefined, flags: EvaluateFlags, signal: AbortSignal): Promise<void> {
	if (flags.passages === undefined && flags.url === undefined) {
		throw new UsageError("evaluate: --questions needs the passages' texts: --passages FILE, or --url URL --index NAME");
	}
	const questions: Question[] = [];
	for await (const question of readQuestions(flags.questions!, {signal})) {
		questions.push(question);
	}
	const passages = await passageTexts(flags, other === undefined ? [run] : [run, other], signal);
	const options = {answerKind: flags.answerKind, signal};
	const result = await topKAccuracy(run, questions, passages, flags.ks, options);
	const otherResult = other && (await topKAccuracy(other, questions, passages, flags.ks, options));
	const answerable = questions.filter(({answers}) => answers.length > 0);
	/** Question id → 1 if one of its first k passages contains an answer, else 0. */
	const found = ({firstRanks}: TopKAccuracy, k: number): Map<string, number> =>
		new Map(answerable.map(({id}) => [id, (firstRanks.get(id) ?? Number.POSITIVE_INFINITY) <= k ? 1 : 0]));
	const comparison =
		otherResult &&
		(await compare(
			[...result.accuracy].map(([k, mean]) => ({
				measure: `top-${k}`,
				mean,
				other: otherResult.accuracy.get(k)!,
				test: async () => pairedTest(found(result, k), found(otherResult, k), {signal}),
			})),
		));
	if (flags.json) {
		const {accuracy, firstRanks, ...rest} = result;
		printJson({accuracy, ...rest, ...(comparison && {comparison}), ...(flags.perQuery ? {firstRanks} : {})});
		return;
	}
	if (flags.perQuery) {
		print(
			table(
				['question', 'first rank with an answer'],
				questions.map(({id}) => [id, String(result.firstRanks.get(id) ?? '–')]),
			),
		);
	}
	print(
		comparison
			? comparisonTable(comparison)
			: table(
					['k', 'accuracy'],
					[...result.accuracy].map(([k, share]) => [`top-${k}`, share.toFixed(4)]),
				),
	);
	note(`${result.questions} questions with answers, ${result.missing} of them without hits in the run`);
	if (otherResult) {
		note(`the other run has no hits for ${otherResult.missing} of the questions\n${comparisonNote}`);
	}
}

/** Returns the texts of the passages in the runs, from a collection, a cluster, or a corpus file or folder. */
async function passageTexts(flags: EvaluateFlags, runs: readonly Run[], signal: AbortSignal): Promise<PassageTexts> {
	const idsOfRuns = (): string[] => [...new Set(runs.flatMap(run => [...run.values()].flatMap(hits => hits.map(({id}) => id))))];
	if (flags.url !== undefined) {
		await using collection = await openRemote('evaluate', flags, {signal});
		return new Map((await collection.get(idsOfRuns())).map(passage => [passage.id, passage]));
	}
	const path = flags.passages!;
	const store = join(path, parts.passages);
	if (await stat(store).catch(() => undefined)) {
		return PassageStore.open(store);
	}
	if (await isLive(path)) {
		await using collection = await Collection.open(path);
		return new Map((await collection.get(idsOfRuns())).map(passage => [passage.id, passage]));
	}
	const passages = new Map<string, {readonly text: string}>();
	for await (const {id, text} of readPassages(path, {signal})) {
		passages.set(id, {text});
	}
	return passages;
}
