import {checkArray, checkCount, checkNumber, checkOneOf, checkString} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../../core/options.ts';
import {type AnswerMerge, answerMerges} from '../../reader/extractive-reader.ts';
import type {AnswerKind, CallOptions, Progress} from '../../core/types.ts';
import type {Settings} from './study.ts';

export interface ReplicateOptions extends Omit<CallOptions, 'onProgress'> {
	/** The data set's name, which finds the paper's figures: NQ, TriviaQA, WQ, CuratedTREC, SQuAD. @default the folder's name */
	readonly name?: string | undefined;
	/** The corpus, if it is not found by its name in the folder. */
	readonly corpus?: string | undefined;
	/** Development questions, if they are not found by their name. */
	readonly development?: string | undefined;
	/** Test questions, if they are not found by their name. */
	readonly test?: string | undefined;
	/** A collection of this corpus that has been built already. @default one is built in the run's folder */
	readonly collection?: string | undefined;
	/** The encoder of passages. @default 'minilm-encoder' */
	readonly encoder?: string | undefined;
	/** The encoder of questions, as DPR has one. @default that of passages */
	readonly questionEncoder?: string | undefined;
	/** The reader, or `false` for retrieval alone. @default 'minilm-reader' */
	readonly reader?: string | false | undefined;
	/** Whether accepted answers are texts or regular expressions, as CuratedTREC's are; F1 is not measured then. @default 'text' */
	readonly answerKind?: AnswerKind | undefined;
	/** Hits taken from each list before fusing (k') for Hybrid-norm and Hybrid. @default 1000 */
	readonly depth?: number | undefined;
	/** The same for Hybrid-orig, at least `depth`: as many hits are retrieved. @default twice `depth`, as in Karpukhin et al. (2020) */
	readonly dprDepth?: number | undefined;
	/** Cut-offs of accuracy. @default [20, 100] */
	readonly ks?: readonly number[] | undefined;
	/** Maximum number of passages read per question; the paper has 500. @default 100 */
	readonly passagesRead?: number | undefined;
	/** Maximum number of spans kept per passage (m). The papers do not say how many; PyGaggle's GAR keeps 5. @default 10 */
	readonly spansPerPassage?: number | undefined;
	/** Maximum number of tokens of an answer. The papers do not say how many; PyGaggle has 10 as well. @default 10 */
	readonly maxAnswerTokens?: number | undefined;
	/** Which answers are equal; PyGaggle has `normalized`. @default 'text' */
	readonly merge?: AnswerMerge | undefined;
	/** A difference counts with a corrected p below this. @default 0.01 */
	readonly significance?: number | undefined;
	/**
	Values of α tried for Hybrid-norm and Hybrid. With an encoder of unit vectors λ of Hybrid-orig is tuned too: its values are
	1 / α for each positive α.
	@default 0 to 2 by 0.05; for unit vectors, whose scores are small, a tenth of that, 0 to 0.2 by 0.005
	*/
	readonly grid?: readonly number[] | undefined;
	/** Development questions used, spread over the file. @default all */
	readonly maxDevelopmentQuestions?: number | undefined;
	/** Test questions used, spread over the file. @default all */
	readonly maxTestQuestions?: number | undefined;
	readonly onProgress?: ((progress: ReplicateProgress) => void) | undefined;
}

/** The names of `ReplicateOptions`. */
export const replicateOptions: OptionNames = optionNames<ReplicateOptions>({
	...callNames,
	name: true,
	corpus: true,
	development: true,
	test: true,
	collection: true,
	encoder: true,
	questionEncoder: true,
	reader: true,
	answerKind: true,
	depth: true,
	dprDepth: true,
	ks: true,
	passagesRead: true,
	spansPerPassage: true,
	maxAnswerTokens: true,
	merge: true,
	significance: true,
	grid: true,
	maxDevelopmentQuestions: true,
	maxTestQuestions: true,
});

/** What is being done, and how far it is. */
export interface ReplicateProgress extends Progress {
	/** Such as `encode`, `search dense, test` or `read hybrid, development`. */
	readonly stage: string;
}

/** The parameters of BM25 in both papers. */
const bm25 = {k1: 0.9, b: 0.4} as const;

/** Checks all options; those that decide what is measured come back. */
export function checkedOptions(options: ReplicateOptions): {readonly settings: Settings; readonly ks: readonly number[]} {
	checkOptions('replicate', options, replicateOptions);
	for (const what of ['name', 'corpus', 'development', 'test', 'collection', 'encoder', 'questionEncoder'] as const) {
		if (options[what] !== undefined) {
			checkString(what, options[what]);
		}
	}
	if (options.reader !== undefined && options.reader !== false) {
		checkString('reader', options.reader);
	}
	const settings = checkedSettings(options);
	const ks = options.ks ?? [20, 100];
	checkArray('ks', ks, 'cut-offs');
	if (options.grid !== undefined) {
		checkArray('grid', options.grid, 'weights');
	}
	for (const k of ks) {
		checkCount('ks', k, 1, settings.depth);
	}
	return {settings, ks};
}

function checkedSettings(options: ReplicateOptions): Settings {
	const {depth = 1000, passagesRead = 100, significance = 0.01, maxDevelopmentQuestions = 1, maxTestQuestions = 2} = options;
	const {spansPerPassage = 10, maxAnswerTokens = 10, merge = 'text', answerKind = 'text'} = options;
	checkCount('depth', depth, 1);
	const {dprDepth = 2 * depth} = options;
	checkCount('dprDepth', dprDepth, depth);
	checkCount('passagesRead', passagesRead, 1);
	checkCount('spansPerPassage', spansPerPassage, 1);
	checkCount('maxAnswerTokens', maxAnswerTokens, 1);
	checkOneOf('merge', merge, answerMerges);
	checkCount('maxDevelopmentQuestions', maxDevelopmentQuestions, 1);
	checkCount('maxTestQuestions', maxTestQuestions, 2);
	checkNumber('significance', significance);
	checkOneOf('answerKind', answerKind, ['text', 'pattern']);
	if (significance <= 0 || significance >= 1) {
		throw new RetrievalError('ERR_ARGUMENT', `significance: expected a number between 0 and 1, got ${significance}`);
	}
	return {
		depth,
		dprDepth,
		significance,
		tunedFor: 20,
		passagesRead: Math.min(passagesRead, depth),
		spansPerPassage,
		maxAnswerTokens,
		merge,
		bm25,
		...(answerKind === 'pattern' ? {answers: answerKind} : {}),
	};
}
