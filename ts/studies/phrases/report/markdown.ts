import {endMarkdown, escaped, findingMarkdown, tableBlocks} from '../../report/markdown.ts';
import type {ReportTable} from '../../../drawing/table.ts';
import {testsTable} from '../../report/tests-table.ts';
import {grouped} from '../../../drawing/format.ts';
import {abstract, inputs, references, settingsOf, title} from './metadata.ts';
import {phraseFindings} from '../findings.ts';
import {conditionName} from '../labels.ts';
import {type PhraseStudy, checkPhraseStudy} from '../study.ts';
import {calibrationTable, curveTable, factsTable, generalTable, modelsTable, phrasesTable, retrievalTable, testFamilies} from './tables.ts';

/**
Returns a study as a Markdown page, in GitHub's dialect: the findings, the paper's tables, with the paper's numbers if it has this
data set, its figures as tables, all tests, and how to reproduce it. The same study gives the same text. Fails with `ERR_FORMAT`
if `study` is not a study.

@example
```
await writeFile('report.md', phraseStudyMarkdown(study));
```
*/
export function phraseStudyMarkdown(study: PhraseStudy): string {
	checkPhraseStudy(study);
	const {candidates, retrieval, settings, command} = study;
	const found = phraseFindings(study);
	const blocks = [
		`# ${escaped(title(study))}`,
		escaped(abstract(study, found)),
		'## Findings',
		...found.map((finding, i) => `${i + 1}. ${findingMarkdown(finding, conditionName)}`),
		'## Data',
		...tableBlocks(factsTable(study)),
		...tableBlocks(phrasesTable(study)),
		'## Phrases and their fusion',
		...tableBlocks(modelsTable(study)),
		...tableBlocks(generalTable(study)),
		'## Calibration',
		...tableBlocks(reliabilityTable(study)),
		...tableBlocks(calibrationTable(study)),
		...(candidates.curve.length > 0 ? tableBlocks(curveTable(study)) : []),
		'## Retrieval from all passages',
		...tableBlocks(retrievalTable(study)),
		'## Tests',
		...[...testFamilies(candidates, 'Tables 2 and 3'), ...testFamilies(retrieval, 'Table 4')].flatMap(({name, tests}) =>
			tableBlocks(testsTable(name, tests, settings.significance, conditionName)),
		),
		...endMarkdown(command, inputs(study), settingsOf(study), references),
	];
	return `${blocks.join('\n\n')}\n`;
}

/** Figure 1 as a table. */
function reliabilityTable({candidates, questions}: PhraseStudy): ReportTable {
	return {
		name: 'Figure 1',
		caption: `Reliability on ${grouped(questions.test)} test questions among candidates, at T = 1 and at the one temperature that was fitted on development questions: for each bin its number of questions, mean confidence, and share of right predictions.`,
		stub: 'Model',
		columns: [{heading: 'temperature', kind: 'words'}, {heading: 'questions'}, {heading: 'confidence'}, {heading: 'accuracy'}],
		blocks: [...candidates.models, {name: 'MUF', ...candidates.fused}].map(({name, before, after}) => ({
			heading: name,
			rows: [['T = 1', before] as const, ['fitted', after] as const].flatMap(([words, {bins}]) =>
				bins.map(({count, confidence, accuracy}) => ({
					heading: {text: name},
					cells: [{text: words}, {text: grouped(count)}, {text: confidence.toFixed(3)}, {text: accuracy.toFixed(3)}],
				})),
			),
		})),
	};
}
