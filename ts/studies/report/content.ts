/**
The content of a report's sections. All content has two forms, because each report is written as HTML and as Markdown.
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
	/** Blocks of Markdown, which empty lines will separate. */
	readonly markdown: readonly string[];
}

export const tableContent = (table: ReportTable): Content => ({html: [tableHtml(table)], markdown: tableMarkdown(table)});

/** Tables that the HTML page hides until the user opens them; `summary` is the text to click. */
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

/** Returns the lines of a figure. `caption` is HTML. */
export const figureHtml = (lines: readonly string[], name: string, caption: string): readonly string[] => [
	'<figure>',
	...lines,
	`<figcaption><b>${name}.</b> ${caption}</figcaption>`,
	'</figure>',
];
