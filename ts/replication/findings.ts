/** Which findings of Ma et al. (2021) hold on a data set. */
import {compared} from '../report/comparisons.ts';
import {type Finding as StudyFinding, present, significance} from '../report/findings.ts';
import {verdictOfCounts, verdictOfGains} from '../report/verdict.ts';
import {capital, grouped, listed, percent, points, size} from '../report/words.ts';
import {conditionName, exactMatchMeasure, readingCondition, retrieverNames, topK} from './names.ts';
import {type Published, publishedFor} from './published.ts';
import {type ReadingStudy, type RetrievalCondition, type Scoring, type Study, checkStudy} from './study.ts';

export type FindingName =
	| 'dense or sparse'
	| 'hybrids'
	| 'hybrids alike'
	| 'overlap'
	| 'repl* over repl'
	| 'GAR over repl'
	| 'GAR* over GAR'
	| 'GAR* over repl'
	| 'passages read';

export type Finding = StudyFinding<FindingName>;

/**
The paper's findings in its order, each with what a study says of it. One that the study has no numbers for is left out:
all of reading, where nothing was read.

@example
```
findings(study).map(({name, verdict}) => `${name}: ${verdict}`);
//=> ['dense or sparse: holds', 'hybrids: holds in part', 'hybrids alike: holds', 'overlap: holds']
```
*/
export function findings(study: Study): readonly Finding[] {
	checkStudy(study);
	const {reading} = study;
	return [
		denseOrSparse(study),
		hybrids(study),
		hybridsAlike(study),
		overlap(study),
		...(reading
			? [
					scoringGain(
						reading,
						'repl*',
						'repl',
						'most',
						'The retriever’s scores help the original span scoring: repl* is better than repl.',
					),
					scoringGain(reading, 'GAR', 'repl', 'most', 'Normalised span scoring is better than the original: GAR is better than repl.'),
					scoringGain(reading, 'GAR*', 'GAR', 'all', 'The retriever’s scores help normalised span scoring: GAR* is better than GAR.'),
					scoringGain(reading, 'GAR*', 'repl', 'all', 'Both together are better than the original span scoring: GAR* is better than repl.'),
					passagesRead(reading),
				]
			: []),
	].filter(finding => finding !== undefined);
}

