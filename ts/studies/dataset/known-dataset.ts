/** Recognizes by name the data sets that a paper uses. */
import {checkString} from '../../core/checks.ts';

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
