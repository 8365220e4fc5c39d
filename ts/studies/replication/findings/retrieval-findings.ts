/**
The findings about retrieval (Ma et al., 2021, §4.1). Hybrid-orig is DPR's own hybrid of dense retrieval and BM25;
Hybrid-norm and Hybrid are those of the paper. `study.ts` defines all three.
*/
import {findComparison} from '../../statistics/comparison.ts';
import {withoutUndefined, significanceClause} from '../../statistics/finding.ts';
import {verdictOfGains} from '../../statistics/verdict.ts';
import {capitalized, withCommas, listed, percent, points, unsignedPoints} from '../../../drawing/format.ts';
import {closeMargin, verdictOfNoDifference, largestPossible} from '../../statistics/equivalence.ts';
import type {Finding} from './finding-names.ts';
import {labelOf, overlapAt, overlapConditions, overlapLimit} from '../labels.ts';
import {topK} from '../../statistics/measures.ts';
import {type Published, publishedFor} from '../published.ts';
import type {RetrievalCondition, Study} from '../study.ts';

export function retrievalFindings(study: Study): readonly Finding[] {
	return withoutUndefined([denseOrSparse(study), hybrids(study), hybridsAlike(study), overlap(study)]);
}

function denseOrSparse({dataset, retrieval}: Study): Finding | undefined {
	const paper = publishedFor(dataset);
	const [expected, other] = paper && betterOf(paper) === 'bm25' ? (['bm25', 'dense'] as const) : (['dense', 'bm25'] as const);
	const evidence = withoutUndefined(retrieval.ks.map(k => findComparison(retrieval.comparisons, expected, other, topK(k))));
	const [first] = evidence;
	if (!first) {
		return undefined;
	}
	const names = {dense: 'dense retrieval', bm25: 'BM25'};
	const haveSameSign = evidence.every(({difference}) => Math.sign(difference) === Math.sign(first.difference)) && first.difference !== 0;
	const [better, worse] = first.difference > 0 ? [expected, other] : [other, expected];
	const difference = haveSameSign
		? `${capitalized(names[better])} is better than ${names[worse]} by ${listed(evidence.map(({difference, measure}) => `${unsignedPoints(difference)} points at ${measure}`))}`
		: `${capitalized(names[expected])} differs from ${names[other]} by ${listed(evidence.map(({difference, measure}) => `${points(difference)} points at ${measure}`))}`;
	return {
		name: 'dense or sparse',
		source: 'paper',
		claim: `${capitalized(names[expected])} is more effective than ${names[other]}${paper ? ` on ${paper.dataset}` : ' on all of the paper’s data sets except SQuAD'}.`,
		result: `${difference}; ${significanceClause(evidence)}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

/**
The hybrids that the paper proposes. The paper's claim is not about DPR's hybrid, Hybrid-orig: in the paper's Table 1,
its top-20 accuracy is below that of dense retrieval on three of the five data sets.
*/
const proposedHybrids = ['hybridNorm', 'hybrid'] as const;

function hybrids({retrieval}: Study): Finding | undefined {
	const {comparisons, ks} = retrieval;
	const tests = proposedHybrids.map(hybrid => ({
		hybrid,
		byCutOff: ks.map(k => ({
			k,
			gains: withoutUndefined(['dense', 'bm25'].map(single => findComparison(comparisons, hybrid, single, topK(k)))),
		})),
	}));
	const tested = tests.filter(({byCutOff}) => byCutOff.some(({gains}) => gains.length > 0));
	if (tested.length === 0) {
		return undefined;
	}
	// A hybrid's difference from the better of dense retrieval and BM25 is the smaller of its two differences.
	const sentences = tested.map(({hybrid, byCutOff}) => {
		const smallest = byCutOff
			.filter(({gains}) => gains.length > 0)
			.map(({k, gains}) => ({k, smallest: Math.min(...gains.map(({difference}) => difference))}));
		return `${labelOf(hybrid)} differs from the better of dense retrieval and BM25 by ${listed(smallest.map(({k, smallest}) => `${points(smallest)} points at ${topK(k)}`))}`;
	});
	const evidence = tested.flatMap(({byCutOff}) => byCutOff.flatMap(({gains}) => gains));
	return {
		name: 'hybrids',
		source: 'paper',
		claim: 'Both hybrids, Hybrid-norm and Hybrid, are better than dense retrieval and than BM25.',
		result: `${sentences.join('; ')}. Differences from dense retrieval and from BM25: ${significanceClause(evidence)}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

function hybridsAlike({retrieval}: Study): Finding | undefined {
	const evidence = withoutUndefined(retrieval.ks.map(k => findComparison(retrieval.comparisons, ...proposedHybrids, topK(k))));
	if (evidence.length === 0) {
		return undefined;
	}
	return {
		name: 'hybrids alike',
		source: 'paper',
		claim: 'The two hybrids, Hybrid-norm and Hybrid, do not differ significantly.',
		result:
			`Hybrid-norm differs from Hybrid by ${listed(evidence.map(({difference, measure}) => `${points(difference)} points at ${measure}`))}; ${significanceClause(evidence)}. ` +
			`The confidence intervals include differences of up to ${unsignedPoints(largestPossible(evidence))} points; the claim holds if they include none above ${unsignedPoints(closeMargin)}.`,
		verdict: verdictOfNoDifference(evidence),
		evidence,
	};
}

function overlap({overlap: measured, overlapComparisons, corpus}: Study): Finding | undefined {
	// The Jaccard overlap of two random lists of k out of n passages: on average, they share k²/n passages and together
	// have 2k − k²/n different ones, so the overlap is about k / (2n − k). Long lists from a small corpus thus overlap by
	// chance.
	const chance = (k: number): number => k / Math.max(k, 2 * corpus.count - k);
	const testable = measured.filter(({k}) => chance(k) <= overlapLimit);
	const evidence = withoutUndefined(
		testable.map(({k}) => findComparison(overlapComparisons, overlapConditions.limit, overlapConditions.overlap, overlapAt(k))),
	);
	if (evidence.length === 0) {
		return undefined;
	}
	const tooLong = measured.filter(({k}) => chance(k) > overlapLimit);
	const shares = listed(measured.map(({k, jaccard}) => `${percent(jaccard)}% at k = ${withCommas(k)}`));
	const byChance = tooLong.map(({k}) => `${percent(chance(k))}% at k = ${withCommas(k)}`);
	return {
		name: 'overlap',
		source: 'paper',
		claim: 'Dense and sparse lists have few passages in common: their Jaccard overlap is less than 10%.',
		result: `The overlap is ${shares}; compared with 10%, ${significanceClause(evidence)}.${
			byChance.length > 0
				? ` Two random lists from a corpus of ${withCommas(corpus.count)} passages would overlap by ${listed(byChance)}, so ${byChance.length === 1 ? 'this length is' : 'these lengths are'} not tested.`
				: ''
		}`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

/** Returns the better of dense retrieval and BM25 in the paper, by top-20 accuracy. */
function betterOf({retrieval}: Published): RetrievalCondition {
	return retrieval.bm25.repl![20] > retrieval.dense.repl![20] ? 'bm25' : 'dense';
}
