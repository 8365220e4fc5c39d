/** Defines the vocabulary study and the public function `studyVocabulary`, which runs it. */
import {resolveModel} from '../../models/index.ts';
import {defaultHead} from '../../vocabulary/projection/default-head.ts';
import {type StudyDefinition, runStudy} from '../engine/definition.ts';
import {readJudgedInputs} from '../engine/judged-study.ts';
import {DEFAULT_ENCODER} from '../engine/options.ts';
import {hashedModel} from '../storage/inputs.ts';
import {vocabularyCommand} from './command.ts';
import {type VocabularyStudyOptions, checkVocabularyOptions, checkedSettings, vocabularyOptionNames} from './options.ts';
import {type VocabularyStudyInputs, measureVocabulary} from './protocol/stages.ts';
import {vocabularyReport} from './report/report.ts';
import type {VocabularyStudy} from './study.ts';

/** The study that repeats the experiments of Ram et al. (2023). */
export const vocabularyStudyDefinition: StudyDefinition<VocabularyStudyOptions, VocabularyStudyInputs, VocabularyStudy> = {
	functionName: 'studyVocabulary',
	optionNames: vocabularyOptionNames,
	command: vocabularyCommand,
	resultsFile: 'results.json',
	async readInputs(dataset, options) {
		checkVocabularyOptions(options);
		const {encoder = DEFAULT_ENCODER, baseline, signal} = options;
		const head = options.head ?? defaultHead(encoder);
		const inputs = await readJudgedInputs(dataset, options);
		return {
			...inputs,
			settings: await checkedSettings(options, head),
			head: {model: head, folder: await resolveModel(head, {signal}), ...(await hashedModel(head, signal))},
			baseline: baseline === undefined ? {kind: 'static'} : {kind: 'encoder', ...(await hashedModel(baseline, signal))},
		};
	},
	measure: measureVocabulary,
	report: vocabularyReport,
};

/**
Repeats the experiments of Ram et al. (2023), "What Are You Token About?", on a data set.

`dataset` is a folder with a corpus, questions and, unless the questions name their passages, relevance judgments
(qrels); or it is a SQuAD or PubMedQA file. The function projects the vectors of questions and gold passages onto the
vocabulary, and makes the paper's analyses for the encoder and for a baseline. It chooses the weight λ of lexical
enrichment on development questions. On test questions, it measures BM25 on words and on word pieces, and dense
retrieval without enrichment, with it, and with its ablations.

It writes the paper's tables and figures for this data set into the folder `output` (`report.html`, `report.md`,
`results.json`), together with all runs as TREC files and the exact configuration. A study can be stopped at any time:
if the function is called again with the same configuration, it continues where it stopped. On the same machine, the
same configuration produces the same bytes.

@example
```
const {retrieval} = await studyVocabulary('./squad', './squad-vocabulary');
// Top-1, top-5, top-20 and top-100 accuracy, and the mean reciprocal rank.
retrieval.rows.find(({condition}) => condition === 'enriched')?.values;
//=> [0.561, 0.812, 0.925, 0.971, 0.668]
```
*/
export async function studyVocabulary(dataset: string, output: string, options: VocabularyStudyOptions = {}): Promise<VocabularyStudy> {
	return runStudy(vocabularyStudyDefinition, dataset, output, options);
}
