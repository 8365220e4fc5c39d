/** Which findings of Yang et al. (2023) hold on a data set. */
import {type Comparison, findComparison} from '../statistics/comparison.ts';
import {type Finding, withoutUndefined, significanceClause} from '../statistics/finding.ts';
import {verdictOfGains} from '../statistics/verdict.ts';
import {capital, listed, percent, points, size} from '../../drawing/format.ts';
import {topK} from '../statistics/measures.ts';
import {accuracyMeasure, labelOf, lengthLabel} from './labels.ts';
import {publishedPhrasesFor} from './published.ts';
import {type PhraseStudy, checkPhraseStudy} from './study.ts';

export type PhraseFindingName =
	| 'phrases or passages'
	| 'short phrases'
	| 'MUF over its models'
	| 'MUF over passages'
	| 'MUF or BM25'
	| 'calibration'
	| 'T0'
	| 'confidence or scores'
	| 'whole corpus';

export type PhraseFinding = Finding<PhraseFindingName>;

/**
Judges the paper's findings by a study, and two claims of this package: that choosing by confidence is better than averaging, and that
it helps among all passages as well. Fails with `ERR_FORMAT` if `study` is not a study.

@example
```
phraseFindings(study).map(({name, verdict}) => `${name}: ${verdict}`);
//=> ['phrases or passages: holds', 'short phrases: holds in part', …]
```
*/
export function phraseFindings(study: PhraseStudy): readonly PhraseFinding[] {
	checkPhraseStudy(study);
	return withoutUndefined([
		phrasesOrPassages(study),
		shortPhrases(study),
		mufOverItsModels(study),
		mufOver(study, 'MUF over passages', ['M0'], 'Model uncertainty fusion is better than retrieval by whole passages.'),
		mufOrBm25(study),
		calibration(study),
		initialTemperature(study),
		mufOver(
			study,
			'confidence or scores',
			['mean', 'rrf'],
			'Answering with the most confident model is better than averaging the same models’ scores or ranks.',
			'study',
		),
		wholeCorpus(study),
	]);
}

/** The phrase model that is best on development questions. */
function bestByPhrases({candidates}: PhraseStudy): string | undefined {
	return candidates.models
		.filter(({name}) => name !== 'M0')
		.toSorted((a, b) => b.development - a.development)
		.at(0)?.name;
}

function phrasesOrPassages(study: PhraseStudy): PhraseFinding | undefined {
	const best = bestByPhrases(study);
	const test = best === undefined ? undefined : findComparison(study.candidates.comparisons, best, 'M0', accuracyMeasure);
	if (!test) {
		return undefined;
	}
	const length = lengthLabel(study.models.find(({name}) => name === best)!.length);
	return {
		name: 'phrases or passages',
		source: 'paper',
		claim: 'Passages are found better by their phrases than as a whole.',
		here: `The best phrases on development questions have ${length}; on test questions they differ from whole passages by ${points(test.difference)} points; ${significanceClause([test])}.`,
		verdict: verdictOfGains([test], 'all'),
		evidence: [test],
	};
}

