/** The content of a report's sections, in its two forms: as HTML and as Markdown. */
import {tableHtml} from '../../drawing/html.ts';
import {folded} from '../../drawing/page.ts';
import type {ReportTable} from '../../drawing/table.ts';
import {tableMarkdown} from './markdown.ts';

export interface Section {
	readonly heading: string;
	readonly content: readonly Content[];
}

export interface Content {
	/** Lines. */
	readonly html: readonly string[];
	/** Blocks, which are separated by empty lines. */
	readonly markdown: readonly string[];
}

export const tableContent = (table: ReportTable): Content => ({html: [tableHtml(table)], markdown: tableMarkdown(table)});

/** Tables that the HTML page shows only on demand. */
export const foldedTables = (summary: string, tables: readonly ReportTable[]): Content => ({
	html: [folded(summary, tables.map(tableHtml))],
	markdown: tables.flatMap(tableMarkdown),
});

export const htmlOnly = (...lines: readonly string[]): Content => ({html: lines, markdown: []});
export const markdownOnly = (...blocks: readonly string[]): Content => ({html: [], markdown: blocks});

/** The HTML form of one content and the Markdown form of another, such as a figure and the table of its values. */
export const eitherForm = ({html}: Pick<Content, 'html'>, {markdown}: Pick<Content, 'markdown'>): Content => ({html, markdown});

/** A figure with its caption, which is HTML. */
export const figureHtml = (lines: readonly string[], name: string, caption: string): readonly string[] => [
	'<figure>',
	...lines,
	`<figcaption><b>${name}.</b> ${caption}</figcaption>`,
	'</figure>',
];
