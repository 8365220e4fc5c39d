/** Defines the training study and the public function `studyTraining`, which runs it. */
import {type StudyDefinition, runStudy} from '../engine/definition.ts';
import {trainingCommand} from './command.ts';
import {type TrainingStudyOptions, trainingOptionNames} from './options.ts';
import {type TrainingStudyInputs, readTrainingInputs} from './protocol/inputs.ts';
import {measureTraining} from './protocol/stages.ts';
import {trainingReport} from './report/report.ts';
import type {TrainingStudy} from './study.ts';

/** The study that repeats the training experiments of Karpukhin et al. (2020). */
export const trainingStudyDefinition: StudyDefinition<TrainingStudyOptions, TrainingStudyInputs, TrainingStudy> = {
	functionName: 'studyTraining',
	optionNames: trainingOptionNames,
	command: trainingCommand,
	resultsFile: 'results.json',
	readInputs: readTrainingInputs,
	measure: measureTraining,
	report: trainingReport,
};

/**
Repeats the training experiments of Karpukhin et al. (2020), "Dense Passage Retrieval", on a data set.

`dataset` is a folder with a corpus, questions and, unless the questions name their passages or have answers, relevance
judgments (qrels); or it is a SQuAD or PubMedQA file. The function mines training examples from the training questions,
and trains the encoder in many ways: with random, BM25, gold and in-batch negatives (Table 3), with different numbers of
examples (Figure 1), with gold positives and with distant supervision (Table 5), and with different similarities and
losses (Table 6). It searches with each trained encoder, with the model before training and with BM25, and measures
top-k accuracy and the mean reciprocal rank on test questions. With the option `transfer`, it measures the trained
encoder on other data sets, too (Table 2); for each of these with training questions, it also trains an encoder on it, and
then one on all data sets together.

It writes the paper's tables and figures for this data set into the folder `output` (`report.html`, `report.md`,
`results.json`), together with all runs as TREC files, the training examples, the exact configuration, and one trained
encoder: that with in-batch negatives and one BM25 negative per question, trained on all examples. A study can be stopped
at any time: if the function is called again with the same configuration, it continues where it stopped. On the same
machine, the same configuration produces the same bytes.

Per epoch, all tables and figures together take about 25 times as long as one training run on all examples, and each
encoder encodes the whole corpus. The folder needs space for the passages with their BM25 index, the examples (each with
22 passages), and while the study runs for the vectors of one encoder, its files, and a checkpoint three times as large as
its weights in 32 bits; the encoder that is kept stays.

Fails with `ERR_IO` or `ERR_FORMAT` if a file cannot be read, with `ERR_ARGUMENT` if an option is invalid, if a file is
missing, if there are fewer training examples than questions per step, if BM25 finds no negatives, or if the folder has
the results of another configuration, and otherwise as `trainEncoder` does: for example, with `ERR_MODEL` if the model has
another architecture than BERT's. The other data sets are checked before any training.

@example
```
const {rows} = await studyTraining('./squad', './squad-training', {maxTrainingQuestions: 5000});
// Top-1, top-5, top-20 and top-100 accuracy, and the mean reciprocal rank.
rows.find(({condition}) => condition === 'in-batch-32-bm25-1')?.values;
//=> [0.613, 0.874, 0.957, 0.984, 0.727]
```
*/
export async function studyTraining(dataset: string, output: string, options: TrainingStudyOptions = {}): Promise<TrainingStudy> {
	return runStudy(trainingStudyDefinition, dataset, output, options);
}