function shortPhrases({candidates, models}: PhraseStudy): PhraseFinding | undefined {
	const shortest = models.find(({name}) => name !== 'M0');
	const longer = models.filter(({name}) => name !== 'M0' && name !== shortest?.name);
	const evidence = withoutUndefined(
		longer.map(({name}) => findComparison(candidates.comparisons, shortest?.name ?? '', name, accuracyMeasure)),
	);
	if (shortest === undefined || evidence.length === 0) {
		return undefined;
	}
	return {
		name: 'short phrases',
		source: 'paper',
		claim: 'The shortest phrases are the best: one sentence, or 75 tokens.',
		here: `${shortest.name} differs by ${differences(evidence)}; ${significanceClause(evidence)}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

function mufOverItsModels({candidates}: PhraseStudy): PhraseFinding | undefined {
	const evidence = withoutUndefined(
		candidates.selected.map(other => findComparison(candidates.comparisons, 'muf', other, accuracyMeasure)),
	);
	if (evidence.length === 0) {
		return undefined;
	}
	const better = evidence.filter(({difference}) => difference < 0);
	const below = better.map(({b, difference}) => `${labelOf(b)} by ${size(difference)} points`);
	return {
		name: 'MUF over its models',
		source: 'paper',
		claim: 'Model uncertainty fusion is better than each of the models that it fuses. (In the paper on all data sets but NFCorpus.)',
		here: `MUF differs by ${differences(evidence)}; ${significanceClause(evidence)}.${below.length > 0 ? ` It is below ${listed(below)}.` : ''}`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

/** Such as "+1.0 points from M1 and −2.7 points from M3". */
const differences = (evidence: readonly Comparison[]): string =>
	listed(evidence.map(({b, difference}) => `${points(difference)} points from ${labelOf(b)}`));

function mufOver(
	{candidates: {comparisons, extensions}}: PhraseStudy,
	name: PhraseFindingName,
	others: readonly string[],
	claim: string,
	source: PhraseFinding['source'] = 'paper',
): PhraseFinding | undefined {
	const evidence = withoutUndefined(others.map(other => findComparison([...comparisons, ...extensions], 'muf', other, accuracyMeasure)));
	if (evidence.length === 0) {
		return undefined;
	}
	return {
		name,
		source,
		claim,
		here: `MUF differs by ${differences(evidence)}; ${significanceClause(evidence)}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

function mufOrBm25({candidates, dataset}: PhraseStudy): PhraseFinding | undefined {
	const paper = publishedPhrasesFor(dataset);
	const [better, other] = paper && paper.general.muf > paper.general.bm25 ? (['muf', 'bm25'] as const) : (['bm25', 'muf'] as const);
	const test = findComparison(candidates.comparisons, better, other, accuracyMeasure);
	if (!test) {
		return undefined;
	}
	const where = paper ? ` on ${paper.dataset}` : ', on all of the paper’s data sets but NQ and NFCorpus';
	return {
		name: 'MUF or BM25',
		source: 'paper',
		claim: `${labelOf(better)} is better than ${labelOf(other)}${where}.`,
		here: `${labelOf(better)} differs from ${labelOf(other)} by ${points(test.difference)} points; ${significanceClause([test])}.`,
		verdict: verdictOfGains([test], 'all'),
		evidence: [test],
	};
}

/** Decided by Brier scores, to which a paired test applies. The calibration errors, to which the temperature was fitted, are reported as well. */
function calibration({candidates: {models, fused, temperatures, calibrationTests}}: PhraseStudy): PhraseFinding | undefined {
	if (calibrationTests.length === 0) {
		return undefined;
	}
	const each = [...models, {name: 'MUF', ...fused}].map(
		({name, before, after}) => `${name} from ${percent(before.absolute)} to ${percent(after.absolute)} %`,
	);
	const lower = calibrationTests.filter(({difference}) => difference > 0).length;
	return {
		name: 'calibration',
		source: 'paper',
		claim: 'A temperature that is fitted on some questions brings confidence closer to accuracy on others.',
		here: `From T = 1 to T = ${shown(temperatures.descent)} the calibration error changes for ${listed(each)}; at the temperature by search, ${shown(temperatures.search)}, it is ${percent(fused.searched.absolute)} % for MUF. The Brier score is lower in ${lower} of ${calibrationTests.length} cases; ${significanceClause(calibrationTests)}.`,
		verdict: verdictOfGains(calibrationTests, 'all'),
		evidence: calibrationTests,
	};
}

function initialTemperature({candidates: {curve, startTests}, settings}: PhraseStudy): PhraseFinding | undefined {
	if (startTests.length === 0) {
		return undefined;
	}
	const each = startTests.map(({b, difference}) => `${points(difference)} points from ${b}`);
	const max = Math.max(...curve.map(({accuracy}) => accuracy));
	const best = curve.filter(({accuracy}) => accuracy === max).map(({start}) => shown(start));
	return {
		name: 'T0',
		source: 'paper',
		claim: `A descent from T0 = ${settings.start} gives the best accuracy, and one from a much smaller T0 a lower accuracy.`,
		here: `MUF with T0 = ${settings.start} differs by ${listed(each)}; ${significanceClause(startTests)}. The highest accuracy, ${percent(max)} %, comes from ${best.length > 3 ? `${best.length} of ${curve.length} values of T0` : `T0 = ${listed(best)}`}.`,
		verdict: verdictOfGains(startTests, 'all'),
		evidence: startTests,
	};
}

const shown = (temperature: number): string => String(Number(temperature.toPrecision(3)));

function wholeCorpus({retrieval}: PhraseStudy): PhraseFinding | undefined {
	const evidence = withoutUndefined(
		[...retrieval.selected, 'bm25'].map(other => findComparison(retrieval.comparisons, 'muf', other, topK(1))),
	);
	if (evidence.length === 0) {
		return undefined;
	}
	return {
		name: 'whole corpus',
		source: 'study',
		claim: 'Among all passages, too, model uncertainty fusion puts a relevant one first more often than its models and BM25.',
		here: `${capital(topK(1))} accuracy differs by ${differences(evidence)}; ${significanceClause(evidence)}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}
