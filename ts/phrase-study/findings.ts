/** Which findings of Yang et al. (2023) hold on a data set. */
import {compared} from '../report/comparisons.ts';
import {type Finding, present, significance} from '../report/findings.ts';
import {verdictOfCounts, verdictOfGains} from '../report/verdict.ts';
import {capital, listed, percent, points} from '../report/words.ts';
import {topK} from '../study/measures.ts';
import {accuracyMeasure, conditionName, lengthName} from './names.ts';
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
The paper's findings, each with what a study says of it; then two that are not the paper's: whether choosing by confidence
is better than averaging, and whether it helps among all passages too.

@example
```
phraseFindings(study).map(({name, verdict}) => `${name}: ${verdict}`);
//=> ['phrases or passages: holds', 'short phrases: holds in part', …]
```
*/
export function phraseFindings(study: PhraseStudy): readonly PhraseFinding[] {
	checkPhraseStudy(study);
	return present([
		phrasesOrPassages(study),
		shortPhrases(study),
		mufOver(
			study,
			'MUF over its models',
			study.candidates.selected,
			'Model uncertainty fusion is better than each of the models that it fuses. (In the paper on all data sets but NFCorpus.)',
		),
		mufOver(study, 'MUF over passages', ['M0'], 'Model uncertainty fusion is better than retrieval by whole passages.'),
		mufOrBm25(study),
		calibration(study),
		startingTemperature(study),
		mufOver(
			study,
			'confidence or scores',
			['mean', 'rrf'],
			'To answer with the most confident model is better than to average the same models’ scores or ranks.',
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
	const test = best === undefined ? undefined : compared(study.candidates.comparisons, best, 'M0', accuracyMeasure);
	if (!test) {
		return undefined;
	}
	const length = lengthName(study.models.find(({name}) => name === best)!.length);
	return {
		name: 'phrases or passages',
		source: 'paper',
		claim: 'Passages are found better by their phrases than whole.',
		here: `The best phrases on development questions are of ${length}; on test questions they differ from whole passages by ${points(test.difference)} points; ${significance([test])}.`,
		verdict: verdictOfGains([test], 'all'),
		evidence: [test],
	};
}

function shortPhrases({candidates, models}: PhraseStudy): PhraseFinding | undefined {
	const shortest = models.find(({name}) => name !== 'M0');
	const longer = models.filter(({name}) => name !== 'M0' && name !== shortest?.name);
	const evidence = present(longer.map(({name}) => compared(candidates.comparisons, shortest?.name ?? '', name, accuracyMeasure)));
	if (shortest === undefined || evidence.length === 0) {
		return undefined;
	}
	const each = evidence.map(({b, difference}) => `${points(difference)} points from ${conditionName(b)}`);
	return {
		name: 'short phrases',
		source: 'paper',
		claim: 'The shortest phrases are the best: one sentence, or 75 tokens.',
		here: `${shortest.name} differs by ${listed(each)}; ${significance(evidence)}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

function mufOver(
	{candidates}: PhraseStudy,
	name: PhraseFindingName,
	others: readonly string[],
	claim: string,
	source: PhraseFinding['source'] = 'paper',
): PhraseFinding | undefined {
	const evidence = present(others.map(other => compared(candidates.comparisons, 'muf', other, accuracyMeasure)));
	if (evidence.length === 0) {
		return undefined;
	}
	const each = evidence.map(({b, difference}) => `${points(difference)} points from ${conditionName(b)}`);
	return {
		name,
		source,
		claim,
		here: `MUF differs by ${listed(each)}; ${significance(evidence)}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

function mufOrBm25({candidates, dataset}: PhraseStudy): PhraseFinding | undefined {
	const paper = publishedPhrasesFor(dataset);
	const [better, other] = paper && paper.general.muf > paper.general.bm25 ? (['muf', 'bm25'] as const) : (['bm25', 'muf'] as const);
	const test = compared(candidates.comparisons, better, other, accuracyMeasure);
	if (!test) {
		return undefined;
	}
	const where = paper ? ` on ${paper.dataset}` : ', on all of the paper’s data sets but NQ and NFCorpus';
	return {
		name: 'MUF or BM25',
		source: 'paper',
		claim: `${conditionName(better)} is better than ${conditionName(other)}${where}.`,
		here: `${conditionName(better)} differs from ${conditionName(other)} by ${points(test.difference)} points; ${significance([test])}.`,
		verdict: verdictOfGains([test], 'all'),
		evidence: [test],
	};
}

function calibration({candidates: {models}}: PhraseStudy): PhraseFinding | undefined {
	const lower = models.filter(({before, after}) => after.squared < before.squared);
	const each = models.map(({name, before, after}) => `${name} from ${percent(before.absolute)} to ${percent(after.absolute)} %`);
	return {
		name: 'calibration',
		source: 'paper',
		claim: 'A temperature that is fitted on some questions brings confidence nearer to accuracy on others.',
		here: `The calibration error, as absolute differences, changes for ${listed(each)}; squared, as it was fitted, it is lower for ${lower.length} of ${models.length} models.`,
		verdict: verdictOfCounts(lower.length === models.length, lower.length > 0),
		evidence: [],
	};
}

/** A difference that counts for nothing in a curve. */
const alike = 0.005;

function startingTemperature({candidates: {curve}}: PhraseStudy): PhraseFinding | undefined {
	if (curve.length === 0) {
		return undefined;
	}
	const most = Math.max(...curve.map(({accuracy}) => accuracy));
	const near = (least: number, greatest: number): number =>
		Math.max(...curve.filter(({start}) => start >= least && start <= greatest).map(({accuracy}) => accuracy));
	const [small, at] = [near(0, 0.02), near(0.05, 0.2)];
	const best = curve.filter(({accuracy}) => accuracy === most).map(({start}) => start);
	const highest = most - at <= alike;
	const drops = at - small > alike;
	return {
		name: 'T0',
		source: 'paper',
		claim: 'A descent from T0 = 0.1 gives the best accuracy, and one from much less a lower one.',
		here: `Accuracy is highest, ${percent(most)} %, ${best.length > 3 ? `from ${best.length} of ${curve.length} values of T0` : `from T0 = ${listed(best.map(shownStart))}`}; near 0.1 it is at most ${percent(at)} %, and up to 0.02 at most ${percent(small)} %.`,
		verdict: verdictOfCounts(highest && drops, highest || drops),
		evidence: [],
	};
}

const shownStart = (start: number): string => String(Number(start.toPrecision(2)));

function wholeCorpus({retrieval}: PhraseStudy): PhraseFinding | undefined {
	const evidence = present([...retrieval.selected, 'bm25'].map(other => compared(retrieval.comparisons, 'muf', other, topK(1))));
	if (evidence.length === 0) {
		return undefined;
	}
	const each = evidence.map(({b, difference}) => `${points(difference)} points from ${conditionName(b)}`);
	return {
		name: 'whole corpus',
		source: 'study',
		claim: 'Among all passages, too, model uncertainty fusion puts a relevant one first more often than its models and BM25.',
		here: `${capital(topK(1))} accuracy differs by ${listed(each)}; ${significance(evidence)}.`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}
