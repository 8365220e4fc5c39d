/**
What the report of a study consists of. `study-html.ts` and `study-markdown.ts` lay the same definition out as an HTML page and as
Markdown: title, abstract, findings, the sections of this study, how to reproduce it, references.
*/
import type {Finding} from '../statistics/finding.ts';
import type {Section} from './content.ts';
import type {MetadataEntry, Reference} from './metadata.ts';

/** What the results of all studies have in common. */
export interface StudyResults {
	/** The version of passagekit. */
	readonly passagekit: string;
	/** The command that repeats the study, without paths of folders. */
	readonly command?: string;
}

export interface ReportDefinition<Results extends StudyResults> {
	/** Fails with `ERR_FORMAT` if the value is not the result of this study. */
	check(results: unknown): void;
	title(results: Results): string;
	/** Authors and year of the paper, which is the first of the references. */
	readonly authors: string;
	readonly references: readonly Reference[];
	/** The abstract without its last sentence, which counts the verdicts. */
	abstract(results: Results): string;
	findings(results: Results): readonly Finding[];
	/** What readers have to know before they compare the numbers with the paper's, a paragraph each. */
	caveats?(results: Results): readonly string[];
	/** The sections between the findings and how to reproduce them. */
	sections(results: Results): readonly Section[];
	settings(results: Results): readonly MetadataEntry[];
	inputs(results: Results): readonly MetadataEntry[];
	/** How reports name a condition that a test compares. */
	labelOf(condition: string): string;
	/** CSS rules of this report, in addition to those of all pages. */
	readonly style?: string;
}
