/** Findings about projections: shared tokens, query prediction, query expansion and token amnesia (Ram et al., 2023, §5 and §6.1). */
import {type Comparison, findComparison} from '../../statistics/comparison.ts';
import {significanceClause, withoutUndefined} from '../../statistics/finding.ts';
import {verdictOfGains, verdictOfParts} from '../../statistics/verdict.ts';
import {capital, listed, many, percent, points} from '../../../drawing/format.ts';
import type {AmnesiaGroup} from '../../../vocabulary/index.ts';
import {groupLabel, shownRank} from '../rank-groups.ts';
import type {VocabularyFinding} from './finding-names.ts';
import {publishedVocabulary} from '../published.ts';
import type {AnalyzedEncoder, EncoderAnalysis, VocabularyStudy} from '../study.ts';
import {claimMeasures} from './claim-tests.ts';
import {HEAD_TOKENS} from './question-values.ts';

const analysisOf = ({analyses}: VocabularyStudy, wanted: AnalyzedEncoder): EncoderAnalysis | undefined =>
	analyses.find(({of}) => of === wanted);

/** In the middle of a sentence. */
const baselineName = ({baseline}: VocabularyStudy): string => (baseline.kind === 'static' ? 'static embeddings' : baseline.name);

/** Tests of a claim, by what they measure. */
const evidenceOf = ({tests}: VocabularyStudy, a: string, b: string, ...measures: readonly string[]): readonly Comparison[] =>
	withoutUndefined(measures.map(measure => findComparison(tests.claims, a, b, measure)));

/** How tests over questions came out, or why there are none. */
function tested(study: VocabularyStudy, evidence: readonly Comparison[]): string {
	if (evidence.length === 0) {
		return study.baseline.kind === 'static'
			? ' Static embeddings are not the encoder’s initialization, so this is not tested.'
			: ' There are too few questions for a test.';
	}
	return ` Per question the difference is ${listed(evidence.map(({difference}) => points(difference)))} points; ${significanceClause(evidence)}.`;
}

export function sharedTokens(study: VocabularyStudy): VocabularyFinding | undefined {
	const [encoder, baseline] = [analysisOf(study, 'encoder')?.analysis, analysisOf(study, 'baseline')?.analysis];
	const at = encoder?.ks.indexOf(HEAD_TOKENS) ?? -1;
	if (!encoder || !baseline || at < 0) {
		return undefined;
	}
	const shares = ({coverage}: typeof encoder): string =>
		`${percent(coverage.all.question[at]!)} % in Q and ${percent(coverage.all.passage[at]!)} % in P`;
	const evidence = evidenceOf(study, 'encoder', 'baseline', claimMeasures.sharedInQuestion, claimMeasures.sharedInPassage);
	return {
		name: 'shared tokens',
		source: 'paper',
		claim: 'The encoder ranks tokens that question and passage share much higher than its initialization does.',
		here: `The first ${HEAD_TOKENS} tokens contain ${shares(encoder)} of the shared tokens; with ${baselineName(study)} ${shares(baseline)}. (In the paper 63 % and 53 %, with BERT 16 % and 8 %.)${tested(study, evidence)}`,
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
		here: `This is so for ${percent(first.shared)} % of the questions${evidence.length === 0 ? '' : `; compared with one half, ${significanceClause(evidence)}`}. (In the paper for ${publishedVocabulary.composition.firstShared} %.)`,
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
		claim: 'P ranks the tokens of a passage that questions about it share higher than its other tokens, and the encoder learned that.',
		here: `The token-level MRR × 100 in P is ${values[0]} for shared tokens and ${values[1]} for the passage’s other tokens; ${values[2]} for shared tokens with ${baselineName(study)}. (In the paper 26.1 and 3.0, and 1.4 with BERT.) ${capital(significanceClause(evidence))}.${learned.length === 0 ? ' Whether it was learned is not tested.' : ''}`,
		verdict: verdictOfParts([verdictOfGains(kinds, 'all'), verdictOfGains(learned, 'all')]),
		evidence,
	};
}

export function queryExpansion(study: VocabularyStudy): VocabularyFinding | undefined {
	const [encoder, baseline] = [analysisOf(study, 'encoder')?.analysis, analysisOf(study, 'baseline')?.analysis];
	const [at, five] = [encoder?.ks.indexOf(HEAD_TOKENS) ?? -1, encoder?.composition.question.find(({k}) => k === 5)];
	if (!encoder || !baseline || at < 0) {
		return undefined;
	}
	const evidence = evidenceOf(study, 'encoder', 'baseline', claimMeasures.expansion);
	return {
		name: 'query expansion',
		source: 'paper',
		claim:
			'The encoder promotes tokens of the gold passage that the question does not have, compared with its initialization: it expands queries.',
		here:
			`${percent(encoder.expansion[at]!)} % of the questions have such a token among the first ${HEAD_TOKENS} of Q, with ${baselineName(study)} ${percent(baseline.expansion[at]!)} %.` +
			(five ? ` They are ${percent(five.expansion)} % of the first 5 tokens of Q. (In the paper almost 14 %.)` : '') +
			tested(study, evidence),
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

export function amnesia(study: VocabularyStudy, side: 'passage' | 'question'): VocabularyFinding | undefined {
	const groups = analysisOf(study, 'encoder')?.amnesia.groups ?? [];
	const [found, ...missed] = groups;
	if (!found || found.from !== 1 || missed.length === 0) {
		return undefined;
	}
	const {minGroup} = study.settings;
	const median = (group: AmnesiaGroup): string => shownRank(group.max[side].median);
	const each = missed.map(group => `${median(group)} (${groupLabel(group)}, ${many(group.questions, 'question')})`);
	const projection = side === 'passage' ? 'P' : 'Q';
	const evidence = study.tests.amnesia.filter(({measure}) => measure === claimMeasures.worst[side]);
	const small = [found, ...missed].filter(({questions}) => questions < minGroup);
	const sides = side === 'question' ? evidenceOf(study, 'encoder', 'half', claimMeasures.sides) : [];
	const verdict = verdictOfGains(evidence, 'all');
	const sentences = [
		`The worst rank of a shared token in ${projection} is ${median(found)} in the median where dense retrieval has the passage among its first ${found.to}, and ${listed(each)} where it has it further down.`,
		...(small.length === 0 ? [] : [`Groups of fewer than ${minGroup} questions are not tested: ${listed(small.map(groupLabel))}.`]),
		...(evidence.length === 0
			? []
			: [
					`The probability that the worst rank is worse than that of a question that is found is ${listed(evidence.map(({a, difference}) => `${percent(0.5 + difference)} % (${a})`))}; compared with one half, ${significanceClause(evidence)}.`,
				]),
		...(sides.length === 0
			? []
			: [
					`The worst rank is better in Q than in P for ${percent(0.5 + sides[0]!.difference)} % of the questions; compared with one half, ${significanceClause(sides)}.`,
				]),
	];
	return {
		name: side === 'passage' ? 'token amnesia' : 'amnesia of questions',
		source: 'paper',
		claim:
			side === 'passage'
				? 'Where dense retrieval misses what BM25 finds, the passage’s vector has forgotten a token that both share.'
				: 'The question’s projection shows the same, but shared tokens rank higher in it.',
		here: sentences.join(' '),
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
		here: `The median of the worst rank of a shared token in P changes ${listed(change)}. It is better for ${percent(0.5 + evidence[0]!.difference)} % of the questions; compared with one half, ${significanceClause(evidence)}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}
