/** Which findings of Ram et al. (2023) hold on a data set. */
import {compared} from '../report/comparisons.ts';
import {type Finding, present, significance} from '../report/findings.ts';
import {type Verdict, verdictOfCounts, verdictOfGains} from '../report/verdict.ts';
import {listed, many, percent, points} from '../report/words.ts';
import type {AmnesiaGroup} from '../vocabulary/index.ts';
import {groupName, shown} from './amnesia-panel.ts';
import {conditionName} from './names.ts';
import {publishedVocabulary} from './published.ts';
import {type AnalysedEncoder, type EncoderAnalysis, type VocabularyCondition, type VocabularyStudy, checkVocabularyStudy} from './study.ts';

export type VocabularyFindingName =
	| 'shared tokens'
	| 'first token'
	| 'query prediction'
	| 'query expansion'
	| 'token amnesia'
	| 'amnesia of questions'
	| 'enrichment'
	| 'enrichment remembers'
	| 'word pieces'
	| 'ablations';

export type VocabularyFinding = Finding<VocabularyFindingName>;

/**
The paper's findings, each with what a study says of it; and whether enrichment brings forgotten tokens back, which the paper
intends and does not measure.

@example
```
vocabularyFindings(study).map(({name, verdict}) => `${name}: ${verdict}`);
//=> ['shared tokens: holds', 'first token: holds', …]
```
*/
export function vocabularyFindings(study: VocabularyStudy): readonly VocabularyFinding[] {
	checkVocabularyStudy(study);
	return present([
		sharedTokens(study),
		firstToken(study),
		queryPrediction(study),
		queryExpansion(study),
		amnesia(study, 'passage'),
		amnesia(study, 'question'),
		enrichment(study),
		remembers(study),
		wordPieces(study),
		ablations(study),
	]);
}

const analysisOf = ({analyses}: VocabularyStudy, wanted: AnalysedEncoder): EncoderAnalysis | undefined =>
	analyses.find(({of}) => of === wanted);

/** In the middle of a sentence. */
const baselineName = ({baseline}: VocabularyStudy): string => (baseline.kind === 'static' ? 'static embeddings' : baseline.name);

function judged(claims: readonly boolean[]): Verdict {
	return verdictOfCounts(claims.every(Boolean), claims.some(Boolean));
}

function sharedTokens(study: VocabularyStudy): VocabularyFinding | undefined {
	const [encoder, baseline] = [analysisOf(study, 'encoder')?.analysis, analysisOf(study, 'baseline')?.analysis];
	const at = encoder?.ks.indexOf(20) ?? -1;
	if (!encoder || !baseline || at < 0) {
		return undefined;
	}
	const sides = [
		['question', 'Q'],
		['passage', 'P'],
	] as const;
	const pairs = sides.map(([side, name]) => ({name, ours: encoder.coverage.all[side][at]!, theirs: baseline.coverage.all[side][at]!}));
	return {
		name: 'shared tokens',
		source: 'paper',
		claim: 'The encoder ranks tokens that question and passage share much higher than its initialisation does.',
		here: `Of shared tokens ${listed(pairs.map(({name, ours, theirs}) => `${percent(ours)} % are among the first 20 of ${name}, by ${baselineName(study)} ${percent(theirs)} %`))}. (In the paper 63 % and 53 %, by BERT 16 % and 8 %.)`,
		verdict: judged(pairs.map(({ours, theirs}) => ours > theirs)),
		evidence: [],
	};
}

function firstToken(study: VocabularyStudy): VocabularyFinding | undefined {
	const first = analysisOf(study, 'encoder')?.analysis.composition.question.find(({k}) => k === 1);
	return (
		first && {
			name: 'first token',
			source: 'paper',
			claim: 'The first token of Q is mostly one that both the question and the passage have.',
			here: `So it is for ${percent(first.shared)} % of questions. (In the paper for ${publishedVocabulary.composition.firstShared} %.)`,
			verdict: judged([first.shared > 0.5]),
			evidence: [],
		}
	);
}

function queryPrediction(study: VocabularyStudy): VocabularyFinding | undefined {
	const [encoder, baseline] = [analysisOf(study, 'encoder')?.analysis.mrr.all, analysisOf(study, 'baseline')?.analysis.mrr.all];
	if (!encoder || !baseline) {
		return undefined;
	}
	const values = [encoder.shared, encoder.passageOnly, baseline.shared].map(({mrr}) => percent(mrr));
	return {
		name: 'query prediction',
		source: 'paper',
		claim: 'Of a passage’s tokens P ranks those higher that questions about it have, and the encoder has learned that.',
		here: `Token-level MRR × 100 in P is ${values[0]} of shared tokens and ${values[1]} of the passage’s other tokens; ${values[2]} of shared tokens by ${baselineName(study)}. (In the paper 26.1, 3.0, and 1.4 by BERT.)`,
		verdict: judged([encoder.shared.mrr > encoder.passageOnly.mrr, encoder.shared.mrr > baseline.shared.mrr]),
		evidence: [],
	};
}

