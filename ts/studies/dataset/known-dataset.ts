import {checkString} from '../../core/checks.ts';

/**
Recognizes one of a paper's data sets by its name. The words of `dataset` have to start with those of one of its `names`, and all
other words have to match `additions`, such as "dev". Case and punctuation are ignored.
*/
export function knownDataset(dataset: string, names: Readonly<Record<string, readonly string[]>>, additions: RegExp): string | undefined {
	checkString('dataset', dataset);
	const words =
		dataset
			.toLowerCase()
			.replaceAll(/(?<=[a-z])(?=\d)/gu, ' ')
			.match(/[\p{L}\d]+/gu) ?? [];
	const [known] =
		Object.entries(names).find(([, spellings]) =>
			spellings.some(name => {
				const own = name.split(' ');
				return own.every((word, i) => words[i] === word) && words.slice(own.length).every(word => additions.test(word));
			}),
		) ?? [];
	return known;
}
