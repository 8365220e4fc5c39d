/** The findings of a training study: each claim of Karpukhin et al. (2020) with what was measured and a verdict. */
import {withoutUndefined} from '../../statistics/finding.ts';
import {type TrainingStudy, checkTrainingStudy} from '../study.ts';
import type {TrainingFinding} from './finding-names.ts';
import {distantSupervision, fewExamples, jointTraining, loss, moreExamples, similarity, training, transfer} from './other-findings.ts';
import {batchSize, inBatchNegatives, kindOfNegatives, oneBm25Negative, twoBm25Negatives} from './scheme-findings.ts';

/**
Judges the paper's claims by the results of a study, and one claim of this package: that training helps at all. Claims
about tables that the study does not have are left out. The tests generalize over questions, not over seeds: each
condition was trained with one seed. Fails with `ERR_FORMAT` if `study` is not the result of a training study.

@example
```
trainingFindings(study).map(({name, verdict}) => `${name}: ${verdict}`);
//=> ['more examples: holds in part', 'few examples: holds', …]
```
*/
export function trainingFindings(study: TrainingStudy): readonly TrainingFinding[] {
	checkTrainingStudy(study);
	return withoutUndefined([
		moreExamples(study),
		fewExamples(study),
		kindOfNegatives(study),
		inBatchNegatives(study),
		batchSize(study),
		oneBm25Negative(study),
		twoBm25Negatives(study),
		distantSupervision(study),
		similarity(study),
		loss(study),
		transfer(study),
		jointTraining(study),
		training(study),
	]);
}
