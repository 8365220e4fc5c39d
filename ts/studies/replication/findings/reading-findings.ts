/** The findings of Ma et al. (2021, §4.2): end-to-end question answering. */
import {type Comparison, findComparison} from '../../statistics/comparison.ts';
import {withoutUndefined, significanceClause} from '../../statistics/finding.ts';
import {type Verdict, verdictOfGains, verdictOfParts} from '../../statistics/verdict.ts';
import {grouped, listed, many, points, size} from '../../../drawing/format.ts';
import {closeMargin, verdictOfNoDifference, verdictOfNoLoss, largestPossible} from './equivalence.ts';
import type {Finding, FindingName} from './finding-names.ts';
import {labelOf, exactMatchMeasure, readingCondition, retrieverLabels} from '../labels.ts';
import {publishedFor} from '../published.ts';
import type {CurveTest, ReadingStudy, Retrieved, Scoring} from '../study.ts';

export function readingFindings(reading: ReadingStudy, dataset: string): readonly Finding[] {
	return withoutUndefined([
		hybridRead(reading, dataset),
		scoringGain(reading, 'repl*', 'repl', 'most', 'The retriever’s scores help the original span scoring: repl* is better than repl.'),
		scoringGain(reading, 'GAR', 'repl', 'most', 'Normalized span scoring is better than the original: GAR is better than repl.'),
		scoringGain(reading, 'GAR*', 'GAR', 'all', 'The retriever’s scores help normalized span scoring: GAR* is better than GAR.'),
		scoringGain(reading, 'GAR*', 'repl', 'all', 'Both together are better than the original span scoring: GAR* is better than repl.'),
		bestOverBest(reading),
		passagesRead(reading, dataset),
	]);
}

function hybridRead({textComparisons}: ReadingStudy, dataset: string): Finding | undefined {
	const test = findComparison(textComparisons, readingCondition('hybrid', 'repl'), readingCondition('dense', 'repl'), exactMatchMeasure);
	if (!test) {
		return undefined;
	}
	const evidence = [test];
	const known = publishedFor(dataset)?.dataset;
	const interval = ` The confidence interval includes differences of up to ${size(largestPossible(evidence))} points; the claim holds where it ends within ${size(closeMargin)}.`;
	const [claim, verdict, added] =
		known === 'TriviaQA'
			? ([
					'Answers from hybrid passages are better than those from dense ones, modestly, on TriviaQA.',
					verdictOfGains(evidence, 'all'),
					'',
				] as const)
			: known === 'NQ'
				? ([
						'Answers from hybrid passages are as good as those from dense ones, on NQ.',
						verdictOfNoDifference(evidence),
						interval,
					] as const)
				: ([
						'Answers from hybrid passages are no worse than those from dense ones: unchanged on NQ, modestly better on TriviaQA.',
						verdictOfNoLoss(evidence),
						interval,
					] as const);
	return {
		name: 'hybrid read',
		source: 'paper',
		claim,
		here: `With the original span scoring (repl), exact match changes by ${points(test.difference)} points from dense to hybrid passages; ${significanceClause(evidence)}.${added}`,
		verdict,
		evidence,
	};
}

function bestOverBest({textComparisons}: ReadingStudy): Finding | undefined {
	const test = textComparisons.find(({a, b}) => a.endsWith(' GAR*') && b.endsWith(' repl'));
	if (!test) {
		return undefined;
	}
	return {
		name: 'best over best',
		source: 'paper',
		claim: 'The best GAR* is better than the best repl, by approximately three points.',
		here: `${labelOf(test.a)} and ${labelOf(test.b)}, the best on development questions, differ by ${points(test.difference)} points; ${significanceClause([test])}.`,
		verdict: verdictOfGains([test], 'all'),
		evidence: [test],
	};
}

