import {
	checkArray,
	checkBoolean,
	checkCount,
	checkInstance,
	checkFactoryMade,
	checkNumber,
	checkObject,
	checkOneOf,
	checkString,
} from '../core/checks.ts';
import {downloadNames} from '../models/hub.ts';
import {type ModelOptions, resolveModel} from '../models/index.ts';
import {modelOptions} from '../models/resolve.ts';
import {type Binding, callNative, callSync, native} from '../core/native/native.ts';
import {modelFiles, readModelJson} from '../onnx/model-files.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import type {CallOptions, Passage} from '../core/types.ts';

/** A span of a passage that answers a question. */
export interface Answer {
	readonly text: string;
	readonly passageId: string;
	/** UTF-16 code units of the passage's text, half-open: `text.slice(start, end)` is the answer. */
	readonly start: number;
	readonly end: number;
	/** Start + end logits under `original`; a probability under the other scorings. */
	readonly score: number;
}

/**
How a span's score is made of what the reader said.

- `original`: the best span of the passage with the highest relevance (Ma et al., 2021, §2.2).
- `normalized`: softmax over passages × softmax over the spans of each; the scores of equal answers are added up (Mao et al., 2020).
- `probability`: P_start · P_end · P_selected of one span (Karpukhin et al., 2020, §6.1, equations 3 to 5). An answer has the
  score of its best span.
- `summedProbability`: the same, but the probabilities of equal answers are added up, which is passagekit's own.
*/
export type SpanScoring = 'original' | 'normalized' | 'probability' | 'summedProbability';

/** @internal */
export const spanScorings = ['original', 'normalized', 'probability', 'summedProbability'] as const satisfies readonly SpanScoring[];

/**
Which answers are equal: those of the same text, letter for letter, or those that SQuAD's normalization makes the same (no case,
punctuation, articles, extra white space), as in PyGaggle, with which Ma et al. (2021) made their study. An answer is called as its
best span is.
*/
export type AnswerMerge = 'text' | 'normalized';

/** @internal */
export const answerMerges = ['text', 'normalized'] as const satisfies readonly AnswerMerge[];

export interface ReadOptions extends CallOptions {
	/** @default 'normalized' */
	readonly scoring?: SpanScoring | undefined;
	/** Maximum number of spans kept per passage (m). The papers do not say how many; PyGaggle keeps 5. @default 10 */
	readonly spansPerPassage?: number | undefined;
	/**
	Maximum number of tokens of an answer; a question-answering model's relevance is of such spans too. The papers do not say how
	many; PyGaggle has 10 as well.
	@default 10
	*/
	readonly maxAnswerTokens?: number | undefined;
	/** Evidence fusion: relevance becomes β · relevance + γ · retrieval score (Ma et al., 2021, §2.3). @default {beta: 1, gamma: 0} */
	readonly evidence?: {readonly beta: number; readonly gamma: number} | undefined;
	/** Which answers are equal. @default 'text' */
	readonly merge?: AnswerMerge | undefined;
	/** Answers wanted. @default 1 */
	readonly k?: number | undefined;
}

export interface ExtractiveReaderOptions extends ModelOptions {
	/** Tokens of an input, special tokens included. @default as configured, else 256 */
	readonly maxTokens?: number | undefined;
	/** Tokens of the question; longer ones are cut at their end. @default as configured, else 40 */
	readonly maxQuestionTokens?: number | undefined;
	/**
	What becomes of passages that do not fit into an input.

	- `window`: they are read in windows that overlap, each with question and title. A passage's relevance is the greatest of
	  its windows'; what two windows share counts once.
	- `cut`: they are cut after the last word that fits, as DPR's own reader does.

	@default 'window'
	*/
	readonly longPassages?: 'window' | 'cut' | undefined;
	/**
	Tokens that successive windows share (`stride` of Hugging Face's tokenizers, `doc_stride` of their pipeline). Windows begin
	and end with whole words, so a few more are shared, or fewer where a long word would not fit otherwise.
	@default 64, or a quarter of a window if that is less
	*/
	readonly overlapTokens?: number | undefined;
	/** Whether titles are read. @default true for DPR's form, false for question-answering models, which are not trained on titles */
	readonly titles?: boolean | undefined;
	/** Tokens of one run of the model, filling included. @default 2048 */
	readonly batchTokens?: number | undefined;
	/** Threads of one run of the model. @default all cores */
	readonly threads?: number | undefined;
}

const loadOptions: OptionNames = optionNames<ExtractiveReaderOptions>({
	...downloadNames,
	maxTokens: true,
	maxQuestionTokens: true,
	longPassages: true,
	overlapTokens: true,
	titles: true,
	batchTokens: true,
	threads: true,
});
/** The names of `ReadOptions`, for calls with additional options. */
export const readNames = {
	...callNames,
	scoring: true,
	spansPerPassage: true,
	maxAnswerTokens: true,
	evidence: true,
	merge: true,
	k: true,
} as const;
const readOptions: OptionNames = optionNames<ReadOptions>(readNames);
const evidenceOptions: OptionNames = optionNames<NonNullable<ReadOptions['evidence']>>({beta: true, gamma: true});

/** @internal Weights for evidence fusion. */
export function checkEvidence(evidence: NonNullable<ReadOptions['evidence']>): void {
	checkRequiredOptions('evidence', evidence, evidenceOptions);
	checkNumber('evidence: beta', evidence.beta);
	checkNumber('evidence: gamma', evidence.gamma);
}

/** A passage with the score it was retrieved with. */
export type RetrievedPassage = Passage & {readonly score: number};

