/** Which findings of Ram et al. (2023) hold on a data set. */
import {findComparison} from '../../statistics/comparison.ts';
import {significanceClause, withoutUndefined} from '../../statistics/finding.ts';
import {verdictOfGains} from '../../statistics/verdict.ts';
import {listed, points} from '../../../drawing/format.ts';
import {amnesia, firstToken, queryExpansion, queryPrediction, remembers, sharedTokens} from './projection-findings.ts';
import {labelOf} from '../labels.ts';
import {type VocabularyCondition, type VocabularyStudy, checkVocabularyStudy, rowOf} from '../study.ts';
import type {VocabularyFinding} from './finding-names.ts';

/**
Judges the paper's claims by a study, and whether enrichment brings forgotten tokens back, which the paper intends but does not measure.
Claims about the encoder's initialization are not tested if the baseline is static embeddings. Fails with `ERR_FORMAT` if `study` is not
a study.

@example
```
vocabularyFindings(study).map(({name, verdict}) => `${name}: ${verdict}`);
//=> ['shared tokens: not tested', 'first token: contradicted', …]
```
*/
export function vocabularyFindings(study: VocabularyStudy): readonly VocabularyFinding[] {
	checkVocabularyStudy(study);
	return withoutUndefined([
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

/**
The finding if development questions chose λ = 0, so that there is nothing to compare. The verdict is "undecided" rather than "not
tested", because models and data are there, and the paper's method found no gain on them.
*/
const noEnrichment = {
	here: 'Development questions chose λ = 0, which is no enrichment. There is nothing to compare.',
	verdict: 'undecided',
	evidence: [],
} as const;

const isUnchosen = (study: VocabularyStudy): boolean => rowOf(study, 'enriched')?.tuning?.lambda === 0;

function enrichment(study: VocabularyStudy): VocabularyFinding | undefined {
	const claim = {name: 'enrichment', source: 'paper', claim: 'Lexical enrichment makes dense retrieval better.'} as const;
	if (isUnchosen(study)) {
		return {...claim, ...noEnrichment};
	}
	const {tested, comparisons} = study.retrieval;
	const evidence = withoutUndefined(tested.map(measure => findComparison(comparisons, 'enriched', 'dense', measure)));
	return evidence.length === 0
		? undefined
		: {
				...claim,
				here: `It changes ${listed(evidence.map(({measure, difference}) => `${measure} by ${points(difference)} points`))}; ${significanceClause(evidence)}.`,
				verdict: verdictOfGains(evidence, 'all'),
				evidence,
			};
}

function wordPieces(study: VocabularyStudy): VocabularyFinding | undefined {
	const claim = {
		name: 'word pieces',
		source: 'paper',
		claim: 'The enriched encoder is better than BM25 over the same word pieces. (In the paper S-MPNet and Spider are, on EntityQuestions.)',
	} as const;
	if (isUnchosen(study)) {
		return {...claim, ...noEnrichment};
	}
	const {tested, comparisons} = study.retrieval;
	const over = (other: VocabularyCondition): ReturnType<typeof findComparison>[] =>
		tested.map(measure => findComparison(comparisons, 'enriched', other, measure));
	const evidence = withoutUndefined(over('wordpiece'));
	return evidence.length === 0
		? undefined
		: {
				...claim,
				here: `It differs by ${listed(evidence.map(({measure, difference}) => `${points(difference)} points of ${measure}`))}; ${significanceClause(evidence)}. The difference from BM25 of words is ${listed(withoutUndefined(over('bm25')).map(({difference}) => points(difference)))}.`,
				verdict: verdictOfGains(evidence, 'all'),
				evidence,
			};
}

function ablations(study: VocabularyStudy): VocabularyFinding | undefined {
	const claim = {
		name: 'ablations',
		source: 'paper',
		claim: 'Each part of enrichment helps: IDF, enrichments rather than static embeddings, whitening, normalization.',
	} as const;
	if (isUnchosen(study)) {
		return {...claim, ...noEnrichment};
	}
	const {tested, comparisons} = study.retrieval;
	const changes = ['noIdf', 'static', 'noWhitening', 'noNormalisation'] as const;
	const evidence = withoutUndefined(changes.map(other => findComparison(comparisons, 'enriched', other, tested.at(-1)!)));
	if (evidence.length === 0) {
		return undefined;
	}
	const name = (of: string): string => (of === 'static' ? 'with static embeddings' : labelOf(of));
	const unchosen = changes.filter(change => rowOf(study, change)?.tuning?.lambda === 0);
	const without =
		unchosen.length === 0
			? ''
			: ` ${listed(unchosen.map(name))}, development questions chose λ = 0: the comparison is with dense retrieval.`;
	return {
		...claim,
		here: `On ${tested.at(-1)!} enrichment differs by ${listed(evidence.map(({b, difference}) => `${points(difference)} points from enrichment ${name(b)}`))}; ${significanceClause(evidence)}.${without.charAt(0)}${without.charAt(1).toUpperCase()}${without.slice(2)}`,
		verdict: verdictOfGains(evidence, 'most'),
		evidence,
	};
}
