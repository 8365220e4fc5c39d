/** The findings about training examples, similarities, losses and other data sets (Karpukhin et al., 2020, §5.2). */
import {counted, percent, withCommas} from '../../../drawing/format.ts';
import {closeMargin, verdictOfSmallDifference, verdictOfSmallLoss} from '../../statistics/equivalence.ts';
import {verdictOfGains, verdictOfParts} from '../../statistics/verdict.ts';
import {
	FEW_EXAMPLES,
	curvePairs,
	exactMatchMeasure,
	fewExamplesOf,
	jointMeasures,
	jointPair,
	similarityPairs,
	suffixOf,
	supervisionPair,
	testedMeasures,
	trainingPair,
} from '../claims.ts';
import {bm25Name, transferNames} from '../conditions.ts';
import {publishedTraining} from '../published.ts';
import type {TrainingStudy} from '../study.ts';
import {differenceRule, differences, evidenceOf, lossRule, publishedMargin} from './evidence.ts';
import type {TrainingFinding} from './finding-names.ts';

export function moreExamples(study: TrainingStudy): TrainingFinding | undefined {
	const evidence = evidenceOf(study.tests.curve, curvePairs(study.tables).more, testedMeasures);
	return evidence.length === 0
		? undefined
		: {
				name: 'more examples',
				source: 'paper',
				claim: 'More training examples make the encoder better, consistently.',
				result: differences(evidence),
				verdict: verdictOfGains(evidence, 'all'),
				evidence,
			};
}

export function fewExamples(study: TrainingStudy): TrainingFinding | undefined {
	const {few} = curvePairs(study.tables);
	if (study.tables.curve.length === 0) {
		return undefined;
	}
	const evidence = evidenceOf(study.tests.curve, few, testedMeasures);
	const claim = {
		name: 'few examples',
		source: 'paper',
		claim: 'An encoder trained on 1,000 examples is already better than BM25.',
	} as const;
	if (evidence.length === 0) {
		return {...claim, result: `No encoder was trained on ${withCommas(FEW_EXAMPLES)} examples or fewer.`, verdict: 'not tested', evidence};
	}
	const verdict = verdictOfGains(evidence, 'all');
	if (fewExamplesOf(study.tables) === FEW_EXAMPLES) {
		return {...claim, result: differences(evidence), verdict, evidence};
	}
	const isSupported = verdict === 'holds' || verdict === 'holds in part';
	return {
		...claim,
		result: `${differences(evidence)} Fewer than ${withCommas(FEW_EXAMPLES)} examples can support the claim, but not contradict it.`,
		verdict: isSupported ? verdict : 'not tested',
		evidence,
	};
}

/** passagekit's own claim, without which the others say little. */
export function training(study: TrainingStudy): TrainingFinding | undefined {
	const evidence = evidenceOf(study.tests.curve, [trainingPair(study.settings.batchSize)], testedMeasures);
	return evidence.length === 0
		? undefined
		: {
				name: 'training',
				source: 'study',
				claim: 'The trained encoder is better than the model before training.',
				result: differences(evidence),
				verdict: verdictOfGains(evidence, 'all'),
				evidence,
			};
}

export function distantSupervision({tests, tables, examples}: TrainingStudy): TrainingFinding | undefined {
	if (tables.supervision.length === 0) {
		return undefined;
	}
	const evidence = evidenceOf(tests.supervision, [supervisionPair], testedMeasures);
	const paper = publishedTraining.supervision;
	const margin = publishedMargin([[paper.gold, paper.distant]], testedMeasures);
	const {count, same} = examples.supervision!;
	return {
		name: 'distant supervision',
		source: 'paper',
		claim: 'Distant supervision, which takes the best BM25 hit with an answer as the positive, is hardly worse than gold positives.',
		result:
			`${differences(evidence)} ${lossRule(evidence, margin, {name: 'loss', names: 'losses', source: 'the largest loss in the paper'})} ` +
			`Distant supervision finds the gold positive of ${percent(same / count)}% of ${counted(count, 'example')}.`,
		verdict: verdictOfSmallLoss(evidence, margin),
		evidence,
	};
}

