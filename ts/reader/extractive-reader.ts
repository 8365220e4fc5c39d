import {checkCount, checkNumber, checkOneOf, checkString} from '../check.ts';
import {type ModelOptions, resolveModel} from '../models/index.ts';
import {type Binding, callNative, native} from '../native.ts';
import {modelFiles, readModelJson} from '../onnx/model-files.ts';
import type {CallOptions, Passage} from '../types.ts';

/** A span of a passage that answers a question. */
export interface Answer {
	readonly text: string;
	readonly passageId: string;
	/** UTF-16 code units of the passage's text, half-open: `text.slice(start, end)` is the answer. */
	readonly start: number;
	readonly end: number;
	/** A probability under `normalized` and `probability`; start + end logits under `original`. */
	readonly score: number;
}

/**
How a span's score is made of what the reader said.

- `original`: the best span of the passage with the highest relevance (Ma et al., 2021, §2.2).
- `normalized`: softmax over passages × softmax over the spans of each; equal answers add up (Mao et al., 2020).
- `probability`: P_start · P_end · P_selected; equal answers add up (Karpukhin et al., 2020).
*/
export type SpanScoring = 'original' | 'normalized' | 'probability';

export interface ReadOptions extends CallOptions {
	/** @default 'normalized' */
	readonly scoring?: SpanScoring | undefined;
	/** Spans kept per passage (m). @default 10 */
	readonly spansPerPassage?: number | undefined;
	/** Tokens in an answer. @default 10 */
	readonly maxAnswerTokens?: number | undefined;
	/** Evidence fusion: relevance becomes β · relevance + γ · retrieval score (Ma et al., 2021, §2.3). @default {beta: 1, gamma: 0} */
	readonly evidence?: {readonly beta: number; readonly gamma: number} | undefined;
	/** Which answers are one: those of the same text, or those that SQuAD's normalisation makes the same. @default 'exact' */
	readonly merge?: 'exact' | 'normalised' | undefined;
	/** Answers wanted. @default 1 */
	readonly k?: number | undefined;
}

export interface ExtractiveReaderOptions extends ModelOptions {
	/** Tokens of an input, special tokens included; longer passages are cut at their end. @default as configured, else 256 */
	readonly maxTokens?: number | undefined;
	/** Tokens of the question. @default as configured, else 40 */
	readonly maxQuestionTokens?: number | undefined;
	/** Tokens of one run of the model, filling included. @default 2048 */
	readonly batchTokens?: number | undefined;
	/** Threads of one run of the model. @default all cores */
	readonly threads?: number | undefined;
}

/** A passage with the score it was retrieved with. */
export type RetrievedPassage = Passage & {readonly score: number};

/**
DPR's reader: takes answers out of passages (Karpukhin et al., 2020, §6.1). Needs the optional peer `onnxruntime-node`.

@example
```
const reader = await ExtractiveReader.load('minilm-reader');
const [answer] = await reader.read('When was the bridge opened?', passages);
//=> {text: '1890', passageId: 'forth-bridge.md#1', start: 52, end: 56, score: 0.81}
```
*/
export class ExtractiveReader implements AsyncDisposable {
	readonly #native: Binding.NativeReader;

	/** @internal */
	private constructor(reader: Binding.NativeReader) {
		this.#native = reader;
	}

	/** `model` is a folder with `model.onnx` and `tokenizer.json`, a model that passagekit carries, or a name on the Hugging Face hub. */
	static async load(model: string, options: ExtractiveReaderOptions = {}): Promise<ExtractiveReader> {
		checkString('model', model);
		const folder = await resolveModel(model, options);
		const own = (await readModelJson(folder, 'config.json'))?.passagekit ?? {};
		const maxTokens = options.maxTokens ?? own['max_tokens'] ?? 256;
		const maxQuestionTokens = options.maxQuestionTokens ?? own['max_question_tokens'] ?? 40;
		const {batchTokens = 2048, threads = 0} = options;
		checkCount('maxTokens', maxTokens, 8, 1_000_000);
		checkCount('maxQuestionTokens', maxQuestionTokens, 1, 1_000_000);
		checkCount('batchTokens', batchTokens, 1);
		checkCount('threads', threads, 0);
		const files = await modelFiles(folder, threads);
		return new ExtractiveReader(
			await callNative({signal: options.signal}, () => native.openReader(files, {maxTokens, maxQuestionTokens, batchTokens})),
		);
	}

	/** Answers, best first, each text once; `passages` in the order of retrieval. Progress counts passages. */
	async read(question: string, passages: readonly RetrievedPassage[], options: ReadOptions = {}): Promise<Answer[]> {
		checkString('question', question);
		const {
			scoring = 'normalized',
			spansPerPassage = 10,
			maxAnswerTokens = 10,
			evidence = {beta: 1, gamma: 0},
			merge = 'exact',
			k = 1,
		} = options;
		checkOneOf('scoring', scoring, ['original', 'normalized', 'probability']);
		checkOneOf('merge', merge, ['exact', 'normalised']);
		checkCount('spansPerPassage', spansPerPassage, 1);
		checkCount('maxAnswerTokens', maxAnswerTokens, 1);
		checkCount('k', k, 0);
		checkNumber('evidence: beta', evidence.beta);
		checkNumber('evidence: gamma', evidence.gamma);
		const inputs = passages.map(({text, title, score}, i) => {
			checkString(`passages[${i}]: text`, text);
			checkNumber(`passages[${i}]: score`, score);
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