function denseOrSparse({dataset, retrieval}: Study): Finding | undefined {
	const paper = publishedFor(dataset);
	const [expected, other] = paper && betterOf(paper) === 'bm25' ? (['bm25', 'dense'] as const) : (['dense', 'bm25'] as const);
	const evidence = present(retrieval.ks.map(k => compared(retrieval.comparisons, expected, other, topK(k))));
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
		here: `${here}; ${significance(evidence)}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

/** The paper's two; DPR's own hybrid was found no better than dense retrieval by those who made it. */
const ownHybrids = ['hybridNorm', 'hybrid'] as const;

function hybrids({retrieval}: Study): Finding | undefined {
	const {comparisons, ks} = retrieval;
	const tests = ownHybrids.map(hybrid => ({
		hybrid,
		over: ks.map(k => ({
			k,
			both: present(['dense', 'bm25'].map(single => compared(comparisons, hybrid, single, topK(k)))),
		})),
	}));
	const tested = tests.filter(({over}) => over.some(({both}) => both.length > 0));
	if (tested.length === 0) {
		return undefined;
	}
	// The better of the two is that which a hybrid is less far above.
	const sentence = tested.map(({hybrid, over}) => {
		const least = over
			.filter(({both}) => both.length > 0)
			.map(({k, both}) => ({k, least: Math.min(...both.map(({difference}) => difference))}));
		return `${conditionName(hybrid)} differs from the better of dense retrieval and BM25 by ${listed(least.map(({k, least}) => `${points(least)} points at ${topK(k)}`))}`;
	});
	const evidence = tested.flatMap(({over}) => over.flatMap(({both}) => both));
	return {
		name: 'hybrids',
		source: 'paper',
		claim: 'Either hybrid is better than dense retrieval and than BM25.',
		here: `${sentence.join('; ')}. Of all differences from either, ${significance(evidence)}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

function hybridsAlike({retrieval}: Study): Finding | undefined {
	const evidence = present(retrieval.ks.map(k => compared(retrieval.comparisons, ...ownHybrids, topK(k))));
	if (evidence.length === 0) {
		return undefined;
	}
	const different = evidence.filter(({significant}) => significant).length;
	return {
		name: 'hybrids alike',
		source: 'paper',
		claim: 'The two hybrids do not differ significantly.',
		here: `Hybrid-norm differs from Hybrid by ${listed(evidence.map(({difference, measure}) => `${points(difference)} points at ${measure}`))}; ${significance(evidence)}.`,
		verdict: verdictOfCounts(different === 0, different < evidence.length),
		evidence,
	};
}

/** More than the paper ever found, 9.2 per cent. */
const smallOverlap = 0.1;

function overlap({overlap: measured, corpus}: Study): Finding | undefined {
	// Lists of k of n passages drawn at random share k²/n of them: of a small corpus long lists cannot but overlap.
	const chance = (k: number): number => k / Math.max(k, 2 * corpus.count - k);
	const judged = measured.filter(({k}) => chance(k) <= smallOverlap);
	if (judged.length === 0) {
		return undefined;
	}
	const beyond = measured.filter(({k}) => chance(k) > smallOverlap);
	const small = judged.filter(({jaccard}) => jaccard <= smallOverlap).length;
	const shares = listed(measured.map(({k, jaccard}) => `${percent(jaccard)} % at k = ${grouped(k)}`));
	const caveat = beyond.map(({k}) => `${percent(chance(k))} % at k = ${grouped(k)}`);
	return {
		name: 'overlap',
		source: 'paper',
		claim: 'Dense and sparse lists have few passages in common: a Jaccard overlap of less than 10 %.',
		here: `The overlap is ${shares}.${
			caveat.length > 0
				? ` Of ${grouped(corpus.count)} passages two random lists would overlap by ${listed(caveat)}, so ${caveat.length === 1 ? 'that length does' : 'these lengths do'} not count.`
				: ''
		}`,
		verdict: verdictOfCounts(small === judged.length, small > 0),
		evidence: [],
	};
}

function scoringGain(reading: ReadingStudy, a: Scoring, b: Scoring, needed: 'all' | 'most', claim: string): Finding | undefined {
	const tests = reading.rows.map(({retriever}) => ({
		retriever,
		test: compared(reading.comparisons, readingCondition(retriever, a), readingCondition(retriever, b), exactMatchMeasure),
	}));
	const evidence = present(tests.map(({test}) => test));
	if (evidence.length === 0) {
		return undefined;
	}
	const each = tests
		.filter(({test}) => test)
		.map(({retriever, test}) => `${points(test!.difference)} points with ${retrieverNames[retriever]}`);
	return {
		name: `${a} over ${b}` as FindingName,
		source: 'paper',
		claim: `${claim}${needed === 'most' ? ' (In the paper most, not all, of these gains are significant.)' : ''}`,
		here: `Exact match changes by ${listed(each)}; ${significance(evidence)}.`,
		verdict: verdictOfGains(evidence, needed),
		evidence,
	};
}

function passagesRead({ks, curves}: ReadingStudy): Finding | undefined {
	if (curves.length === 0 || ks.length < 2) {
		return undefined;
	}
	const peaks = curves.map(curve => {
		const most = Math.max(...curve.exactMatch);
		return {...curve, most, at: curve.exactMatch.indexOf(most)};
	});
	const rising = peaks.filter(({at}) => at > 0);
	const falling = rising.filter(({at, exactMatch, most}) => at < ks.length - 1 && exactMatch.at(-1)! < most);
	const best = [...new Set(peaks.map(({retriever}) => retriever))].map(retriever =>
		peaks.filter(peak => peak.retriever === retriever).reduce((a, b) => (b.most > a.most ? b : a)),
	);
	const maxima = best.map(
		({retriever, scoring, most, at}) => `${percent(most)} at ${grouped(ks[at]!)} with ${retrieverNames[retriever]}-${scoring}`,
	);
	return {
		name: 'passages read',
		source: 'paper',
		claim: 'Reading more passages helps, but with dense and hybrid retrieval only up to a point.',
		here: `Exact match is highest, of each retriever’s best curve, ${listed(maxima)}. Of ${curves.length} curves ${rising.length} rise from ${grouped(ks[0]!)} to more passages, and ${falling.length} of these fall again before ${grouped(ks.at(-1)!)}.`,
		verdict: verdictOfCounts(rising.length === curves.length && falling.length > 0, rising.length > 0),
		evidence: [],
	};
}

function betterOf({retrieval}: Published): RetrievalCondition {
	return retrieval.bm25.repl![20] > retrieval.dense.repl![20] ? 'bm25' : 'dense';
}
