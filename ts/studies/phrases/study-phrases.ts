/** Defines the phrase study (Yang et al., 2023) and the public function `studyPhrases`, which runs it. */
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
Repeats the experiments of Yang et al. (2023), "Confidence-Calibrated Ensemble Dense Phrase Retrieval", on a data set.

`dataset` is a folder with a corpus, questions and, unless the questions name their passages, relevance judgments
(qrels); or it is a SQuAD or PubMedQA file. The function splits the passages into phrases of several lengths and builds
a model, which is an index of phrases, for each length. It ranks each question's gold passage among other candidates (by
default 30) and among all passages. On development questions it selects three models and fits their common temperature.
On test questions it measures the models, their fusion by confidence (MUF, model uncertainty fusion), BM25 and other
fusions of the models.

It writes the paper's tables and figures for this data set into the folder `output` (`report.html`, `report.md`,
`results.json`), together with all runs as TREC files and the exact configuration. A study can be stopped at any time:
if the function is called again with the same configuration, it continues where it stopped. On the same machine, the
same configuration produces the same bytes.

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
