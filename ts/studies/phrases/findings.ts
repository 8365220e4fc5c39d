/**
The findings of a phrase study: each claim of Yang et al. (2023) with what was measured and a verdict. A model is an
index of phrases of one length (M0: of whole passages), and MUF (model uncertainty fusion) fuses several models by their
confidence. Confidences are computed at a temperature T, which is found by gradient descent from an initial temperature
T0 (or T₀). See `study.ts`.
*/
import {type Comparison, findComparison} from '../statistics/comparison.ts';
import {type Finding, withoutUndefined, significanceClause} from '../statistics/finding.ts';
import {verdictOfGains} from '../statistics/verdict.ts';
import {capitalized, listed, percent, points, unsignedPoints} from '../../drawing/format.ts';
import {topK} from '../statistics/measures.ts';
import {accuracyMeasure, labelOf, lengthLabel} from './labels.ts';
import {publishedPhrasesFor} from './published.ts';
import {type PhraseStudy, checkPhraseStudy} from './study.ts';

/** Which claim a finding is about. */
export type PhraseFindingName =
	/** Retrieval by phrases is better than by whole passages. */
	| 'phrases or passages'
	/** The shortest phrases are the best. */
	| 'short phrases'
	/** MUF is better than each of the models that it fuses. */
	| 'MUF over its models'
	/** MUF is better than retrieval by whole passages. */
	| 'MUF over passages'
	/** Which of MUF and BM25 is better. */
	| 'MUF or BM25'
	/** A fitted temperature brings confidence closer to accuracy. */
	| 'calibration'
	/** The initial temperature of the descent, T₀ = 0.1, leads to the best accuracy. */
	| 'T0'
	/** Choosing by confidence is better than averaging scores or ranks. */
	| 'confidence or scores'
	/** MUF is also better if all passages are ranked. */
	| 'whole corpus';

export type PhraseFinding = Finding<PhraseFindingName>;

/**
Judges the paper's claims by a study, and two claims of this package: that choosing the most confident model is better
than averaging, and that it also helps when all passages are ranked. Fails with `ERR_FORMAT` if `study` is not the
result of a phrase study.

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
		mufAgainst(study, 'MUF over passages', ['M0'], 'Model uncertainty fusion (MUF) is better than retrieval by whole passages.'),
		mufOrBm25(study),
		calibration(study),
		initialTemperature(study),
		mufAgainst(
			study,
			'confidence or scores',
			['mean', 'rrf'],
			'Choosing the most confident model is better than averaging the scores or ranks of the same models.',
			'study',
		),
		wholeCorpus(study),
	]);
}

/** Returns the name of the model, other than M0, that is best on development questions. */
function bestPhraseModel({candidates}: PhraseStudy): string | undefined {
	return candidates.models
		.filter(({name}) => name !== 'M0')
		.toSorted((a, b) => b.development - a.development)
		.at(0)?.name;
}

function phrasesOrPassages(study: PhraseStudy): PhraseFinding | undefined {
	const best = bestPhraseModel(study);
	const test = best === undefined ? undefined : findComparison(study.candidates.comparisons, best, 'M0', accuracyMeasure);
	if (!test) {
		return undefined;
	}
	const length = lengthLabel(study.models.find(({name}) => name === best)!.length);
	return {
		name: 'phrases or passages',
		source: 'paper',
		claim: 'Retrieval by phrases is better than retrieval by whole passages.',
		result: `The best phrase length on development questions is ${length}. On test questions it differs from whole passages by ${points(test.difference)} points; ${significanceClause([test])}.`,
		verdict: verdictOfGains([test], 'all'),
		evidence: [test],
	};
}

