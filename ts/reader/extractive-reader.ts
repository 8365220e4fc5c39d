/** Extracts answers to questions from passages, with an ONNX model. */
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
import {type RuntimeChoice, runtimeChoices} from '../onnx/runtime-choice.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import type {CallOptions, Passage} from '../core/types.ts';

/** An answer to a question: a span of a passage. */
export interface Answer {
	/** The text of the answer: the part of the passage's text from `start` to `end`. */
	readonly text: string;
	/** The id of the passage. */
	readonly passageId: string;
	/** Offset of the first character in the passage's text, in UTF-16 code units. */
	readonly start: number;
	/** Offset after the last character. */
	readonly end: number;
	/**
	Higher is better. For the scoring `original`, the sum of the start and end logits. For the other scorings, a probability that is relative
	to the passages that were read: it depends on their number, and is not a confidence that they contain an answer.
	*/
	readonly score: number;
}

/**
How the score of an answer is computed from the outputs of the model: start and end logits of tokens, and the relevance of passages.

- `original`: only the passage with the highest relevance counts, and its spans are ranked by start logit + end logit (Ma et al., 2021, §2.2).
- `normalized`: a softmax over the relevance of the passages, times a softmax over the spans of each passage, summed over equal answers (Mao
  et al., 2020).
- `probability`: the probability that the first token of the span is the start of the answer, times the probability that its last token is
  the end, times the probability that its passage is selected (Karpukhin et al., 2020, §6.1, equations 3 to 5). If answers are equal, the
  highest score counts.
- `summedProbability`: the probability as in `probability`, summed over equal answers. This is a method of passagekit.
*/
export type SpanScoring = 'original' | 'normalized' | 'probability' | 'summedProbability';

/** @internal */
export const spanScorings = ['original', 'normalized', 'probability', 'summedProbability'] as const satisfies readonly SpanScoring[];

/**
Which spans are the same answer and are merged into one. The text of the merged answer is that of its best span.

- `text`: spans with exactly the same text.
- `normalized`: spans with the same text after SQuAD's normalization, which ignores case, punctuation, articles and extra white space.
  PyGaggle, the software of Ma et al. (2021), merges answers in this way.
*/
export type AnswerMerge = 'text' | 'normalized';

/** @internal */
export const answerMerges = ['text', 'normalized'] as const satisfies readonly AnswerMerge[];

/** How passages are read and answers are scored. */
export interface ReadOptions extends CallOptions {
	/** How the score of an answer is computed. @default 'normalized' */
	readonly scoring?: SpanScoring | undefined;
	/** Maximum number of spans kept per passage. The papers cited at `SpanScoring` give no number; PyGaggle keeps 5. @default 10 */
	readonly spansPerPassage?: number | undefined;
	/**
	Maximum number of tokens per answer. With a question-answering model, it also limits the spans from which the relevance of a passage is
	computed. The papers cited at `SpanScoring` give no number; PyGaggle also uses 10. @default 10
	*/
	readonly maxAnswerTokens?: number | undefined;
	/**
	Weights of evidence fusion: the relevance of a passage is replaced by β · relevance + γ · retrieval score (Ma et al., 2021, §2.3).
	@default {beta: 1, gamma: 0}
	*/
	readonly evidence?: {readonly beta: number; readonly gamma: number} | undefined;
	/** Which spans are merged into one answer. @default 'text' */
	readonly merge?: AnswerMerge | undefined;
	/** Maximum number of answers. @default 1 */
	readonly k?: number | undefined;
}

