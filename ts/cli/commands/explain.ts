/**
The command `passagekit explain`, which shows why a passage is found for a question. It projects the vectors of the
question and of the passage onto a vocabulary (Ram et al., 2023), and lists the terms that BM25 matches.
*/
import {spawn} from 'node:child_process';
import {relative} from 'node:path';
import type {Command} from 'commander';
import {packageVersion} from '../../core/native/addon.ts';
import {Collection} from '../../collection/collection.ts';
import {OnnxEncoder} from '../../encoders/index.ts';
import {RetrievalError} from '../../core/errors.ts';
import {replaceFile} from '../../core/files/replace-file.ts';
import {
	type Explainers,
	LexicalEnrichment,
	type MatchExplanation,
	VocabularyProjection,
	explainMatch,
	explanationHtml,
} from '../../vocabulary/index.ts';
import {defaultHead} from '../../vocabulary/projection/default-head.ts';
import {type ExplainedCollection, explainedCollection} from '../explained-collection.ts';
import {legend, shownExplanation} from '../explanation.ts';
import {count, defaultIndex, number} from '../options.ts';
import {note, print, printJson} from '../output.ts';
import {ProgressBar} from '../progress.ts';

interface ExplainFlags {
	readonly collection: string;
	readonly passage?: string;
	readonly head?: string;
	readonly k: number;
	readonly forgottenAfter: number;
	readonly enrichment?: number;
	readonly html?: string;
	readonly open: boolean;
	readonly json?: boolean;
}

/** A passage to explain, and a heading that says why it is shown. */
interface ChosenPassage {
	readonly id: string;
	readonly heading: string;
}

export function registerExplain(program: Command, signal: AbortSignal): void {
	program
		.command('explain')
		.description('show why a passage is found for a question, with vocabulary projections (Ram et al., 2023) and the terms of BM25')
		.argument('<question>')
		.option('-p, --passage <id>', 'id of the passage to explain (default: the first hit of dense retrieval and the first hit of BM25)')
		.option('-c, --collection <folder>', 'collection made by `passagekit add` or `passagekit index`, with vectors', defaultIndex)
		.option(
			'--head <model>',
			"masked-language-model head of the model that the encoder was initialized from (default: minilm-mlm-head for minilm-encoder, else the encoder's own)",
		)
		.option('-k, --k <n>', 'number of tokens shown per projection', count(1), 20)
		.option('--forgotten-after <rank>', 'rank after which a shared token counts as forgotten', count(1), 100)
		.option('--enrichment <lambda>', 'also explain with lexical enrichment of weight λ; the first run takes up to an hour', number)
		.option('--html <file>', 'write an HTML page, and open it when run interactively')
		.option('--no-open', 'do not open the page')
		.option('--json', 'print one JSON object')
		.addHelpText('after', '\nExample:\n  $ passagekit explain "How many judges serve on the court?" --html court.html')
		.action(async (question: string, flags: ExplainFlags) => {
			await using collection = await Collection.open(flags.collection);
			await using explained = await explainedCollection(flags.collection, collection);
			const encoders = await encodersOf(collection, explained);
			await using encoder = encoders.encoder;
			const projection = await VocabularyProjection.load(flags.head ?? defaultHead(explained.model));
			const {enrichment, questionEnrichment} = await enrichments(explained, encoders, projection, flags.enrichment, signal);
			const chosen = await choosePassages(collection, question, flags.passage, signal);
			const explanations: MatchExplanation[] = [];
			for (const [i, passage] of (await explained.passages(chosen.map(({id}) => id))).entries()) {
				signal.throwIfAborted();
				explanations[i] = await explainMatch(
					question,
					passage,
					{encoder, questionEncoder: encoders.questionEncoder, projection, enrichment, questionEnrichment, bm25: explained.bm25},
					{k: flags.k, forgottenAfter: flags.forgottenAfter, signal},
				);
			}
			if (flags.html !== undefined) {
				const page = flags.html;
				const headings = chosen.map(({heading}) => heading);
				const html = explanationHtml(explanations, {headings, passagekit: packageVersion()});
				await replaceFile(page, html, {signal});
				note(`page written to ${relative('.', page)}`);
				if (flags.open && process.stdout.isTTY) {
					openInBrowser(page);
				}
			}
			if (flags.json) {
				printJson({question, explanations});
			} else if (flags.html === undefined) {
				const columns = Math.min(process.stdout.columns ?? 100, 120);
				print(explanations.map((explanation, i) => shownExplanation(explanation, chosen[i]!.heading, columns)).join('\n'));
				print(legend());
			}
		});
}