/**
What kind of reader a model is.

- `dpr`: outputs `start_logits`, `end_logits` and `relevance_logit` (or `relevance_logits`), input
  `[CLS] question [SEP] title [SEP] text [SEP]` (Karpukhin et al., 2020, §6.1). A model whose `config.json` says
  `model_type: 'dpr'` gets it as DPR's own code makes it: without the last `[SEP]`, token types all 0.
- `question-answering`: outputs `start_logits` and `end_logits`, as BERT, DistilBERT or RoBERTa for question answering are
  exported, input `[CLS] question [SEP] text [SEP]`, with `titles` `[CLS] question [SEP] title text [SEP]`. A passage's
  relevance is the score of its best span less the score of no answer, start + end logit of `[CLS]` (Devlin et al., 2019, §4.3).
*/
export type ReaderForm = 'dpr' | 'question-answering';

/**
Takes answers out of passages: DPR's reader, or a usual question-answering model; the names of its outputs tell which.
Passages of any length are read. Needs the optional peer `onnxruntime-node`.

The order of the passages changes no logit. What they share a batch with does a little if the model is int8 (see
ARCHITECTURE.md).

@example
```
const reader = await ExtractiveReader.load('minilm-reader');
const [answer] = await reader.read('When was the bridge opened?', passages);
//=> {text: '1890', passageId: 'forth-bridge.md#1', start: 52, end: 56, score: 0.81}
```
*/
export class ExtractiveReader implements AsyncDisposable {
	readonly #native: Binding.NativeReader;

	private constructor(reader: Binding.NativeReader) {
		checkFactoryMade('ExtractiveReader', reader, native.NativeReader, 'ExtractiveReader.load()');
		this.#native = reader;
	}

	/** `model` is a folder with `model.onnx` and `tokenizer.json`, a model that passagekit carries, or a name on the Hugging Face hub. */
	static async load(model: string, options: ExtractiveReaderOptions = {}): Promise<ExtractiveReader> {
		checkString('model', model);
		checkOptions('load', options, loadOptions);
		const folder = await resolveModel(model, modelOptions(options));
		const config = await readModelJson(folder, 'config.json');
		const own = config?.passagekit ?? {};
		const maxTokens = options.maxTokens ?? own['max_tokens'] ?? 256;
		const maxQuestionTokens = options.maxQuestionTokens ?? own['max_question_tokens'] ?? 40;
		const {longPassages = 'window', overlapTokens, titles, batchTokens = 2048, threads = 0} = options;
		checkCount('maxTokens', maxTokens, 8, 1_000_000);
		checkCount('maxQuestionTokens', maxQuestionTokens, 1, 1_000_000);
		checkOneOf('longPassages', longPassages, ['window', 'cut']);
		if (overlapTokens !== undefined) {
			checkCount('overlapTokens', overlapTokens, 0);
		}
		if (titles !== undefined) {
			checkBoolean('titles', titles);
		}
		checkCount('batchTokens', batchTokens, 1);
		checkCount('threads', threads, 0);
		const files = await modelFiles(folder, threads);
		const chosen = {
			maxTokens,
			maxQuestionTokens,
			batchTokens,
			longPassages,
			...(overlapTokens === undefined ? {} : {overlapTokens}),
			...(titles === undefined ? {} : {titles}),
			openEnded: config?.['model_type'] === 'dpr',
		};
		return new ExtractiveReader(await callNative({signal: options.signal}, () => native.openReader(files, chosen)));
	}

	/** What kind of reader the model is. */
	get form(): ReaderForm {
		return callSync(() => this.#native.form as ReaderForm);
	}

	/** Answers, best first, each text once; `passages` in the order of retrieval. Progress counts passages. */
	async read(question: string, passages: readonly RetrievedPassage[], options: ReadOptions = {}): Promise<Answer[]> {
		checkString('question', question);
		checkArray('passages', passages, '{id, text, title?, score}');
		checkOptions('read', options, readOptions);
		const {
			scoring = 'normalized',
			spansPerPassage = 10,
			maxAnswerTokens = 10,
			evidence = {beta: 1, gamma: 0},
			merge = 'text',
			k = 1,
		} = options;
		checkOneOf('scoring', scoring, spanScorings);
		checkOneOf('merge', merge, answerMerges);
		checkCount('spansPerPassage', spansPerPassage, 1);
		checkCount('maxAnswerTokens', maxAnswerTokens, 1);
		checkCount('k', k, 0);
		checkEvidence(evidence);
		const inputs = passages.map((passage, i) => {
			checkObject(`passages[${i}]`, passage, '{id, text, title?, score}');
			const {text, title, score} = passage;
			checkString(`passages[${i}]: text`, text);
			checkNumber(`passages[${i}]: score`, score);
			if (title !== undefined) {
				checkString(`passages[${i}]: title`, title);
			}
			return {text, score, ...(title === undefined ? {} : {title})};
		});
		const answers = await callNative(options, control =>
			this.#native.read(
				question,
				inputs,
				{
					scoring,
					spansPerPassage,
					maxAnswerTokens,
					merge,
					k,
					beta: evidence.beta,
					gamma: evidence.gamma,
				},
				control,
			),
		);
		return answers.map(({text, passage, start, end, score}) => ({text, passageId: passages[passage]!.id, start, end, score}));
	}

	/** @internal */
	static handle(reader: ExtractiveReader): Binding.NativeReader {
		checkInstance('reader', reader, ExtractiveReader);
		return reader.#native;
	}

	/** Gives the session back; calls in progress finish. */
	close(): void {
		this.#native.close();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.close();
	}
}
