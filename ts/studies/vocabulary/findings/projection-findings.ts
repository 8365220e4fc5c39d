/**
The findings about projections: shared tokens, query prediction, query expansion and token amnesia (Ram et al., 2023, §5
and §6.1). Q is the projection of a question onto the vocabulary, P that of a passage.
*/
import {type Comparison, findComparison} from '../../statistics/comparison.ts';
import {significanceClause, withoutUndefined} from '../../statistics/finding.ts';
import {verdictOfGains, verdictOfParts} from '../../statistics/verdict.ts';
import {capitalized, listed, counted, percent, points} from '../../../drawing/format.ts';
import type {AmnesiaGroup} from '../../../vocabulary/index.ts';
import {groupLabel, shownRank} from '../rank-groups.ts';
import type {VocabularyFinding} from './finding-names.ts';
import {publishedVocabulary} from '../published.ts';
import type {AnalyzedEncoder, EncoderAnalysis, VocabularyStudy} from '../study.ts';
import {claimMeasures} from './claim-tests.ts';
import {TOP_TOKENS} from './question-values.ts';

/** Returns the study's analysis of an encoder; `undefined` if there is none. */
const analysisOf = ({analyses}: VocabularyStudy, wanted: AnalyzedEncoder): EncoderAnalysis | undefined =>
	analyses.find(({of}) => of === wanted);

/** Returns the name of the baseline, for the middle of a sentence. */
const baselineName = ({baseline}: VocabularyStudy): string => (baseline.kind === 'static' ? 'static embeddings' : baseline.name);

/** Returns the study's tests of `a` against `b` for these measures. Tests that the study does not have are left out. */
const evidenceOf = ({tests}: VocabularyStudy, a: string, b: string, ...measures: readonly string[]): readonly Comparison[] =>
	withoutUndefined(measures.map(measure => findComparison(tests.claims, a, b, measure)));

/**
Returns a sentence about the results of tests over questions or, if `evidence` is empty, a sentence that says why there
are none. It starts with a space.
*/
function testSentence(study: VocabularyStudy, evidence: readonly Comparison[]): string {
	if (evidence.length === 0) {
		return study.baseline.kind === 'static'
			? ' Static embeddings are not the encoder’s initialization, so this is not tested.'
			: ' There are too few questions for a test.';
	}
	return ` The mean difference per question is ${listed(evidence.map(({difference}) => points(difference)))} points; ${significanceClause(evidence)}.`;
}

