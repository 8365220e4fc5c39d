/** The findings of Ma et al. (2021, §4.1): retrieval. */
import {findComparison} from '../../statistics/comparison.ts';
import {withoutUndefined, significanceClause} from '../../statistics/finding.ts';
import {verdictOfGains} from '../../statistics/verdict.ts';
import {capital, grouped, listed, percent, points, size} from '../../../drawing/format.ts';
import {closeMargin, verdictOfNoDifference, largestPossible} from './equivalence.ts';
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
	const oneWay = evidence.every(({difference}) => Math.sign(difference) === Math.sign(first.difference)) && first.difference !== 0;
	const [better, worse] = first.difference > 0 ? [expected, other] : [other, expected];
	const here = oneWay
		? `${capital(names[better])} is better than ${names[worse]} by ${listed(evidence.map(({difference, measure}) => `${size(difference)} points at ${measure}`))}`
		: `${capital(names[expected])} differs from ${names[other]} by ${listed(evidence.map(({difference, measure}) => `${points(difference)} points at ${measure}`))}`;
	return {
		name: 'dense or sparse',
		source: 'paper',
		claim: `${capital(names[expected])} is more effective than ${names[other]}${paper ? ` on ${paper.dataset}` : ', on all of the paper’s data sets but SQuAD'}.`,
		here: `${here}; ${significanceClause(evidence)}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

/** The paper's hybrids. DPR's own hybrid is no better than dense retrieval, as its authors found themselves. */
const ownHybrids = ['hybridNorm', 'hybrid'] as const;

function hybrids({retrieval}: Study): Finding | undefined {
	const {comparisons, ks} = retrieval;
	const tests = ownHybrids.map(hybrid => ({
		hybrid,
		over: ks.map(k => ({
			k,
			both: withoutUndefined(['dense', 'bm25'].map(single => findComparison(comparisons, hybrid, single, topK(k)))),
		})),
	}));
	const tested = tests.filter(({over}) => over.some(({both}) => both.length > 0));
	if (tested.length === 0) {
		return undefined;
	}
	// The difference from the better one of both is the smaller difference.
	const sentence = tested.map(({hybrid, over}) => {
		const smallest = over
			.filter(({both}) => both.length > 0)
			.map(({k, both}) => ({k, smallest: Math.min(...both.map(({difference}) => difference))}));
		return `${labelOf(hybrid)} differs from the better of dense retrieval and BM25 by ${listed(smallest.map(({k, smallest}) => `${points(smallest)} points at ${topK(k)}`))}`;
	});
	const evidence = tested.flatMap(({over}) => over.flatMap(({both}) => both));
	return {
		name: 'hybrids',
		source: 'paper',
		claim: 'Either hybrid is better than dense retrieval and than BM25.',
		here: `${sentence.join('; ')}. Of all differences from either, ${significanceClause(evidence)}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

function hybridsAlike({retrieval}: Study): Finding | undefined {
	const evidence = withoutUndefined(retrieval.ks.map(k => findComparison(retrieval.comparisons, ...ownHybrids, topK(k))));
	if (evidence.length === 0) {
		return undefined;
	}
	return {
		name: 'hybrids alike',
		source: 'paper',
		claim: 'The two hybrids do not differ significantly.',
		here: `Hybrid-norm differs from Hybrid by ${listed(evidence.map(({difference, measure}) => `${points(difference)} points at ${measure}`))}; ${significanceClause(evidence)}. The confidence intervals include differences of up to ${size(largestPossible(evidence))} points; the claim holds where they end within ${size(closeMargin)}.`,
		verdict: verdictOfNoDifference(evidence),
		evidence,
	};
}

function overlap({overlap: measured, overlapComparisons, corpus}: Study): Finding | undefined {
	// Two random lists of k out of n passages share k²/n passages on average, so long lists overlap in a small corpus.
	const chance = (k: number): number => k / Math.max(k, 2 * corpus.count - k);
	const judged = measured.filter(({k}) => chance(k) <= overlapLimit);
	const evidence = withoutUndefined(
		judged.map(({k}) => findComparison(overlapComparisons, overlapConditions.limit, overlapConditions.overlap, overlapAt(k))),
	);
	if (evidence.length === 0) {
		return undefined;
	}
	const beyond = measured.filter(({k}) => chance(k) > overlapLimit);
	const shares = listed(measured.map(({k, jaccard}) => `${percent(jaccard)} % at k = ${grouped(k)}`));
	const caveat = beyond.map(({k}) => `${percent(chance(k))} % at k = ${grouped(k)}`);
	return {
		name: 'overlap',
		source: 'paper',
		claim: 'Dense and sparse lists have few passages in common: a Jaccard overlap of less than 10 %.',
		here: `The overlap is ${shares}; compared with 10 %, ${significanceClause(evidence)}.${
			caveat.length > 0
				? ` Two random lists of ${grouped(corpus.count)} passages would overlap by ${listed(caveat)}, so ${caveat.length === 1 ? 'that length does' : 'these lengths do'} not count.`
				: ''
		}`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

function betterOf({retrieval}: Published): RetrievalCondition {
	return retrieval.bm25.repl![20] > retrieval.dense.repl![20] ? 'bm25' : 'dense';
}