export function similarity({tests, tables}: TrainingStudy): TrainingFinding | undefined {
	if (tables.similarities.length === 0) {
		return undefined;
	}
	const l2 = evidenceOf(tests.similarities, similarityPairs.l2, testedMeasures);
	const cosine = evidenceOf(tests.similarities, similarityPairs.cosine, testedMeasures);
	const paper = publishedTraining.similarities;
	const margin = publishedMargin([[paper['l2-nll'], paper['dot-nll']]], testedMeasures);
	return {
		name: 'similarity',
		source: 'paper',
		claim: 'L2 is comparable to the dot product, and both are better than cosine.',
		result: `${differences(l2)} ${differenceRule(l2, margin)} ${differences(cosine)}`,
		verdict: verdictOfParts([verdictOfSmallDifference(l2, margin), verdictOfGains(cosine, 'all')]),
		evidence: [...l2, ...cosine],
	};
}

export function loss({tests, tables}: TrainingStudy): TrainingFinding | undefined {
	const evidence = evidenceOf(tests.similarities, similarityPairs.loss, testedMeasures);
	if (tables.similarities.length === 0 || evidence.length === 0) {
		return undefined;
	}
	const paper = publishedTraining.similarities;
	const margin = publishedMargin(
		[
			[paper['dot-triplet'], paper['dot-nll']],
			[paper['l2-triplet'], paper['l2-nll']],
		],
		testedMeasures,
	);
	return {
		name: 'loss',
		source: 'paper',
		claim: 'Triplet loss and negative log likelihood (NLL) lead to almost the same accuracy.',
		result: `${differences(evidence)} ${differenceRule(evidence, margin)}`,
		verdict: verdictOfSmallDifference(evidence, margin),
		evidence,
	};
}

export function transfer({tests, transfer: others}: TrainingStudy): TrainingFinding | undefined {
	const measures = others.flatMap(({dataset}) => testedMeasures.map(measure => `${measure}${suffixOf(dataset)}`));
	const evidence = evidenceOf(tests.transfer, [[transferNames.main, bm25Name]], measures);
	if (evidence.length === 0) {
		return undefined;
	}
	const comparedWithOwn = evidenceOf(tests.transfer, [[transferNames.main, transferNames.own]], measures);
	const gap = comparedWithOwn.length === 0 ? '' : ` Compared with an encoder that was trained there: ${differences(comparedWithOwn)}`;
	return {
		name: 'transfer',
		source: 'paper',
		claim: 'On other data sets, an encoder that was trained on one data set is better than BM25.',
		result: `${differences(evidence)}${gap}`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}

/** Appendix D. The claim is about exact match; the test on top-20 accuracy is shown with it. */
export function jointTraining({tests, settings}: TrainingStudy): TrainingFinding | undefined {
	const evidence = evidenceOf(tests.joint, [jointPair], jointMeasures);
	if (evidence.length === 0) {
		return undefined;
	}
	const exactMatch = evidence.filter(({measure}) => measure === exactMatchMeasure);
	// The claim is that training one after the other is at most a little worse.
	const reversed = exactMatch.map(test => ({...test, a: test.b, b: test.a, difference: -test.difference}));
	return {
		name: 'joint training',
		source: 'paper',
		claim:
			'A reader that is trained jointly with the question encoder does not have a higher exact match than one that is trained afterwards.',
		result:
			`${differences(evidence)} Each reader answers from the ${counted(settings.joint!.passagesPerQuestion, 'passage')} that its encoder ranks first. ` +
			lossRule(reversed, closeMargin, {name: 'gain', names: 'gains', source: 'which is what Ma et al. (2021) call close'}),
		verdict: verdictOfSmallLoss(reversed, closeMargin),
		evidence,
	};
}