interface Encoders {
	/** The passage encoder. */
	readonly encoder: OnnxEncoder;
	/** The question encoder, if it is not the passage encoder. */
	readonly questionEncoder: OnnxEncoder | undefined;
}

/** Loads the passage encoder and, if the collection has one, the separate question encoder. */
async function encodersOf(collection: Collection, {model, hasQuestionEncoder}: ExplainedCollection): Promise<Encoders> {
	const questionEncoder = await collection.encoder();
	return {
		encoder: await OnnxEncoder.load(model),
		// Always an `OnnxEncoder`: the command line never passes another encoder to `Collection.open`.
		questionEncoder: hasQuestionEncoder && questionEncoder instanceof OnnxEncoder ? questionEncoder : undefined,
	};
}

/**
Returns the encoder or encoders with lexical enrichment of weight `lambda`, or an empty object if `lambda` is undefined. The IDF
weights of tokens are computed from the passages of the collection. The vectors of single tokens, whose computation
takes most of the time, are cached on disk.
*/
async function enrichments(
	explained: ExplainedCollection,
	{encoder, questionEncoder}: Encoders,
	projection: VocabularyProjection,
	lambda: number | undefined,
	signal: AbortSignal,
): Promise<Pick<Explainers, 'enrichment' | 'questionEnrichment'>> {
	if (lambda === undefined) {
		return {};
	}
	const bar = new ProgressBar('enrich', 'steps');
	const enrich = async (original: OnnxEncoder): Promise<LexicalEnrichment> =>
		LexicalEnrichment.fit(
			{encoder: original, projection, idf: explained.idf()},
			{lambda, signal, onProgress: progress => bar.update(progress)},
		).finally(() => bar.end());
	return {enrichment: await enrich(encoder), ...(questionEncoder && {questionEnrichment: await enrich(questionEncoder)})};
}

/** Returns the passage that the user named, or else the first hits of dense retrieval and of BM25. */
async function choosePassages(
	collection: Collection,
	question: string,
	passage: string | undefined,
	signal: AbortSignal,
): Promise<ChosenPassage[]> {
	if (passage !== undefined) {
		return [{id: passage, heading: `Passage ${passage}`}];
	}
	const dense = await collection.searcher('dense');
	const bm25 = await collection.searcher('bm25');
	const [[denseHit], [bm25Hit]] = [await dense.search(question, {k: 1, signal}), await bm25.search(question, {k: 1, signal})];
	if (denseHit === undefined) {
		throw new RetrievalError('ERR_ARGUMENT', 'explain: expected a collection with passages, got an empty one');
	}
	if (denseHit.id === bm25Hit?.id) {
		return [{id: denseHit.id, heading: 'First hit of dense retrieval and of BM25'}];
	}
	return [
		{id: denseHit.id, heading: 'First hit of dense retrieval'},
		...(bm25Hit === undefined ? [] : [{id: bm25Hit.id, heading: 'First hit of BM25'}]),
	];
}

/**
Opens an HTML file in the default browser. Failures are ignored, because the page has been written anyway.
*/
function openInBrowser(file: string): void {
	const [command, ...args] =
		process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
	spawn(command!, [...args, file], {detached: true, stdio: 'ignore'})
		.on('error', () => {})
		.unref();
}
