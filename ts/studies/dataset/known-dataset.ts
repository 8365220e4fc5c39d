import {checkString} from '../../core/checks.ts';

/**
Which of a paper's data sets is meant, however its name is written: its words begin with those of one of the `names`, and
go on with `additions` alone, such as "dev".
*/
export function knownDataset(dataset: string, names: Readonly<Record<string, readonly string[]>>, additions: RegExp): string | undefined {
	checkString('dataset', dataset);
	const words =
		dataset
			.toLowerCase()
			.replaceAll(/(?<=[a-z])(?=\d)/gu, ' ')
			.match(/[\p{L}\d]+/gu) ?? [];
	const [known] =
		Object.entries(names).find(([, written]) =>
			written.some(name => {
				const own = name.split(' ');
				return own.every((word, i) => words[i] === word) && words.slice(own.length).every(word => additions.test(word));
			}),
		) ?? [];
	return known;
}
