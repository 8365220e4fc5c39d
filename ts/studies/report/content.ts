/**
The content of a report's sections. A report is written as HTML and as Markdown, so each piece of content (`Content`)
has an HTML form and a Markdown form. One of the two may be empty.
*/
import {tableHtml} from '../../drawing/html.ts';
import {folded} from '../../drawing/page.ts';
import type {ReportTable} from '../../drawing/table.ts';
import {tableMarkdown} from './markdown.ts';

export interface Section {
	readonly heading: string;
	readonly content: readonly Content[];
}

export interface Content {
	/** Lines of HTML. */
	readonly html: readonly string[];
	/** Blocks of Markdown, such as paragraphs and tables. The report has a blank line between blocks. */
	readonly markdown: readonly string[];
}

export const tableContent = (table: ReportTable): Content => ({html: [tableHtml(table)], markdown: tableMarkdown(table)});

/** Tables that the HTML page hides until the reader clicks the text `summary`. */
export const foldedTables = (summary: string, tables: readonly ReportTable[]): Content => ({
	html: [folded(summary, tables.map(tableHtml))],
	markdown: tables.flatMap(tableMarkdown),
});

/** Content that only the HTML page has. */
export const htmlOnly = (...lines: readonly string[]): Content => ({html: lines, markdown: []});

/** Content that only the Markdown page has. */
export const markdownOnly = (...blocks: readonly string[]): Content => ({html: [], markdown: blocks});

/** Content that differs between the two forms, such as a figure in HTML and the table of its values in Markdown. */
export const eitherForm = ({html}: Pick<Content, 'html'>, {markdown}: Pick<Content, 'markdown'>): Content => ({html, markdown});

/**
Returns a figure as lines of HTML. `lines` has the HTML of its drawings. The text below them is `name`, such as "Figure
6", followed by `caption`; both are HTML.
*/
export const figureHtml = (lines: readonly string[], name: string, caption: string): readonly string[] => [
	'<figure>',
	...lines,
	`<figcaption><b>${name}.</b> ${caption}</figcaption>`,
	'</figure>',
];
