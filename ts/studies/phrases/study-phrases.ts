import {type StudyDefinition, runStudy} from '../engine/definition.ts';
import {readJudgedInputs} from '../engine/judged-study.ts';
import {phrasesCommand} from './command.ts';
import {type PhraseStudyOptions, checkedOptions, phraseOptionNames} from './options.ts';
import {type PhraseStudyInputs, measurePhrases} from './protocol/stages.ts';
import {phraseReport} from './report/report.ts';
import type {PhraseStudy} from './study.ts';

/** The study of Yang et al. (2023). */
export const phraseStudyDefinition: StudyDefinition<PhraseStudyOptions, PhraseStudyInputs, PhraseStudy> = {
	functionName: 'studyPhrases',
	optionNames: phraseOptionNames,
	command: phrasesCommand,
	resultsFile: 'results.json',
	async readInputs(dataset, options) {
		return {...checkedOptions(options), ...(await readJudgedInputs(dataset, options))};
	},
	measure: measurePhrases,
	report: phraseReport,
};

/**
Repeats the experiments of Yang et al. (2023), "Confidence-Calibrated Ensemble Dense Phrase Retrieval", on a data set: a folder with a
corpus, questions and, unless the questions name their passages, qrels; or a SQuAD or PubMedQA file. It encodes the passages by phrases
of several lengths, a model for each, and ranks each question's gold passage among 30 others and among all passages. On development
questions it selects three models and fits their one temperature; on test questions it measures the models, their fusion by confidence,
BM25 and other ensembles. It writes the paper's tables and figures for this data set into the folder `output`: `report.html`,
`report.md` and `results.json`, with all runs as TREC files and the exact configuration.

The study can be stopped at any time: called again with the same configuration, it continues where it stopped. The same configuration
gives the same bytes.

@example
```
const {candidates} = await studyPhrases('./squad', './squad-phrases', {sentences: [1, 3, 5]});
candidates.rows.find(({condition}) => condition === 'muf')?.values;
//=> [0.7313, 0.8121]
```
*/
export async function studyPhrases(dataset: string, output: string, options: PhraseStudyOptions = {}): Promise<PhraseStudy> {
	return runStudy(phraseStudyDefinition, dataset, output, options);
}
