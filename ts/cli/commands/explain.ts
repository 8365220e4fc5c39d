/** The command `passagekit explain`, which explains the results for a question. */
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

/** A passage to explain, and why it is shown. */
interface Asked {
	readonly id: string;
	readonly heading: string;
}

export function registerExplain(program: Command, signal: AbortSignal): void {
	program
		.command('explain')
		.description('show why a passage is found for a question: vocabulary projections (Ram et al., 2023) and BM25, beside each other')
		.argument('<question>')
		.option('-p, --passage <id>', 'the passage (default: the best of dense retrieval, and the best of BM25)')
		.option('-c, --collection <folder>', 'collection built by `passagekit index`, with vectors', defaultIndex)
		.option('--head <model>', "masked-language-model head of the encoder's initialization (default: minilm-mlm-head, or the encoder's)")
		.option('-k, --k <n>', 'number of tokens shown per projection', count(1), 20)
		.option('--forgotten-after <rank>', 'rank after which a shared token counts as forgotten', count(1), 100)
		.option('--enrichment <lambda>', 'also explain with lexical enrichment of this weight λ; the first time takes up to an hour', number)
		.option('--html <file>', 'write an HTML page, and open it when run interactively')
		.option('--no-open', 'do not open the page')
		.option('--json', 'print one JSON object')
		.action(async (question: string, flags: ExplainFlags) => {
			await using collection = await Collection.open(flags.collection);
			const encoders = await encodersOf(collection);
			await using encoder = encoders.encoder;
			const projection = await VocabularyProjection.load(flags.head ?? defaultHead(encoders.model));
			const {enrichment, questionEnrichment} = await enrichments(collection, encoders, projection, flags.enrichment, signal);
			const asked = await passagesOf(collection, question, flags.passage, signal);
			const explanations: MatchExplanation[] = [];
			for (const [i, passage] of (await collection.passages.get(asked.map(({id}) => id))).entries()) {
				signal.throwIfAborted();
				explanations[i] = await explainMatch(
					question,
					passage,
					{encoder, questionEncoder: encoders.questionEncoder, projection, enrichment, questionEnrichment, bm25: collection.bm25},
					{k: flags.k, forgottenAfter: flags.forgottenAfter, signal},
				);
			}
			if (flags.html !== undefined) {
				const page = flags.html;
				const headings = asked.map(({heading}) => heading);
				const html = explanationHtml(explanations, {headings, passagekit: packageVersion()});
				await replaceFile(page, html, {signal});
				note(`the page: ${relative('.', page)}`);
				if (flags.open && process.stdout.isTTY) {
					openInBrowser(page);
				}
			}
			if (flags.json) {
				printJson({question, explanations});
			} else if (flags.html === undefined) {
				const columns = Math.min(process.stdout.columns ?? 100, 120);
				print(explanations.map((explanation, i) => shownExplanation(explanation, asked[i]!.heading, columns)).join('\n'));
				print(legend());
			}
		});
}

interface Encoders {
	/** The encoder of passages. */
	readonly encoder: OnnxEncoder;
	/** The encoder of questions, if it differs. */
	readonly questionEncoder: OnnxEncoder | undefined;
	/** The name of the encoder of passages. */
	readonly model: string;
}

async function encodersOf(collection: Collection): Promise<Encoders> {
	const ofQuestions = await collection.encoder();
	const {model, questions} = collection.manifest.encoder!;
	return {model, encoder: await OnnxEncoder.load(model), questionEncoder: questions === undefined ? undefined : ofQuestions};
}

/** Enriches both encoders, with IDF weights of the collection. Vectors of tokens come from the cache if they are there. */
async function enrichments(
	collection: Collection,
	{encoder, questionEncoder}: Encoders,
	projection: VocabularyProjection,
	lambda: number | undefined,
	signal: AbortSignal,
): Promise<Pick<Explainers, 'enrichment' | 'questionEnrichment'>> {
	if (lambda === undefined) {
		return {};
	}
	const bar = new ProgressBar('enrich', 'steps');
	const fit = async (encoder: OnnxEncoder): Promise<LexicalEnrichment> =>
		LexicalEnrichment.fit(
			{encoder, projection, idf: collection.passages},
			{lambda, signal, onProgress: progress => bar.update(progress)},
		).finally(() => bar.end());
	return {enrichment: await fit(encoder), ...(questionEncoder && {questionEnrichment: await fit(questionEncoder)})};
}

async function passagesOf(collection: Collection, question: string, passage: string | undefined, signal: AbortSignal): Promise<Asked[]> {
	if (passage !== undefined) {
		return [{id: passage, heading: `Passage ${passage}`}];
	}
	const dense = await collection.searcher('dense');
	const [[first], [second]] = [await dense.search(question, {k: 1, signal}), await collection.bm25.search(question, {k: 1, signal})];
	if (first === undefined) {
		throw new RetrievalError('ERR_ARGUMENT', 'explain: expected a collection with passages, got one without');
	}
	if (first.id === second?.id) {
		return [{id: first.id, heading: 'First of dense retrieval and of BM25'}];
	}
	return [
		{id: first.id, heading: 'First of dense retrieval'},
		...(second === undefined ? [] : [{id: second.id, heading: 'First of BM25'}]),
	];
}

/** Opens a page with the default program of the platform. Failures are ignored: the page was written. */
function openInBrowser(file: string): void {
	const [command, ...args] =
		process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
	spawn(command!, [...args, file], {detached: true, stdio: 'ignore'})
		.on('error', () => {})
		.unref();
}
