/**
The findings about reading, that is, about end-to-end question answering (Ma et al., 2021, §4.2). They use the paper's
names of span scorings: `repl` is DPR's scoring, `GAR` the normalized scoring of Mao et al. (2020), and `*` adds the
retriever's scores.
*/
import {type Comparison, findComparison} from '../../statistics/comparison.ts';
import {withoutUndefined, significanceClause} from '../../statistics/finding.ts';
import {type Verdict, verdictOfGains, verdictOfParts} from '../../statistics/verdict.ts';
import {withCommas, listed, counted, points, unsignedPoints} from '../../../drawing/format.ts';
import {closeMargin, verdictOfNoDifference, verdictOfNoLoss, largestPossible} from '../../statistics/equivalence.ts';
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
		scoringGain(
			reading,
			'GAR*',
			'repl',
			'all',
			'Normalized span scoring with the retriever’s scores is better than the original: GAR* is better than repl.',
		),
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
	const interval = ` The confidence interval includes differences of up to ${unsignedPoints(largestPossible(evidence))} points; the claim holds if it includes none above ${unsignedPoints(closeMargin)}.`;
	const lowerEnd = ` The confidence interval begins at ${points(test.difference - test.smallest)} points; the claim holds if it does not begin below −${unsignedPoints(closeMargin)}.`;
	const [claim, verdict, intervalSentence] =
		known === 'TriviaQA'
			? ([
					'On TriviaQA, answers from hybrid passages are modestly better than those from dense passages.',
					verdictOfGains(evidence, 'all'),
					'',
				] as const)
			: known === 'NQ'
				? ([
						'On NQ, answers from hybrid passages are as good as those from dense passages.',
						verdictOfNoDifference(evidence),
						interval,
					] as const)
				: ([
						'Answers from hybrid passages are no worse than those from dense passages: equally good on NQ, modestly better on TriviaQA.',
						verdictOfNoLoss(evidence),
						lowerEnd,
					] as const);
	return {
		name: 'hybrid read',
		source: 'paper',
		claim,
		result: `With the original span scoring (repl), exact match changes by ${points(test.difference)} points from dense to hybrid passages; ${significanceClause(evidence)}.${intervalSentence}`,
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
		result: `${labelOf(test.a)} and ${labelOf(test.b)}, the best on development questions, differ by ${points(test.difference)} points; ${significanceClause([test])}.`,
		verdict: verdictOfGains([test], 'all'),
		evidence: [test],
	};
}

/** Returns the finding that scoring `a` is better than scoring `b` with all retrievers, or with most of them. */
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
		claim: `${claim}${needed === 'most' ? ' (In the paper, most of these gains are significant, but not all.)' : ''}`,
		result: `Exact match changes by ${listed(each)}; ${significanceClause(evidence)}.`,
		verdict: verdictOfGains(evidence, needed),
		evidence,
	};
}

/**
Returns the finding about the curves of exact match by number of passages read. In the paper, the curves for passages
from BM25 do not fall, nor do those for passages from dense retrieval on TriviaQA; all other curves fall after a peak.
*/
function passagesRead({ks, curveTests}: ReadingStudy, dataset: string): Finding | undefined {
	if (curveTests.length === 0 || ks.length < 2) {
		return undefined;
	}
	const retrieversWithoutPeak: readonly Retrieved[] = publishedFor(dataset)?.dataset === 'TriviaQA' ? ['bm25', 'dense'] : ['bm25'];
	const testsOf = (retriever: Retrieved): readonly CurveTest[] => curveTests.filter(test => test.retriever === retriever);
	const parts = (['bm25', 'dense', 'hybrid'] as const)
		.filter(retriever => testsOf(retriever).length > 0)
		.map(retriever => ({retriever, tests: testsOf(retriever), hasPeak: !retrieversWithoutPeak.includes(retriever)}));
	const [first, last] = [counted(ks[0]!, 'passage'), counted(ks.at(-1)!, 'passage')];
	const peaking = parts.filter(({hasPeak}) => hasPeak).map(({retriever}) => retriever);
	const sentences = parts.map(({retriever, tests}) => {
		const rises = tests.map(({rise}) => rise);
		const falls = tests.map(({fall}) => fall);
		const to = retriever === 'bm25' ? last : 'the chosen number';
		return (
			`${retrieverLabels[retriever]} (chosen numbers of passages: ${listed(tests.map(({scoring, chosen}) => `${withCommas(chosen)} for ${scoring}`))}): from ${first} to ${to}, exact match changes by ${differences(rises)} points; ${significanceClause(rises)}. ` +
			`From the chosen number to ${last} it changes by ${differences(falls.map(reversed))} points; ${significanceClause(falls)}.`
		);
	});
	return {
		name: 'passages read',
		source: 'paper',
		claim:
			`The number of passages read matters as in the paper. With ${listed(parts.filter(({hasPeak}) => !hasPeak).map(({retriever}) => nameOf(retriever)))}, exact match rises and does not fall` +
			`${peaking.length > 0 ? `; with ${listed(peaking.map(nameOf))}, it falls after a peak` : ''}.`,
		result: sentences.join(' '),
		verdict: verdictOfParts(parts.map(({tests, hasPeak}) => verdictOfCurves(tests, hasPeak))),
		evidence: parts.flatMap(({tests}) => tests.flatMap(({rise, fall}) => [rise, fall])),
	};
}

/**
Returns the verdict on the claim that the curves of a retriever rise and then fall (`hasPeak`), or that they rise and do
not fall.
*/
function verdictOfCurves(tests: readonly CurveTest[], hasPeak: boolean): Verdict {
	const rising = verdictOfGains(
		tests.map(({rise}) => rise),
		'all',
	);
	const falls = tests.map(({fall}) => fall);
	if (hasPeak) {
		return verdictOfParts([rising, verdictOfGains(falls, 'all')]);
	}
	return falls.some(({significant, difference}) => significant && difference > 0) ? 'contradicted' : rising;
}

const differences = (tests: readonly Comparison[]): string => listed(tests.map(({difference}) => points(difference)));
const reversed = (test: Comparison): Comparison => ({...test, difference: -test.difference});
const nameOf = (retriever: Retrieved): string => (retriever === 'bm25' ? 'BM25' : `${retriever} retrieval`);
