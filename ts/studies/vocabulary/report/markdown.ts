import {endMarkdown, escaped, findingMarkdown, tableBlocks} from '../../report/markdown.ts';
import {testsTable} from '../../report/tests-table.ts';
import {abstract, caveats, inputs, references, settingsOf, title} from './metadata.ts';
import {examplesFigureMarkdown, examplesTableMarkdown} from '../examples/markdown.ts';
import {vocabularyFindings} from '../findings/findings.ts';
import {conditionName} from '../labels.ts';
import {type VocabularyStudy, checkVocabularyStudy} from '../study.ts';
import {
	amnesiaTable,
	amnesiaTestsTable,
	compositionTable,
	coverageTable,
	expansionTable,
	lambdaTable,
	mrrTable,
	retrievalTable,
} from './tables.ts';

/**
A study as a Markdown page, in GitHub's dialect: findings, the paper's tables with its numbers where its text has them, its
figures as tables, all tests, and what is needed to make it again. The same study gives the same text. Refuses what is no
study (`ERR_FORMAT`).

@example
```
await writeFile('report.md', vocabularyStudyMarkdown(study));
```
*/
export function vocabularyStudyMarkdown(study: VocabularyStudy): string {
	checkVocabularyStudy(study);
	const {retrieval, settings, command, tests} = study;
	const found = vocabularyFindings(study);
	const blocks = [
		`# ${escaped(title(study))}`,
		escaped(abstract(study, found)),
		...caveats(study).map(escaped),
		'## Findings',
		...found.map((finding, i) => `${i + 1}. ${findingMarkdown(finding, conditionName)}`),
		'## What vectors are about',
		...examplesTableMarkdown(study),
		...examplesFigureMarkdown(study),
		...tableBlocks(coverageTable(study)),
		...tableBlocks(mrrTable(study)),
		...tableBlocks(expansionTable(study)),
		...tableBlocks(compositionTable(study)),
		...tableBlocks(testsTable('claims about projections', tests.claims, settings.significance, conditionName)),
		'## Token amnesia',
		...tableBlocks(amnesiaTable(study)),
		...(tests.amnesia.length > 0 ? tableBlocks(amnesiaTestsTable(study)) : []),
		'## Retrieval',
		...tableBlocks(retrievalTable(study)),
		...(settings.lambdas.length > 0 ? tableBlocks(lambdaTable(study)) : []),
		...(retrieval.comparisons.length > 0
			? ['## Tests', ...tableBlocks(testsTable('Tables 3 and 4', retrieval.comparisons, settings.significance, conditionName))]
			: []),
		...endMarkdown(command, inputs(study), settingsOf(study), references),
	];
	return `${blocks.join('\n\n')}\n`;
}
