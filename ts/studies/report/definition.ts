/**
Defines what the report of a study contains. `study-html.ts` and `study-markdown.ts` turn a `ReportDefinition` into an
HTML page and a Markdown page: title, abstract, findings, the study's own sections, how to reproduce it, references.
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
	/** Fails with `ERR_FORMAT` if `results` are not those of this study. */
	check(results: unknown): void;
	title(results: Results): string;
	/** Authors and year of the paper whose experiments the study repeats. */
	readonly authors: string;
	/** Cited papers. The first one is the paper whose experiments the study repeats. */
	readonly references: readonly Reference[];
	/**
	The abstract. The report adds a sentence to it that counts the verdicts, such as "holds" and "contradicted", on the
	paper's claims.
	*/
	abstract(results: Results): string;
	findings(results: Results): readonly Finding[];
	/** Paragraphs of plain text: what to know before comparing the study's numbers with the paper's. */
	caveats?(results: Results): readonly string[];
	/** The sections between "Findings" and "How to reproduce". */
	sections(results: Results): readonly Section[];
	/** The options that the study ran with, listed under "How to reproduce". */
	settings(results: Results): readonly MetadataEntry[];
	/** The files and models that the study read, listed under "How to reproduce". */
	inputs(results: Results): readonly MetadataEntry[];
	/**
	Returns the name that the report shows for a condition. Conditions are what significance tests compare, such as two
	retrieval methods.
	*/
	labelOf(condition: string): string;
	/** CSS rules of this report, in addition to those that all pages have. */
	readonly style?: string;
}
