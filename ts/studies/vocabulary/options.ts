/** The options of the vocabulary study, their defaults and their checks. */
import {checkBoolean, checkCount, checkNumber} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type OptionNames, optionNames} from '../../core/options.ts';
import {resolveModel} from '../../models/index.ts';
import {paperLearningRate} from '../../vocabulary/enrichment/learning-rate.ts';
import {MAX_STEPS} from '../../vocabulary/enrichment/token-vectors.ts';
import {modelTypeOf} from '../../vocabulary/projection/vocabulary-projection.ts';
import {type JudgedStudyOptions, checkJudgedOptions, judgedOptionNames} from '../engine/judged-study.ts';
import {checkStrings} from '../engine/options.ts';
import {MIN_GROUP_SIZE} from './findings/claim-tests.ts';
import type {VocabularySettings} from './study.ts';

export interface VocabularyStudyOptions extends JudgedStudyOptions {
	/**
	The masked-language-model head of the model that the encoder was initialized from.
	@default 'minilm-mlm-head' for 'minilm-encoder', else the head in the encoder's own model
	*/
	readonly head?: string | undefined;
	/**
	The model that the encoder was initialized from, as an encoder.
	@default the head's word embeddings, averaged over a text's tokens
	*/
	readonly baseline?: string | undefined;
	/**
	Whether to study lexical enrichment, which needs a vector for each token of the head's vocabulary. The search for these
	vectors takes up to an hour, once for each head.
	@default true
	*/
	readonly enrichment?: boolean | undefined;
	/**
	Learning rate of Adam in the search for the token vectors of lexical enrichment.
	@default the paper's: 0.001 for heads of MPNet, else 0.01
	*/
	readonly learningRate?: number | undefined;
	/** Maximum number of steps of Adam for each token vector. @default 100 */
	readonly maxSteps?: number | undefined;
}

export const vocabularyOptionNames: OptionNames = optionNames<VocabularyStudyOptions>({
	...judgedOptionNames,
	head: true,
	baseline: true,
	enrichment: true,
	learningRate: true,
	maxSteps: true,
});

/** The cut-offs k of top-k accuracy. */
export const cutOffs = [1, 5, 20, 100];

/**
The values to try for λ, the weight of the lexical vectors, in relative units: at 1, λ times the lexical vectors are on
average as long as the encoder's vectors.
*/
const LAMBDAS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2, 3];

/**
Checks the options, except the paths of files, and except `learningRate` and `maxSteps`: `checkedSettings` checks these
two.
*/
export function checkVocabularyOptions(options: VocabularyStudyOptions): void {
	checkStrings(options, ['name', 'encoder', 'questionEncoder', 'head', 'baseline']);
	checkBoolean('enrichment', options.enrichment ?? true);
	checkJudgedOptions(options);
}

/** Checks `learningRate` and `maxSteps`, and returns the settings. The default learning rate depends on `head`. */
export async function checkedSettings(options: VocabularyStudyOptions, head: string): Promise<VocabularySettings> {
	const modelType = await modelTypeOf(await resolveModel(head, {signal: options.signal}));
	const {enrichment = true, learningRate = paperLearningRate(modelType), maxSteps = MAX_STEPS} = options;
	const {seed, significance, answers} = checkJudgedOptions(options);
	checkCount('maxSteps', maxSteps, 1);
	checkNumber('learningRate', learningRate);
	if (learningRate <= 0) {
		throw new RetrievalError('ERR_ARGUMENT', `learningRate: expected a number above 0, got ${learningRate}`);
	}
	return {
		seed,
		depth: Math.max(...cutOffs),
		sparseDepth: 5,
		bounds: [5, 20, 100],
		minGroup: MIN_GROUP_SIZE,
		learningRate,
		maxSteps,
		lambdas: enrichment ? LAMBDAS : [],
		significance,
		...(answers && {answers}),
	};
}