function scoringGain(reading: ReadingStudy, a: Scoring, b: Scoring, needed: 'all' | 'most', claim: string): Finding | undefined {
	const tests = reading.rows.map(({retriever}) => ({
		retriever,
		test: findComparison(reading.comparisons, readingCondition(retriever, a), readingCondition(retriever, b), exactMatchMeasure),
	}));
	const evidence = withoutUndefined(tests.map(({test}) => test));
	if (evidence.length === 0) {
		return undefined;
	}
	const each = tests
		.filter(({test}) => test)
		.map(({retriever, test}) => `${points(test!.difference)} points with ${retrieverLabels[retriever]}`);
	return {
		name: `${a} over ${b}` as FindingName,
		source: 'paper',
		claim: `${claim}${needed === 'most' ? ' (In the paper most, not all, of these gains are significant.)' : ''}`,
		here: `Exact match changes by ${listed(each)}; ${significanceClause(evidence)}.`,
		verdict: verdictOfGains(evidence, needed),
		evidence,
	};
}

/** The claims about the curves of each retriever. On TriviaQA, those of dense passages do not fall in the paper. */
function passagesRead({ks, curveTests}: ReadingStudy, dataset: string): Finding | undefined {
	if (curveTests.length === 0 || ks.length < 2) {
		return undefined;
	}
	const onlyRising = publishedFor(dataset)?.dataset === 'TriviaQA' ? ['bm25', 'dense'] : ['bm25'];
	const of = (retriever: Retrieved): readonly CurveTest[] => curveTests.filter(test => test.retriever === retriever);
	const parts = (['bm25', 'dense', 'hybrid'] as const)
		.filter(retriever => of(retriever).length > 0)
		.map(retriever => ({retriever, tests: of(retriever), peaks: !onlyRising.includes(retriever)}));
	const [first, last] = [many(ks[0]!, 'passage'), many(ks.at(-1)!, 'passage')];
	const peaking = parts.filter(({peaks}) => peaks).map(({retriever}) => retriever);
	const sentences = parts.map(({retriever, tests}) => {
		const rises = tests.map(({rise}) => rise);
		const falls = tests.map(({fall}) => fall);
		const to = retriever === 'bm25' ? last : 'the chosen number';
		return (
			`${retrieverLabels[retriever]} (${listed(tests.map(({scoring, chosen}) => `${scoring}: ${grouped(chosen)} chosen`))}): from ${first} to ${to}, exact match changes by ${differences(rises)} points; ${significanceClause(rises)}. ` +
			`From the chosen number to ${last} it changes by ${differences(falls.map(reversed))} points; ${significanceClause(falls)}.`
		);
	});
	return {
		name: 'passages read',
		source: 'paper',
		claim:
			`Reading more passages helps: with ${listed(parts.filter(({peaks}) => !peaks).map(({retriever}) => nameOf(retriever)))} exact match rises and does not fall` +
			`${peaking.length > 0 ? `, with ${listed(peaking.map(nameOf))} it falls after a peak` : ''}.`,
		here: sentences.join(' '),
		verdict: verdictOfParts(parts.map(({tests, peaks}) => verdictOfCurves(tests, peaks))),
		evidence: parts.flatMap(({tests}) => tests.flatMap(({rise, fall}) => [rise, fall])),
	};
}

/** The verdict on one retriever's curves: that they rise and do not fall, or that they rise and then fall. */
function verdictOfCurves(tests: readonly CurveTest[], peaks: boolean): Verdict {
	const rising = verdictOfGains(
		tests.map(({rise}) => rise),
		'all',
	);
	const falls = tests.map(({fall}) => fall);
	if (peaks) {
		return verdictOfParts([rising, verdictOfGains(falls, 'all')]);
	}
	return falls.some(({significant, difference}) => significant && difference > 0) ? 'contradicted' : rising;
}

const differences = (tests: readonly Comparison[]): string => listed(tests.map(({difference}) => points(difference)));
const reversed = (test: Comparison): Comparison => ({...test, difference: -test.difference});
const nameOf = (retriever: Retrieved): string => (retriever === 'bm25' ? 'BM25' : `${retriever} retrieval`);
