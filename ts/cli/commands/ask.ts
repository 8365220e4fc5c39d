/** The command `passagekit ask`, which answers a question from a collection. */
import {type Command, Option} from 'commander';
import {type AskResult, Collection} from '../../collection/index.ts';
import {retrievers} from '../../collection/live/hits.ts';
import type {Retriever} from '../../collection/live/types.ts';
import type {Filter} from '../../core/filters/filter.ts';
import {type SpanScoring, spanScorings} from '../../reader/extractive-reader.ts';
import {count, defaultIndex, filter, number} from '../options.ts';
import {marked, print, printJson, styled} from '../output.ts';

interface AskFlags {
	readonly collection: string;
	readonly retriever?: Retriever;
	readonly filter?: Filter;
	readonly passages: number;
	readonly answers: number;
	readonly scoring: SpanScoring;
	readonly gamma?: number;
	readonly reader?: string;
	readonly json?: boolean;
}

export function registerAsk(program: Command, signal: AbortSignal): void {
	program
		.command('ask')
		.description('answer a question from the indexed passages')
		.argument('<question>')
		.option('-c, --collection <folder>', 'collection made by `passagekit add` or `passagekit index`', defaultIndex)
		.addOption(
			new Option(
				'-r, --retriever <name>',
				'how passages are retrieved (default: hybrid, or bm25 if the collection has no vectors)',
			).choices(retrievers),
		)
		.option('-f, --filter <json>', 'which passages are read, by the fields of their documents, as in {"year":{"gte":2020}}', filter)
		.option('--passages <n>', 'number of passages retrieved and read', count(1), 20)
		.option('--answers <n>', 'number of answers', count(1), 3)
		.addOption(new Option('--scoring <way>', 'how spans are scored').choices(spanScorings).default('normalized'))
		.option('--gamma <x>', 'evidence fusion: weight of the retrieval score (default: depends on the retriever)', number)
		.option('--reader <model>', 'reader: a folder with model.onnx, or owner/name on the Hugging Face hub')
		.option('--json', 'print one JSON object')
		.addHelpText('after', '\nExample:\n  $ passagekit ask "Who built the bridge?" --collection passagekit-index --answers 1')
		.action(async (question: string, flags: AskFlags) => {
			await using collection = await Collection.open(flags.collection, {reader: flags.reader});
			const asked = await collection.ask(question, {
				retriever: flags.retriever,
				filter: flags.filter,
				passages: flags.passages,
				answers: flags.answers,
				scoring: flags.scoring,
				// β, the weight of the reader's own relevance, stays 1.
				evidence: flags.gamma === undefined ? undefined : {beta: 1, gamma: flags.gamma},
				signal,
			});
			if (flags.json) {
				printJson({question, ...asked});
			} else {
				print(formatAnswers(asked));
			}
		});
}

function formatAnswers({answers, passages}: AskResult): string {
	if (answers.length === 0) {
		return 'No answer: no passage was found.';
	}
	const lines: string[] = [];
	for (const [i, {text, passageId, start, end, score}] of answers.entries()) {
		const passage = passages.find(({id}) => id === passageId)!;
		lines.push(
			`${i + 1}. ${styled('bold', text)}  ${styled('dim', `${score.toFixed(3)} · ${passage.title ? `${passage.title} · ` : ''}${passageId}`)}`,
			`   ${around(passage.text, start, end)}`,
			'',
		);
	}
	return lines.join('\n');
}

/** Returns the passage's text around an answer, about `reach` characters on each side, with the answer marked. */
export function around(text: string, start: number, end: number, reach = 110): string {
	const from = start <= reach ? 0 : text.indexOf(' ', start - reach) + 1;
	const space = text.lastIndexOf(' ', end + reach);
	const to = end + reach >= text.length || space < end ? text.length : space;
	const singleSpaced = (part: string): string => part.replaceAll(/\s+/gu, ' ');
	return `${from > 0 ? '… ' : ''}${singleSpaced(text.slice(from, start))}${marked(singleSpaced(text.slice(start, end)))}${singleSpaced(text.slice(end, to))}${to < text.length ? ' …' : ''}`;
}