export function sharedTokens(study: VocabularyStudy): VocabularyFinding | undefined {
	const [encoder, baseline] = [analysisOf(study, 'encoder')?.analysis, analysisOf(study, 'baseline')?.analysis];
	const at = encoder?.ks.indexOf(TOP_TOKENS) ?? -1;
	if (!encoder || !baseline || at < 0) {
		return undefined;
	}
	const [inQuestion, inPassage] = (['question', 'passage'] as const).map(side =>
		[encoder, baseline].map(({coverage}) => `${percent(coverage.all[side][at]!)}%`),
	);
	const evidence = evidenceOf(study, 'encoder', 'baseline', claimMeasures.sharedInQuestion, claimMeasures.sharedInPassage);
	return {
		name: 'shared tokens',
		source: 'paper',
		claim: 'In Q and P, the encoder ranks tokens that question and passage share much higher than its initialization does.',
		result:
			`${inQuestion![0]} of the shared tokens are among the first ${TOP_TOKENS} tokens of Q, and ${inPassage![0]} are among those of P. ` +
			`With ${baselineName(study)}, the shares are ${inQuestion![1]} and ${inPassage![1]}. (In the paper, 63% and 53%; with BERT, 16% and 8%.)${testSentence(study, evidence)}`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

export function firstToken(study: VocabularyStudy): VocabularyFinding | undefined {
	const first = analysisOf(study, 'encoder')?.analysis.composition.question.find(({k}) => k === 1);
	if (!first) {
		return undefined;
	}
	const evidence = evidenceOf(study, 'encoder', 'half', claimMeasures.firstShared);
	return {
		name: 'first token',
		source: 'paper',
		claim: 'For most questions, both the question and the passage contain the first token of Q.',
		result: `This is true for ${percent(first.shared)}% of the questions${evidence.length === 0 ? '' : `; compared with one half, ${significanceClause(evidence)}`}. (In the paper, for ${publishedVocabulary.composition.firstShared}%.)`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

export function queryPrediction(study: VocabularyStudy): VocabularyFinding | undefined {
	const [encoder, baseline] = [analysisOf(study, 'encoder')?.analysis.mrr.all, analysisOf(study, 'baseline')?.analysis.mrr.all];
	if (!encoder || !baseline) {
		return undefined;
	}
	const values = [encoder.shared, encoder.passageOnly, baseline.shared].map(({mrr}) => percent(mrr));
	const kinds = evidenceOf(study, 'shared', 'passageOnly', claimMeasures.kinds);
	const learned = evidenceOf(study, 'encoder', 'baseline', claimMeasures.reciprocalShared);
	const evidence = [...kinds, ...learned];
	return {
		name: 'query prediction',
		source: 'paper',
		claim:
			'P ranks the tokens that a passage shares with a question about it higher than its other tokens, and the encoder has learned this.',
		result:
			`The mean reciprocal rank in P, × 100, is ${values[0]} for shared tokens and ${values[1]} for the passage’s other tokens. With ${baselineName(study)}, it is ${values[2]} for shared tokens. ` +
			`(In the paper, 26.1 and 3.0; with BERT, 1.4.) ${capitalized(significanceClause(evidence))}.${learned.length === 0 ? ' Whether it was learned is not tested.' : ''}`,
		verdict: verdictOfParts([verdictOfGains(kinds, 'all'), verdictOfGains(learned, 'all')]),
		evidence,
	};
}

export function queryExpansion(study: VocabularyStudy): VocabularyFinding | undefined {
	const [encoder, baseline] = [analysisOf(study, 'encoder')?.analysis, analysisOf(study, 'baseline')?.analysis];
	const [at, five] = [encoder?.ks.indexOf(TOP_TOKENS) ?? -1, encoder?.composition.question.find(({k}) => k === 5)];
	if (!encoder || !baseline || at < 0) {
		return undefined;
	}
	const evidence = evidenceOf(study, 'encoder', 'baseline', claimMeasures.expansion);
	return {
		name: 'query expansion',
		source: 'paper',
		claim:
			'The encoder expands queries: in Q, it ranks tokens that are in the gold passage but not in the question higher than its initialization does.',
		result:
			`${percent(encoder.expansion[at]!)}% of the questions have such a token among the first ${TOP_TOKENS} tokens of Q; with ${baselineName(study)}, ${percent(baseline.expansion[at]!)}% have one.` +
			(five ? ` Such tokens are ${percent(five.expansion)}% of the first 5 tokens of Q. (In the paper, almost 14%.)` : '') +
			testSentence(study, evidence),
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

export function amnesia(study: VocabularyStudy, side: 'passage' | 'question'): VocabularyFinding | undefined {
	const groups = analysisOf(study, 'encoder')?.amnesia.groups ?? [];
	const [firstGroup, ...laterGroups] = groups;
	if (!firstGroup || firstGroup.from !== 1 || laterGroups.length === 0) {
		return undefined;
	}
	const {minGroup} = study.settings;
	const median = (group: AmnesiaGroup): string => shownRank(group.max[side].median);
	const medians = laterGroups.map(group => `${median(group)} (rank ${groupLabel(group)}, ${counted(group.questions, 'question')})`);
	const projection = side === 'passage' ? 'P' : 'Q';
	const evidence = study.tests.amnesia.filter(({measure}) => measure === claimMeasures.worst[side]);
	const small = [firstGroup, ...laterGroups].filter(({questions}) => questions < minGroup);
	const sides = side === 'question' ? evidenceOf(study, 'encoder', 'half', claimMeasures.sides) : [];
	const verdict = verdictOfGains(evidence, 'all');
	const sentences = [
		`If dense retrieval ranks the passage among the first ${firstGroup.to}, the median over questions of the worst rank of a shared token in ${projection} is ${median(firstGroup)}.`,
		`For later ranks of the passage, it is ${listed(medians)}.`,
		...(small.length === 0 ? [] : [`Groups of fewer than ${minGroup} questions are not tested: ${listed(small.map(groupLabel))}.`]),
		...(evidence.length === 0
			? []
			: [
					`The probability that the worst rank of a question is worse than that of a question in the first group is ${listed(evidence.map(({a, difference}) => `${percent(0.5 + difference)}% (${a})`))}; compared with one half, ${significanceClause(evidence)}.`,
				]),
		...(sides.length === 0
			? []
			: [
					`The worst rank is better in Q than in P for ${percent(0.5 + sides[0]!.difference)}% of the questions; compared with one half, ${significanceClause(sides)}.`,
				]),
	];
	return {
		name: side === 'passage' ? 'token amnesia' : 'amnesia of questions',
		source: 'paper',
		claim:
			side === 'passage'
				? 'If dense retrieval misses a passage that BM25 finds, the vector of the passage has forgotten a token that question and passage share.'
				: 'The same is true for the projection of the question, but shared tokens rank higher in it.',
		result: sentences.join(' '),
		// The claim is about the groups: without a test of the groups, it is not tested.
		verdict: side === 'passage' || verdict === 'not tested' ? verdict : verdictOfParts([verdict, verdictOfGains(sides, 'all')]),
		evidence: [...evidence, ...sides],
	};
}

export function remembers(study: VocabularyStudy): VocabularyFinding | undefined {
	const [before, after] = [analysisOf(study, 'encoder')?.amnesia.groups, analysisOf(study, 'enriched')?.amnesia.groups];
	const evidence = evidenceOf(study, 'enriched', 'half', claimMeasures.remembered);
	if (!before || !after || before.length === 0 || evidence.length === 0) {
		return undefined;
	}
	const change = before.map(
		(group, i) =>
			`from ${shownRank(group.max.passage.median)} to ${shownRank(after[i]!.max.passage.median)} (passage at rank ${groupLabel(group)})`,
	);
	return {
		name: 'enrichment remembers',
		source: 'study',
		claim: 'Enrichment brings forgotten tokens back into the vectors of passages.',
		result: `The median of the worst rank of a shared token in P changes ${listed(change)}. The worst rank is better for ${percent(0.5 + evidence[0]!.difference)}% of the questions; compared with one half, ${significanceClause(evidence)}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}
