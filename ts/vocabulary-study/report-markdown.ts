import {escaped, fenced, tableBlocks} from '../report/markdown.ts';
import {testsTable} from '../report/table.ts';
import {equalsP} from '../report/words.ts';
import {abstract, caveats, inputs, references, settingsOf, title} from './facts.ts';
import {examplesFigureMarkdown, examplesTableMarkdown} from './examples/markdown.ts';
import {type VocabularyFinding, vocabularyFindings} from './findings.ts';
import {conditionName} from './names.ts';
import {type VocabularyStudy, checkVocabularyStudy} from './study.ts';
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
		...found.map((finding, i) => `${i + 1}. ${item(finding)}`),
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
		'## How to reproduce',
		...(command === undefined ? [] : [fenced(command)]),
		inputs(study)
			.map(({what, value, code}) => `- ${what}: ${escaped(value)}${code === undefined ? '' : `, SHA-256 \`${code}\``}`)
			.join('\n'),
		settingsOf(study)
			.map(({what, value}) => `- ${escaped(what)}: ${escaped(value)}`)
			.join('\n'),
		'## References',
		references.map(({text, url}) => `- ${escaped(text)} <${url}>`).join('\n'),
	];
	return `${blocks.join('\n\n')}\n`;
}

function item(finding: VocabularyFinding): string {
	const {claim, here, evidence} = finding;
	const ps = evidence.map(({a, b, measure, corrected}) => `${conditionName(a)} − ${conditionName(b)}, ${measure}: ${equalsP(corrected)}`);
	return `**${escaped(claim)}** *${finding.verdict}.* ${escaped(here)}${ps.length > 0 ? ` (Corrected p. ${escaped(ps.join('; '))}.)` : ''}`;
}
