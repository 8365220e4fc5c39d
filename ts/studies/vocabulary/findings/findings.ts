/** The findings of a vocabulary study: each claim of Ram et al. (2023) with what was measured and a verdict. */
import {findComparison} from '../../statistics/comparison.ts';
import {significanceClause, withoutUndefined} from '../../statistics/finding.ts';
import {verdictOfGains} from '../../statistics/verdict.ts';
import {capitalized, listed, points} from '../../../drawing/format.ts';
import {amnesia, firstToken, queryExpansion, queryPrediction, remembers, sharedTokens} from './projection-findings.ts';
import {labelOf} from '../labels.ts';
import {type VocabularyCondition, type VocabularyStudy, checkVocabularyStudy, rowOf} from '../study.ts';
import type {VocabularyFinding} from './finding-names.ts';

/**
Judges the paper's claims by the results of a study, and one claim of this package: that enrichment brings forgotten
tokens back. The paper intends this effect but does not measure it. Claims about the model that the encoder was
initialized from are not tested if the baseline is static embeddings, that is, the head's word embeddings. Fails with
`ERR_FORMAT` if `study` is not the result of a vocabulary study.

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
The result, verdict and evidence of a finding about enrichment if λ, the weight of enrichment, is best at 0 on
development questions, so that there is nothing to compare. The verdict is "undecided" rather than "not tested", because
the study has the necessary models and data, and the paper's method finds no gain.
*/
const noEnrichment = {
	result: 'On development questions, λ = 0 is best, which means no enrichment. There is nothing to compare.',
	verdict: 'undecided',
	evidence: [],
} as const;

const isNotEnriched = (study: VocabularyStudy): boolean => rowOf(study, 'enriched')?.tuning?.lambda === 0;

function enrichment(study: VocabularyStudy): VocabularyFinding | undefined {
	const claim = {name: 'enrichment', source: 'paper', claim: 'Lexical enrichment makes dense retrieval better.'} as const;
	if (isNotEnriched(study)) {
		return {...claim, ...noEnrichment};
	}
	const {tested, comparisons} = study.retrieval;
	const evidence = withoutUndefined(tested.map(measure => findComparison(comparisons, 'enriched', 'dense', measure)));
	return evidence.length === 0
		? undefined
		: {
				...claim,
				result: `Enrichment changes ${listed(evidence.map(({measure, difference}) => `${measure} by ${points(difference)} points`))}; ${significanceClause(evidence)}.`,
				verdict: verdictOfGains(evidence, 'all'),
				evidence,
			};
}

function wordPieces(study: VocabularyStudy): VocabularyFinding | undefined {
	const claim = {
		name: 'word pieces',
		source: 'paper',
		claim:
			'The enriched encoder is better than BM25 on the same word pieces. (In the paper, this is true for S-MPNet and Spider on EntityQuestions.)',
	} as const;
	if (isNotEnriched(study)) {
		return {...claim, ...noEnrichment};
	}
	const {tested, comparisons} = study.retrieval;
	const comparedWith = (other: VocabularyCondition): ReturnType<typeof findComparison>[] =>
		tested.map(measure => findComparison(comparisons, 'enriched', other, measure));
	const evidence = withoutUndefined(comparedWith('wordpiece'));
	return evidence.length === 0
		? undefined
		: {
				...claim,
				result: `The difference is ${listed(evidence.map(({measure, difference}) => `${points(difference)} points in ${measure}`))}; ${significanceClause(evidence)}. The difference from BM25 on words is ${listed(withoutUndefined(comparedWith('bm25')).map(({difference}) => points(difference)))}.`,
				verdict: verdictOfGains(evidence, 'all'),
				evidence,
			};
}

function ablations(study: VocabularyStudy): VocabularyFinding | undefined {
	const claim = {
		name: 'ablations',
		source: 'paper',
		claim: 'Each part of enrichment helps: IDF, token vectors found by search rather than static embeddings, whitening, normalization.',
	} as const;
	if (isNotEnriched(study)) {
		return {...claim, ...noEnrichment};
	}
	const {tested, comparisons} = study.retrieval;
	const changes = ['noIdf', 'static', 'noWhitening', 'noNormalisation'] as const;
	const evidence = withoutUndefined(changes.map(other => findComparison(comparisons, 'enriched', other, tested.at(-1)!)));
	if (evidence.length === 0) {
		return undefined;
	}
	const changeName = (condition: string): string => (condition === 'static' ? 'with static embeddings' : labelOf(condition));
	const notEnriched = changes.filter(change => rowOf(study, change)?.tuning?.lambda === 0);
	const note =
		notEnriched.length === 0
			? ''
			: ` ${capitalized(listed(notEnriched.map(changeName)))}, λ = 0 is best on development questions, so the comparison is with dense retrieval.`;
	return {
		...claim,
		result: `On ${tested.at(-1)!}, enrichment differs by ${listed(evidence.map(({b, difference}) => `${points(difference)} points from enrichment ${changeName(b)}`))}; ${significanceClause(evidence)}.${note}`,
		verdict: verdictOfGains(evidence, 'most'),
		evidence,
	};
}
