/** The options of the phrase study, their defaults and their checks. */
import {checkArray, checkCount, checkOneOf} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type OptionNames, optionNames} from '../../core/options.ts';
import {type JudgedStudyOptions, checkJudgedOptions, judgedOptionNames} from '../engine/judged-study.ts';
import {checkStrings} from '../engine/options.ts';
import {type PhraseModel, phraseModels} from './protocol/phrase-models.ts';
import type {PhraseSettings} from './study.ts';

/** The options of `studyPhrases`. */
export interface PhraseStudyOptions extends JudgedStudyOptions {
	/**
	Phrase lengths in sentences. Each length has its own index, called a model.
	@default [1, 3, 5], or none if `tokens` is given
	*/
	readonly sentences?: readonly number[] | undefined;
	/**
	Phrase lengths in tokens. Each length has its own index, called a model. The paper uses 75, 125 and 250 for NQ.
	@default none
	*/
	readonly tokens?: readonly number[] | undefined;
	/** Number of hard negatives, found by BM25, among a question's candidates. @default 10 */
	readonly negatives?: number | undefined;
	/** Number of random passages among a question's candidates. @default 20 */
	readonly random?: number | undefined;
	/**
	The scores from which a model's confidence is computed; the paper calls them A_k. `phrases`, as in the paper: the 30
	highest inner products with vectors of phrases, not divided by the norms of these vectors. `passages`: the scores of
	the 30 best passages.
	@default 'phrases'
	*/
	readonly confidenceOf?: 'phrases' | 'passages' | undefined;
}

export const phraseOptionNames: OptionNames = optionNames<PhraseStudyOptions>({
	...judgedOptionNames,
	sentences: true,
	tokens: true,
	negatives: true,
	random: true,
	confidenceOf: true,
});

/** The cut-offs k of top-k accuracy among all passages. */
export const cutOffs = [1, 5, 20, 100];

/** Checks all options, and returns those that determine what is measured. */
export function checkedOptions(options: PhraseStudyOptions): {
	readonly settings: PhraseSettings;
	readonly models: readonly PhraseModel[];
} {
	checkStrings(options, ['name', 'encoder', 'questionEncoder']);
	const settings = checkedSettings(options);
	return {settings, models: checkedModels(options)};
}

function checkedModels({sentences, tokens = []}: PhraseStudyOptions): readonly PhraseModel[] {
	checkArray('tokens', tokens, 'lengths');
	if (sentences !== undefined) {
		checkArray('sentences', sentences, 'lengths');
	}
	const lengths = {sentences: sentences ?? (tokens.length > 0 ? [] : [1, 3, 5]), tokens};
	for (const [unit, counts] of Object.entries(lengths)) {
		for (const count of counts) {
			checkCount(unit, count, 1);
		}
		if (new Set(counts).size < counts.length) {
			throw new RetrievalError('ERR_ARGUMENT', `${unit}: expected each length once, got ${counts.join(', ')}`);
		}
	}
	if (lengths.sentences.length + lengths.tokens.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'sentences: expected at least one length of phrases, in sentences or tokens, got none');
	}
	return phraseModels(lengths);
}

function checkedSettings(options: PhraseStudyOptions): PhraseSettings {
	const {negatives = 10, random = 20, confidenceOf = 'phrases'} = options;
	const {seed, significance, answers} = checkJudgedOptions(options);
	// At most 80 of BM25's 100 hits, because relevant passages, which cannot be negatives, may be among the hits.
	checkCount('negatives', negatives, 0, 80);
	checkCount('random', random, 0);
	checkOneOf('confidenceOf', confidenceOf, ['phrases', 'passages']);
	// The number of models that MUF (model uncertainty fusion) fuses, the initial temperature and the step size are those
	// of Yang et al. (2023, §4.2). The paper does not state `confidenceDepth` (the k of A_k) or the number of bins.
	return {
		seed,
		negatives,
		random,
		confidenceOf,
		confidenceDepth: 30,
		fused: 3,
		start: 0.1,
		stepSize: 100,
		bins: 10,
		depth: Math.max(...cutOffs),
		significance,
		...(answers && {answers}),
	};
}