function queryExpansion(study: VocabularyStudy): VocabularyFinding | undefined {
	const [encoder, baseline] = [analysisOf(study, 'encoder')?.analysis, analysisOf(study, 'baseline')?.analysis];
	const [at, five] = [encoder?.ks.indexOf(20) ?? -1, encoder?.composition.question.find(({k}) => k === 5)];
	if (!encoder || !baseline || at < 0) {
		return undefined;
	}
	return {
		name: 'query expansion',
		source: 'paper',
		claim: 'The encoder promotes tokens of the gold passage that the question does not have: it expands queries.',
		here:
			`${percent(encoder.expansion[at]!)} % of questions have such a token among the first 20 of Q, by ${baselineName(study)} ${percent(baseline.expansion[at]!)} %.` +
			(five ? ` Of the first 5 tokens of Q ${percent(five.expansion)} % are such. (In the paper almost 14 %.)` : ''),
		verdict: judged([encoder.expansion[at]! > baseline.expansion[at]!]),
		evidence: [],
	};
}

function amnesia(study: VocabularyStudy, side: 'passage' | 'question'): VocabularyFinding | undefined {
	const groups = analysisOf(study, 'encoder')?.amnesia.groups ?? [];
	const [found, ...missed] = groups;
	if (!found || found.from !== 1 || missed.length === 0) {
		return undefined;
	}
	const median = (group: AmnesiaGroup): number => group.max[side].median;
	const each = missed.map(group => `${shown(median(group))} (${groupName(group)}, ${many(group.questions, 'question')})`);
	const projection = side === 'passage' ? 'P' : 'Q';
	return {
		name: side === 'passage' ? 'token amnesia' : 'amnesia of questions',
		source: 'paper',
		claim:
			side === 'passage'
				? 'Where dense retrieval misses what BM25 finds, the passage’s vector has forgotten a token that both share.'
				: 'The same is seen in the question’s projection, where shared tokens rank higher.',
		here: `The worst rank in ${projection} of a shared token is ${shown(median(found))} in the median where dense retrieval has the passage among its first ${found.to}, and ${listed(each)} where it has it further down.`,
		verdict: judged([
			...missed.map(group => median(group) > median(found)),
			...(side === 'question' ? groups.map(group => median(group) < group.max.passage.median) : []),
		]),
		evidence: [],
	};
}

function enrichment({retrieval}: VocabularyStudy): VocabularyFinding | undefined {
	const evidence = present(retrieval.tested.map(measure => compared(retrieval.comparisons, 'enriched', 'dense', measure)));
	if (evidence.length === 0) {
		return undefined;
	}
	return {
		name: 'enrichment',
		source: 'paper',
		claim: 'Lexical enrichment makes dense retrieval better.',
		here: `It changes ${listed(evidence.map(({measure, difference}) => `${measure} by ${points(difference)} points`))}; ${significance(evidence)}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

function remembers(study: VocabularyStudy): VocabularyFinding | undefined {
	const [before, after] = [analysisOf(study, 'encoder')?.amnesia.groups, analysisOf(study, 'enriched')?.amnesia.groups];
	if (!before || !after || before.length === 0) {
		return undefined;
	}
	const medians = before.map((group, i) => [group.max.passage.median, after[i]!.max.passage.median] as const);
	return {
		name: 'enrichment remembers',
		source: 'study',
		claim: 'Enriched vectors of passages have their forgotten tokens back.',
		here: `The worst rank in P of a shared token goes, in the median, ${listed(before.map((group, i) => `from ${shown(medians[i]![0])} to ${shown(medians[i]![1])} (passage at rank ${groupName(group)})`))}.`,
		verdict: judged(medians.map(([from, to]) => to < from)),
		evidence: [],
	};
}

function wordPieces({retrieval}: VocabularyStudy): VocabularyFinding | undefined {
	const over = (other: VocabularyCondition): ReturnType<typeof compared>[] =>
		retrieval.tested.map(measure => compared(retrieval.comparisons, 'enriched', other, measure));
	const evidence = present(over('wordpiece'));
	if (evidence.length === 0) {
		return undefined;
	}
	return {
		name: 'word pieces',
		source: 'paper',
		claim: 'The enriched encoder is better than BM25 over the same word pieces. (In the paper S-MPNet and Spider are, on EntityQuestions.)',
		here: `It differs by ${listed(evidence.map(({measure, difference}) => `${points(difference)} points of ${measure}`))}; ${significance(evidence)}. From BM25 of words it differs by ${listed(present(over('bm25')).map(({difference}) => points(difference)))}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

function ablations({retrieval}: VocabularyStudy): VocabularyFinding | undefined {
	const measure = retrieval.tested.at(-1)!;
	const evidence = present(
		(['noIdf', 'static', 'noWhitening', 'noNormalisation'] as const).map(other =>
			compared(retrieval.comparisons, 'enriched', other, measure),
		),
	);
	if (evidence.length === 0) {
		return undefined;
	}
	return {
		name: 'ablations',
		source: 'paper',
		claim: 'Each part of enrichment helps: IDF, enrichments rather than static embeddings, whitening, normalisation.',
		here: `On ${measure} enrichment differs by ${listed(evidence.map(({b, difference}) => `${points(difference)} points from that ${b === 'static' ? 'with static embeddings' : conditionName(b)}`))}; ${significance(evidence)}.`,
		verdict: verdictOfGains(evidence, 'most'),
		evidence,
	};
}