/** How a reader model is found and used. "As configured" refers to the object `passagekit` in the `config.json` of the model folder. */
export interface ExtractiveReaderOptions extends ModelOptions {
	/** Maximum number of tokens per input, special tokens included. @default as configured, else 256 */
	readonly maxTokens?: number | undefined;
	/** Maximum number of tokens of the question. Longer questions are truncated at the end. @default as configured, else 40 */
	readonly maxQuestionTokens?: number | undefined;
	/**
	How the model reads a passage that does not fit into one input.

	- `window`: the passage is split into overlapping windows. The input for each window has the question, the title if titles are read, and
	  the window. The relevance of the passage is the maximum over its windows. A span that is in two windows counts once.
	- `cut`: the passage is truncated after the last word that fits, as in DPR's own reader.

	@default 'window'
	*/
	readonly longPassages?: 'window' | 'cut' | undefined;
	/**
	Number of tokens that successive windows share (`stride` in Hugging Face's tokenizers, `doc_stride` in its pipelines). Windows begin and
	end with whole words, so the overlap can be a few tokens longer, or shorter if a long word would not fit otherwise.
	@default 64, or a quarter of the space for the passage if that is less
	*/
	readonly overlapTokens?: number | undefined;
	/** Whether the model reads titles. Question-answering models are not trained on titles. @default true for the form `dpr`, else false */
	readonly titles?: boolean | undefined;
	/** Maximum number of tokens per batch, padding included. @default 2048 */
	readonly batchTokens?: number | undefined;
	/** What runs the model. @default 'auto' */
	readonly runtime?: RuntimeChoice | undefined;
	/** Number of threads that compute a batch. @default all cores */
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
	runtime: true,
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
The form of a model's inputs and outputs.

- `dpr`: the outputs are `start_logits`, `end_logits` and `relevance_logit` (or `relevance_logits`). The input is
  `[CLS] question [SEP] title [SEP] text [SEP]` (Karpukhin et al., 2020, §6.1). If `config.json` has `"model_type": "dpr"`, the input is
  that of DPR's own code: without the last `[SEP]`, and with all token types 0.
- `question-answering`: the outputs are `start_logits` and `end_logits`, as in exports of BERT, DistilBERT, RoBERTa or MPNet for question
  answering. The input is `[CLS] question [SEP] text [SEP]`, or with the option `titles` `[CLS] question [SEP] title text [SEP]`. The
  relevance of a passage is the score of its best span minus the score for "no answer", which is the sum of the start and end logits of
  `[CLS]` (Devlin et al., 2019, §4.3).
*/
export type ReaderForm = 'dpr' | 'question-answering';

/**
Extracts answers from passages with a reader in the form of DPR or with a common question-answering model (`ReaderForm`). The form is
recognized by the names of the model's outputs. Passages may have any length.

passagekit itself runs models with the architecture of BERT. Then the logits of a passage have the same bits on every CPU, whatever the
number of threads and the other passages of the call. For other models, the optional peer dependency `onnxruntime-node` is required. With it
and an int8 model, the logits of a passage depend slightly on the other passages in the same batch, but not on their order.

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

	/**
	Loads a model: a folder with `model.onnx` and `tokenizer.json`, one of passagekit's own models, or a model on the Hugging Face hub
	(`owner/name`), which is downloaded. Fails with `ERR_MODEL_MISSING` if there is no such model, with `ERR_MODEL` if it cannot be used as a
	reader, with `ERR_DOWNLOAD` if a download fails, and with `ERR_PEER_MISSING` if it needs `onnxruntime-node` and that is not
	installed.
	*/
	static async load(model: string, options: ExtractiveReaderOptions = {}): Promise<ExtractiveReader> {
		checkString('model', model);
		checkOptions('load', options, loadOptions);
		const folder = await resolveModel(model, modelOptions(options));
		const config = await readModelJson(folder, 'config.json');
		const own = config?.passagekit ?? {};
		const maxTokens = options.maxTokens ?? own['max_tokens'] ?? 256;
		const maxQuestionTokens = options.maxQuestionTokens ?? own['max_question_tokens'] ?? 40;
		const {longPassages = 'window', overlapTokens, titles, batchTokens = 2048, runtime = 'auto', threads = 0} = options;
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
		checkOneOf('runtime', runtime, runtimeChoices);
		checkCount('threads', threads, 0);
		const files = await modelFiles(folder, runtime, threads);
		const configuration = {
			maxTokens,
			maxQuestionTokens,
			batchTokens,
			longPassages,
			...(overlapTokens === undefined ? {} : {overlapTokens}),
			...(titles === undefined ? {} : {titles}),
			// Inputs in the form of DPR's own code do not end in `[SEP]`.
			openEnded: config?.['model_type'] === 'dpr',
		};
		return new ExtractiveReader(await callNative({signal: options.signal}, () => native.openReader(files, configuration)));
	}

	/** What runs the model. */
	get runtime(): 'passagekit' | 'onnxruntime' {
		return callSync(() => this.#native.runtime as 'passagekit' | 'onnxruntime');
	}

	/** The form of the model's inputs and outputs. */
	get form(): ReaderForm {
		return callSync(() => this.#native.form as ReaderForm);
	}

	/**
	Reads passages and returns distinct answers to the question, best first. `passages` must be in the order of retrieval. Progress counts
	passages.
	*/
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

	/** Releases the model. Calls in progress finish first. */
	close(): void {
		this.#native.close();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.close();
	}
}
