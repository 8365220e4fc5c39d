/** The findings about training examples, similarities, losses and other data sets (Karpukhin et al., 2020, §5.2). */
import {counted, percent} from '../../../drawing/format.ts';
import {verdictOfNoDifference} from '../../statistics/equivalence.ts';
import {verdictOfGains, verdictOfParts} from '../../statistics/verdict.ts';
import {FEW_EXAMPLES, curvePairs, similarityPairs, suffixOf, testedMeasures} from '../claims.ts';
import {baselineName, bm25Name, transferNames} from '../conditions.ts';
import {publishedTraining} from '../published.ts';
import type {TrainingStudy} from '../study.ts';
import {differences, evidenceOf, intervals, publishedMargin} from './evidence.ts';
import type {TrainingFinding} from './finding-names.ts';

const pairsOfCurve = ({tables, settings}: TrainingStudy): ReturnType<typeof curvePairs> =>
	curvePairs(tables, baselineName(settings.batchSize));

export function moreExamples(study: TrainingStudy): TrainingFinding | undefined {
	const evidence = evidenceOf(study.tests.curve, pairsOfCurve(study).more, testedMeasures);
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
	const {few} = pairsOfCurve(study);
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
		return {...claim, result: `No encoder was trained on ${FEW_EXAMPLES} examples or fewer.`, verdict: 'not tested', evidence};
	}
	const used = study.tables.curve.find(({condition}) => condition === few[0]![0])!.examples;
	const note = used === FEW_EXAMPLES ? '' : ` The study has this number of examples: ${used}.`;
	return {...claim, result: `${differences(evidence)}${note}`, verdict: verdictOfGains(evidence, 'all'), evidence};
}

/** passagekit's own claim, without which the others say little. */
export function training(study: TrainingStudy): TrainingFinding | undefined {
	const evidence = evidenceOf(study.tests.curve, pairsOfCurve(study).training, testedMeasures);
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
	const [gold, distant] = tables.supervision;
	if (gold === undefined || distant === undefined) {
		return undefined;
	}
	const evidence = evidenceOf(tests.supervision, [[distant, gold]], testedMeasures);
	const paper = publishedTraining.supervision;
	const margin = publishedMargin([[paper.gold, paper.distant]], testedMeasures);
	const {count, same} = examples.supervision!;
	return {
		name: 'distant supervision',
		source: 'paper',
		claim: 'Distant supervision, which takes the best BM25 hit with an answer as the positive, is hardly worse than gold positives.',
		result:
			`${differences(evidence)} ${intervals(evidence, margin)} This is the largest difference in the paper. ` +
			`Distant supervision finds the gold positive of ${percent(same / count)}% of ${counted(count, 'example')}.`,
		verdict: verdictOfNoDifference(evidence, margin),
		evidence,
	};
}

export function similarity({tests, tables, settings}: TrainingStudy): TrainingFinding | undefined {
	if (tables.similarities.length === 0) {
		return undefined;
	}
	const pairs = similarityPairs(baselineName(settings.batchSize));
	const [l2, cosine] = [pairs.l2, pairs.cosine].map(each => evidenceOf(tests.similarities, each, testedMeasures)) as [
		ReturnType<typeof evidenceOf>,
		ReturnType<typeof evidenceOf>,
	];
	const paper = publishedTraining.similarities;
	const margin = publishedMargin([[paper['l2-nll'], paper['dot-nll']]], testedMeasures);
	return {
		name: 'similarity',
		source: 'paper',
		claim: 'L2 is comparable to the dot product, and both are better than cosine.',
		result: `${differences(l2)} ${intervals(l2, margin)} ${differences(cosine)}`,
		verdict: verdictOfParts([verdictOfNoDifference(l2, margin), verdictOfGains(cosine, 'all')]),
		evidence: [...l2, ...cosine],
	};
}

export function loss({tests, tables, settings}: TrainingStudy): TrainingFinding | undefined {
	const evidence = evidenceOf(tests.similarities, similarityPairs(baselineName(settings.batchSize)).loss, testedMeasures);
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
		claim: 'Triplet loss and negative log-likelihood (NLL) lead to almost the same accuracy.',
		result: `${differences(evidence)} ${intervals(evidence, margin)} This is the largest difference in the paper.`,
		verdict: verdictOfNoDifference(evidence, margin),
		evidence,
	};
}

export function transfer({tests, transfer: outcomes}: TrainingStudy): TrainingFinding | undefined {
	const measures = outcomes.flatMap(({dataset}) => testedMeasures.map(measure => `${measure}${suffixOf(dataset)}`));
	const evidence = evidenceOf(tests.transfer, [[transferNames.main, bm25Name]], measures);
	if (evidence.length === 0) {
		return undefined;
	}
	const fineTuned = evidenceOf(tests.transfer, [[transferNames.main, transferNames.own]], measures);
	const loss = fineTuned.length === 0 ? '' : ` Compared with an encoder that was trained there: ${differences(fineTuned)}`;
	return {
		name: 'transfer',
		source: 'paper',
		claim: 'On other data sets, an encoder that was trained on one data set is better than BM25.',
		result: `${differences(evidence)}${loss}`,
		verdict: verdictOfGains(evidence, 'all'),
		evidence,
	};
}
