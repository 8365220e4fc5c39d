import {endMarkdown, escaped, findingMarkdown, labelled, tableBlocks} from '../../report/markdown.ts';
import {present} from '../../statistics/finding.ts';
import {testsTable} from '../../report/tests-table.ts';
import {grouped} from '../../../drawing/format.ts';
import {abstract, figure1Caption, inputs, references, settingsOf, title, tuningCurves, tuningSentence} from './metadata.ts';
import {findings} from '../findings/findings.ts';
import {conditionLabels, conditionName} from '../labels.ts';
import {type Study, checkStudy} from '../study.ts';
import {dprTable, exactMatchTable, readingTable, tuningTable} from './reading-tables.ts';
import {accuracyTable, overlapTable, retrievalTable} from './retrieval-tables.ts';
import {testFamilies} from './test-families.ts';

/**
A study as a Markdown page, in GitHub's dialect: findings, the paper's tables with their marks and, where the paper has
this data set, its numbers, what was tuned, all tests, and what is needed to make it again. The same study gives the same
text. Refuses what is no study (`ERR_FORMAT`).

@example
```
await writeFile('report.md', reportMarkdown(study));
```
*/
export function reportMarkdown(study: Study): string {
	checkStudy(study);
	const {
		reading,
		overlap,
		command,
		settings: {significance},
	} = study;
	const found = findings(study);
	const curves = tuningCurves(study);
	const blocks = [
		`# ${escaped(title(study))}`,
		escaped(abstract(study, found)),
		'## Findings',
		...found.map((finding, i) => `${i + 1}. ${findingMarkdown(finding, conditionName)}`),
		'## Retrieval',
		...tableBlocks(retrievalTable(study)),
		...(curves.length > 0
			? [
					`Weights that ${grouped(study.questions.development.count)} development questions chose:`,
					curves.map(curve => `- ${labelled(conditionLabels[curve.condition])}: ${escaped(tuningSentence(curve, study))}`).join('\n'),
				]
			: []),
		...(study.retrieval.curves.lines.length > 0 ? tableBlocks(accuracyTable(study)) : []),
		...(overlap.length > 0 ? ['## Overlap', ...tableBlocks(overlapTable(study))] : []),
		...(reading
			? [
					'## Reading',
					...tableBlocks(readingTable(study, reading)),
					...present([dprTable(study, reading)]).flatMap(tableBlocks),
					...tableBlocks(tuningTable(reading, study)),
					...(reading.curves.length > 0 ? tableBlocks({...exactMatchTable(reading), name: 'Figure 1', caption: figure1Caption}) : []),
				]
			: []),
		'## Tests',
		...testFamilies(study).flatMap(({of, comparisons}) => tableBlocks(testsTable(of, comparisons, significance, conditionName))),
		...endMarkdown(command, inputs(study), settingsOf(study), references),
	];
	return `${blocks.join('\n\n')}\n`;
}