function shortPhrases({candidates, models}: PhraseStudy): PhraseFinding | undefined {
	const [shortest] = models.filter(({name}) => name !== 'M0').toSorted((a, b) => a.words - b.words);
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
		claim: 'The shortest phrases are the best. (In the paper, these have one sentence or 75 tokens.)',
		result: `${shortest.name} differs by ${differences(evidence)}; ${significanceClause(evidence)}.`,
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
	const betterModels = evidence.filter(({difference}) => difference < 0);
	const below = betterModels.map(({b, difference}) => `${labelOf(b)} by ${unsignedPoints(difference)} points`);
	return {
		name: 'MUF over its models',
		source: 'paper',
		claim:
			'Model uncertainty fusion (MUF) is better than each of the models that it fuses. (In the paper, on all data sets except NFCorpus.)',
		result: `MUF differs by ${differences(evidence)}; ${significanceClause(evidence)}.${below.length > 0 ? ` It is below ${listed(below)}.` : ''}`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

/** Describes differences, such as "+1.0 points from M1 and −2.7 points from M3". */
const differences = (evidence: readonly Comparison[]): string =>
	listed(evidence.map(({b, difference}) => `${points(difference)} points from ${labelOf(b)}`));

/** Returns the finding that MUF is better than each of `others`. */
function mufAgainst(
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
		result: `MUF differs by ${differences(evidence)}; ${significanceClause(evidence)}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

function mufOrBm25({candidates, dataset}: PhraseStudy): PhraseFinding | undefined {
	const paper = publishedPhrasesFor(dataset);
	// Without numbers of the paper for this data set, the claim is the one that holds on most of the paper's data sets.
	const [better, other] = paper && paper.general.muf > paper.general.bm25 ? (['muf', 'bm25'] as const) : (['bm25', 'muf'] as const);
	const test = findComparison(candidates.comparisons, better, other, accuracyMeasure);
	if (!test) {
		return undefined;
	}
	const where = paper ? ` on ${paper.dataset}` : ' on all of the paper’s data sets except NQ and NFCorpus';
	return {
		name: 'MUF or BM25',
		source: 'paper',
		claim: `${labelOf(better)} is better than ${labelOf(other)}${where}.`,
		result: `${labelOf(better)} differs from ${labelOf(other)} by ${points(test.difference)} points; ${significanceClause([test])}.`,
		verdict: verdictOfGains([test], 'all'),
		evidence: [test],
	};
}

/**
Returns the finding that fitting a temperature improves the calibration. The verdict depends on the Brier scores (mean
squared differences between confidence and outcome), which are means over questions and can therefore be tested. The
calibration error, which the fit minimizes, is only reported.
*/
function calibration({candidates: {models, fused, temperatures, calibrationTests}}: PhraseStudy): PhraseFinding | undefined {
	if (calibrationTests.length === 0) {
		return undefined;
	}
	const each = [...models, {name: 'MUF', ...fused}].map(
		({name, before, after}) => `${name} from ${percent(before.absolute)} to ${percent(after.absolute)}%`,
	);
	const lower = calibrationTests.filter(({difference}) => difference > 0).length;
	return {
		name: 'calibration',
		source: 'paper',
		claim: 'A temperature that is fitted on some questions brings confidence closer to accuracy on other questions.',
		result:
			`When the temperature T changes from 1 to ${shownTemperature(temperatures.descent)}, calibration errors change as follows: ${listed(each)}. ` +
			`At the temperature found by search, ${shownTemperature(temperatures.search)}, the calibration error of MUF is ${percent(fused.searched.absolute)}%. ` +
			`The Brier score falls in ${lower} of ${calibrationTests.length} cases; ${significanceClause(calibrationTests)}.`,
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
	const best = curve.filter(({accuracy}) => accuracy === max).map(({start}) => shownTemperature(start));
	return {
		name: 'T0',
		source: 'paper',
		claim: `Gradient descent from the initial temperature T0 = ${settings.start} leads to the best accuracy, and descent from a much smaller T0 leads to a lower accuracy.`,
		result: `MUF with T0 = ${settings.start} differs by ${listed(each)}; ${significanceClause(startTests)}. The highest accuracy, ${percent(max)}%, is reached from ${best.length > 3 ? `${best.length} of ${curve.length} values of T0` : `T0 = ${listed(best)}`}.`,
		verdict: verdictOfGains(startTests, 'all'),
		evidence: startTests,
	};
}

const shownTemperature = (temperature: number): string => String(Number(temperature.toPrecision(3)));

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
		claim: 'When all passages are ranked, MUF also puts a relevant passage first more often than its models and BM25 do.',
		result: `${capitalized(topK(1))} accuracy differs by ${differences(evidence)}; ${significanceClause(evidence)}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}
