/**
The options of the replication study (Ma et al., 2021), their defaults and their checks. `study.ts` defines the hybrids
Hybrid-orig, Hybrid-norm and Hybrid.
*/
import {checkArray, checkCount, checkOneOf, checkString} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type OptionNames, optionNames} from '../../core/options.ts';
import type {AnswerKind} from '../../core/types.ts';
import {type AnswerMerge, answerMerges} from '../../reader/extractive-reader.ts';
import type {RemoteOptions} from '../../remote/index.ts';
import {type StudyOptions, checkSignificance, checkStrings, studyOptionNames} from '../engine/options.ts';
import type {Settings} from './study.ts';

/** The options of `replicate`. */
export interface ReplicateOptions extends StudyOptions {
	/** Folder of an existing collection of this corpus. @default one is built in the output folder */
	readonly collection?: string | undefined;
	/**
	The address of a node of an OpenSearch cluster, or several with commas: the study then searches the index `index`, which must have the
	passages of this corpus, and builds no collection.
	*/
	readonly url?: string | undefined;
	/** The index of the cluster, made by `passagekit push`. */
	readonly index?: string | undefined;
	/** The certificates, the credentials and the timeouts of the connection with the cluster. */
	readonly connection?: Omit<RemoteOptions, 'url' | 'client'> | undefined;
	/** The reader, or `false` for retrieval without reading. @default 'minilm-reader' */
	readonly reader?: string | false | undefined;
	/**
	Whether accepted answers are texts or, as in CuratedTREC, regular expressions, for which F1 is not defined.
	@default 'text'
	*/
	readonly answerKind?: AnswerKind | undefined;
	/** Number of hits that Hybrid-norm and Hybrid fuse from each list (k'). @default 1000 */
	readonly depth?: number | undefined;
	/**
	The same for Hybrid-orig; at least `depth`. Each retriever retrieves this number of hits.
	@default twice `depth`, as in Karpukhin et al. (2020)
	*/
	readonly dprDepth?: number | undefined;
	/** The cut-offs k of top-k accuracy, each at most `depth`. @default [20, 100] */
	readonly ks?: readonly number[] | undefined;
	/** Maximum number of passages read per question, capped at `depth`; the paper uses 500. @default 100 */
	readonly passagesRead?: number | undefined;
	/**
	Maximum number of spans kept per passage (m). The papers that this study repeats do not say how many; PyGaggle, the
	software of Ma et al. (2021), keeps 5.
	@default 10
	*/
	readonly spansPerPassage?: number | undefined;
	/** Maximum number of tokens of an answer. The papers do not say how many; PyGaggle also uses 10. @default 10 */
	readonly maxAnswerTokens?: number | undefined;
	/** Which spans are merged into one answer; PyGaggle uses `normalized`. @default 'text' */
	readonly merge?: AnswerMerge | undefined;
	/**
	The values that are tried for α, the weight of BM25 scores in Hybrid-norm and Hybrid. If the encoder's vectors have
	unit length, λ, the weight of dense scores in Hybrid-orig, is tuned as well: 1 / α is tried for each positive α.
	@default 0 to 2 in steps of 0.05; for unit vectors, whose scores are small, a tenth of these values
	*/
	readonly grid?: readonly number[] | undefined;
	/** Maximum number of development questions, taken from the file at equal intervals. @default all */
	readonly maxDevelopmentQuestions?: number | undefined;
	/** Maximum number of test questions, taken from the file at equal intervals. @default all */
	readonly maxTestQuestions?: number | undefined;
}

export const replicateOptionNames: OptionNames = optionNames<ReplicateOptions>({
	...studyOptionNames,
	collection: true,
	url: true,
	index: true,
	connection: true,
	reader: true,
	answerKind: true,
	depth: true,
	dprDepth: true,
	ks: true,
	passagesRead: true,
	spansPerPassage: true,
	maxAnswerTokens: true,
	merge: true,
	grid: true,
	maxDevelopmentQuestions: true,
	maxTestQuestions: true,
});

export const DEFAULT_READER = 'minilm-reader';

/** The parameters of BM25 in Ma et al. (2021) and Karpukhin et al. (2020). */
const bm25 = {k1: 0.9, b: 0.4} as const;

/** Checks all options, and returns those that determine what is measured. */
export function checkedOptions(options: ReplicateOptions): {readonly settings: Settings; readonly ks: readonly number[]} {
	checkStrings(options, ['name', 'corpus', 'development', 'test', 'collection', 'url', 'index', 'encoder', 'questionEncoder']);
	if (options.reader !== undefined && options.reader !== false) {
		checkString('reader', options.reader);
	}
	if ((options.url === undefined) !== (options.index === undefined)) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`replicate: expected both url and index, or neither, got ${options.url === undefined ? 'index' : 'url'}`,
		);
	}
	if (options.url !== undefined && options.collection !== undefined) {
		throw new RetrievalError('ERR_ARGUMENT', 'replicate: expected a collection or the url of a cluster, got both');
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
	if (new Set(ks).size < ks.length) {
		throw new RetrievalError('ERR_ARGUMENT', `ks: expected distinct cut-offs, got ${ks.join(', ')}`);
	}
	return {settings, ks};
}

function checkedSettings(options: ReplicateOptions): Settings {
	// The maximum numbers of questions have no default: 1 and 2 only make the checks pass if the options are missing.
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
	checkOneOf('answerKind', answerKind, ['text', 'pattern']);
	checkSignificance(significance);
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
