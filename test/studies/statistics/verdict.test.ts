// Tests verdicts on claims, and the sentences of reports about them.
import test from 'ava';
import type {Comparison} from '../../../ts/studies/statistics/comparison.ts';
import {verdictSummary} from '../../../ts/studies/report/verdict-summary.ts';
import {significanceClause} from '../../../ts/studies/statistics/finding.ts';
import {type Verdict, verdictOfGains, verdictOfParts} from '../../../ts/studies/statistics/verdict.ts';

/** Returns a made-up significance test of two conditions, with the given difference and outcome. */
const comparison = (difference: number, significant: boolean, smallest = 0.02): Comparison => ({
	a: 'a',
	b: 'b',
	measure: 'accuracy',
	difference,
	p: significant ? 0.001 : 0.5,
	corrected: significant ? 0.002 : 1,
	significant,
	smallest,
	mark: '',
});
const gain = comparison(0.05, true);
const smallGain = comparison(0.01, false);
const smallLoss = comparison(-0.01, false);
const loss = comparison(-0.05, true);

test('the verdict on a claim of gains depends on the signs and the significance of the differences', t => {
	const cases: ReadonlyArray<readonly [evidence: readonly Comparison[], needed: 'all' | 'most', verdict: Verdict]> = [
		[[gain, gain], 'all', 'holds'],
		[[gain, smallGain], 'all', 'holds in part'],
		[[gain, gain, smallGain], 'most', 'holds'],
		[[gain, gain, smallLoss], 'most', 'holds in part'],
		[[gain, smallLoss], 'all', 'holds in part'],
		[[smallGain, smallLoss], 'all', 'undecided'],
		[[smallGain, smallGain], 'most', 'undecided'],
		// One significant loss contradicts a claim, whatever the other differences are.
		[[gain, gain, loss], 'most', 'contradicted'],
		[[loss], 'all', 'contradicted'],
		[[], 'all', 'not tested'],
	];
	for (const [evidence, needed, verdict] of cases) {
		t.is(verdictOfGains(evidence, needed), verdict, `${evidence.map(({difference}) => difference).join(' ')}, ${needed}`);
	}
});

test('the parts that were tested decide the overall verdict', t => {
	t.is(verdictOfParts(['holds', 'not tested']), 'holds');
	t.is(verdictOfParts(['holds', 'undecided']), 'holds in part');
	t.is(verdictOfParts(['undecided', 'undecided']), 'undecided');
	t.is(verdictOfParts(['holds', 'contradicted']), 'contradicted');
	t.is(verdictOfParts(['not tested']), 'not tested');
	t.is(verdictOfParts([]), 'not tested');
});

test('an insignificant difference is reported with the smallest one that would have been significant', t => {
	t.is(significanceClause([gain]), 'the difference is significant');
	t.is(significanceClause([smallGain]), 'the difference is not significant (2.0 points would have been)');
	t.is(
		significanceClause([smallGain, comparison(0, false, 0.031)]),
		'neither difference is significant (2.0 and 3.1 points would have been)',
	);
	t.is(significanceClause([gain, smallGain]), '1 of 2 is significant');
});

test('the summary counts the claims of the paper and names the verdicts that occur', t => {
	const finding = (verdict: Verdict, source: 'paper' | 'study' = 'paper') => ({source, verdict});
	t.is(
		verdictSummary([finding('holds'), finding('holds'), finding('contradicted'), finding('not tested'), finding('holds in part', 'study')]),
		'Verdicts on 4 claims of the paper: 2 hold, 1 is contradicted and 1 is not tested.',
	);
	t.is(verdictSummary([finding('holds in part')]), 'Verdicts on 1 claim of the paper: 1 holds in part.');
	t.is(verdictSummary([finding('holds', 'study')]), 'None of the paper’s claims can be judged by this study.');
});
