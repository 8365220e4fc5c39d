/**
Defines what the report of a study contains. `study-html.ts` and `study-markdown.ts` turn a `ReportDefinition` into an
HTML page and into Markdown: title, abstract, findings, the sections of this study, how to reproduce it, references.
*/
import type {Finding} from '../statistics/finding.ts';
import type {Section} from './content.ts';
import type {MetadataEntry, Reference} from './metadata.ts';

/** The properties that the results of all studies have. */
export interface StudyResults {
	/** The version of passagekit. */
	readonly passagekit: string;
	/** The command that repeats the study. It names files without their folders. */
	readonly command?: string;
}

export interface ReportDefinition<Results extends StudyResults> {
	/** Fails with `ERR_FORMAT` if the value is not the result of this study. */
	check(results: unknown): void;
	title(results: Results): string;
	/** Authors and year of the paper that the study repeats. */
	readonly authors: string;
	/** Cited papers. The first one is the paper that the study repeats. */
	readonly references: readonly Reference[];
	/** The abstract. A sentence is added to it that counts the verdicts of the findings, such as "holds" and "contradicted". */
	abstract(results: Results): string;
	findings(results: Results): readonly Finding[];
	/** Paragraphs with what readers must know before they compare the numbers of the study and of the paper. */
	caveats?(results: Results): readonly string[];
	/** The sections between "Findings" and "How to reproduce". */
	sections(results: Results): readonly Section[];
	/** The options that the study ran with, listed under "How to reproduce". */
	settings(results: Results): readonly MetadataEntry[];
	/** The files and models that the study read, listed under "How to reproduce". */
	inputs(results: Results): readonly MetadataEntry[];
	/** Returns the name that the report shows for a condition: one of the methods that a significance test compares. */
	labelOf(condition: string): string;
	/** CSS rules of this report, in addition to those of all pages. */
	readonly style?: string;
}
