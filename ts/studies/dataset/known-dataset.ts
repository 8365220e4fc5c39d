/** Recognizes by name the data sets that a paper uses. */
import {checkString} from '../../core/checks.ts';

/** The data sets of Karpukhin et al. (2020) and Ma et al. (2021), with the spellings of their names. */
export const dprDatasets: Readonly<Record<string, readonly string[]>> = {
	NQ: ['nq', 'natural questions'],
	TriviaQA: ['trivia', 'trivia qa', 'triviaqa', 'tqa'],
	WQ: ['wq', 'web questions', 'webquestions', 'web q', 'webq'],
	CuratedTREC: ['curated', 'curated trec', 'curatedtrec'],
	SQuAD: ['squad'],
};

/**
Returns the key in `names` of the data set with the name `dataset`, or `undefined` if there is none. `names` lists the
spellings of each data set's name. The words of `dataset` must begin with the words of a spelling, and each further
word, such as "dev", must match `additions`. Case and punctuation are ignored: `SQuAD-dev` matches the spelling `squad`
if `additions` matches "dev".
*/
export function knownDataset(dataset: string, names: Readonly<Record<string, readonly string[]>>, additions: RegExp): string | undefined {
	checkString('dataset', dataset);
	// A digit after a letter starts a new word, as in `squad2`.
	const words =
		dataset
			.toLowerCase()
			.replaceAll(/(?<=[a-z])(?=\d)/gu, ' ')
			.match(/[\p{L}\d]+/gu) ?? [];
	const [known] =
		Object.entries(names).find(([, spellings]) =>
			spellings.some(name => {
				const nameWords = name.split(' ');
				return nameWords.every((word, i) => words[i] === word) && words.slice(nameWords.length).every(word => additions.test(word));
			}),
		) ?? [];
	return known;
}
