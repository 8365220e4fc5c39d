/** The names that reports show for conditions. */
import {counted} from '../../drawing/format.ts';
import {bm25Name, jointNames, supervisionNames, transferNames, untrainedName} from './conditions.ts';

const labels: Readonly<Record<string, string>> = {
	[bm25Name]: 'BM25',
	[untrainedName]: 'Before training',
	'random-7': '7 random negatives',
	'bm25-7': '7 BM25 negatives',
	'gold-7': '7 gold negatives',
	[supervisionNames.gold]: 'Gold positives',
	[supervisionNames.distant]: 'Distant supervision',
	'dot-nll': 'Dot product, NLL',
	'dot-triplet': 'Dot product, triplet loss',
	'l2-nll': 'L2, NLL',
	'l2-triplet': 'L2, triplet loss',
	'cosine-nll': 'Cosine, NLL',
	[jointNames.separate]: 'Separate',
	[jointNames.joint]: 'Joint',
	[transferNames.main]: 'Trained on the study’s data set',
	[transferNames.own]: 'Trained on this data set',
	[transferNames.multi]: 'Trained on all data sets',
};

/** Returns the name that reports show for a condition. Other strings are returned unchanged. */
export function labelOf(condition: string): string {
	if (Object.hasOwn(labels, condition)) {
		return labels[condition]!;
	}
	const [, batchSize, bm25] = /^in-batch-(\d+)(?:-bm25-(\d+))?$/u.exec(condition) ?? [];
	if (batchSize !== undefined) {
		return `In-batch ${batchSize}${bm25 === undefined ? '' : ` + ${bm25} BM25`}`;
	}
	const [, examples] = /^examples-(\d+)$/u.exec(condition) ?? [];
	return examples === undefined ? condition : counted(Number(examples), 'example');
}
