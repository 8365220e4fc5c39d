/** The extractive reader, which finds answers in passages. */
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
	/** Offset in the passage's text, in UTF-16 code units: `text.slice(start, end)` is the answer. */
	readonly start: number;
	readonly end: number;
	/** The sum of the start and end logits for the scoring `original`; a probability for the other scorings. */
	readonly score: number;
}

/**
How the score of an answer is computed from the output of the reader.

- `original`: the best span of the passage with the highest relevance (Ma et al., 2021, §2.2).
- `normalized`: softmax over passages × softmax over the spans of each passage, summed over equal answers (Mao et al., 2020).
- `probability`: P_start · P_end · P_selected of one span (Karpukhin et al., 2020, §6.1, equations 3 to 5). An answer has the
  score of its best span.
- `summedProbability`: the same probability, summed over equal answers. This is passagekit's own.
*/
export type SpanScoring = 'original' | 'normalized' | 'probability' | 'summedProbability';

/** @internal */
export const spanScorings = ['original', 'normalized', 'probability', 'summedProbability'] as const satisfies readonly SpanScoring[];

/**
Which answers count as equal. `text`: answers with exactly the same text. `normalized`: answers with the same text after SQuAD's
normalization, which ignores case, punctuation, articles and extra white space. PyGaggle, which Ma et al. (2021) used, also
normalizes. The text of merged answers is that of their best span.
*/
export type AnswerMerge = 'text' | 'normalized';

/** @internal */
export const answerMerges = ['text', 'normalized'] as const satisfies readonly AnswerMerge[];

export interface ReadOptions extends CallOptions {
	/** @default 'normalized' */
	readonly scoring?: SpanScoring | undefined;
	/** Maximum number of spans kept per passage (m). The papers give no number; PyGaggle keeps 5. @default 10 */
	readonly spansPerPassage?: number | undefined;
	/**
	Maximum number of tokens per answer. It also limits the spans from which the relevance of a question-answering model is computed.
	The papers give no number; PyGaggle has 10 as well.
	@default 10
	*/
	readonly maxAnswerTokens?: number | undefined;
	/** Evidence fusion: relevance becomes β · relevance + γ · retrieval score (Ma et al., 2021, §2.3). @default {beta: 1, gamma: 0} */
	readonly evidence?: {readonly beta: number; readonly gamma: number} | undefined;
	/** Which answers count as equal. @default 'text' */
	readonly merge?: AnswerMerge | undefined;
	/** Number of answers returned. @default 1 */
	readonly k?: number | undefined;
}

export interface ExtractiveReaderOptions extends ModelOptions {
	/** Maximum number of tokens per input, special tokens included. @default as configured, else 256 */
	readonly maxTokens?: number | undefined;
	/** Maximum number of tokens of the question. Longer questions are truncated at the end. @default as configured, else 40 */
	readonly maxQuestionTokens?: number | undefined;
	/**
	How to read passages that do not fit into an input.

	- `window`: in overlapping windows, each with question and title. The relevance of the passage is the maximum over its windows.
	  Spans that two windows share count once.
	- `cut`: truncated after the last word that fits, as DPR's own reader does.

	@default 'window'
	*/
	readonly longPassages?: 'window' | 'cut' | undefined;
	/**
	Number of tokens that successive windows share (`stride` of Hugging Face's tokenizers, `doc_stride` of their pipeline). Windows
	begin and end with whole words, so the overlap can be a few tokens longer, or shorter if a long word would not fit otherwise.
	@default 64, or a quarter of a window if that is less
	*/
	readonly overlapTokens?: number | undefined;
	/** Whether titles are read. @default true for DPR's form, false for question-answering models, which are not trained on titles */
	readonly titles?: boolean | undefined;
	/** Maximum number of tokens per run of the model, padding included. @default 2048 */
	readonly batchTokens?: number | undefined;
	/** Number of threads per run of the model. @default all cores */
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

/** @internal Throws unless `evidence` has valid weights for evidence fusion. */
export function checkEvidence(evidence: NonNullable<ReadOptions['evidence']>): void {
	checkRequiredOptions('evidence', evidence, evidenceOptions);
	checkNumber('evidence: beta', evidence.beta);
	checkNumber('evidence: gamma', evidence.gamma);
}

/** A passage with the score it was retrieved with. */
export type RetrievedPassage = Passage & {readonly score: number};

/**
The form of a reader's inputs and outputs.

- `dpr`: the outputs are `start_logits`, `end_logits` and `relevance_logit` (or `relevance_logits`), the input is
  `[CLS] question [SEP] title [SEP] text [SEP]` (Karpukhin et al., 2020, §6.1). If `config.json` has `model_type: 'dpr'`, the input is
  that of DPR's own code: without the last `[SEP]`, and with all token types 0.
- `question-answering`: the outputs are `start_logits` and `end_logits`, as in exports of BERT, DistilBERT or RoBERTa for question
  answering. The input is `[CLS] question [SEP] text [SEP]`, or with `titles` `[CLS] question [SEP] title text [SEP]`. The relevance of
  a passage is the score of its best span minus the score of no answer, which is the sum of the start and end logits of `[CLS]`
  (Devlin et al., 2019, §4.3).
*/
export type ReaderForm = 'dpr' | 'question-answering';

/**
Extracts answers from passages with DPR's reader or a common question-answering model. The names of the model's outputs tell which
of the two it is. Passages may have any length. Requires the optional peer dependency `onnxruntime-node`.

The order of the passages does not change the logits. With an int8 model, the other passages in a batch change them slightly (see
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

	/** Loads a model: a folder with `model.onnx` and `tokenizer.json`, one of passagekit's own models, or a model of the Hugging Face hub. */
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

	/** The form of the model's inputs and outputs. */
	get form(): ReaderForm {
		return callSync(() => this.#native.form as ReaderForm);
	}

	/** Returns distinct answers, best first. `passages` must be in the order of retrieval. Progress counts passages. */
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

	/** Releases the session. Calls in progress finish first. */
	close(): void {
		this.#native.close();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.close();
	}
}
