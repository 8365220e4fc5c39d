/** The tables of reports, as data. They can be formatted as HTML (`html.ts`), as Markdown or as plain text. */
import type {Label} from './format.ts';

/** A table of a report. */
export interface ReportTable {
	/** The name that comes before the caption, such as `Table 1`. */
	readonly name: string;
	readonly caption: string;
	/** Heading of the first column, which contains the headings of the rows. */
	readonly firstHeading: string;
	readonly columns: readonly Column[];
	readonly blocks: readonly Block[];
}

/** A column after the first one. */
export interface Column {
	/** Adjacent columns with the same group share a heading above their own headings. */
	readonly group?: string;
	readonly heading: string;
	/**
	`paper`: numbers that a paper has published, shown in gray; `words`: text, aligned to the left. Without a kind, a
	column contains numbers, aligned to the right.
	*/
	readonly kind?: 'paper' | 'words';
}

/** Rows with a common heading. */
export interface Block {
	readonly heading?: string;
	readonly rows: readonly Row[];
}

export interface Row {
	readonly heading: Label;
	/** One cell per column. */
	readonly cells: readonly Cell[];
}

export interface Cell {
	readonly text: string;
	/** Significance markers, shown as a superscript after the text. */
	readonly markers?: string;
}

/** The cell for a missing value. */
export const emptyCell: Cell = {text: '–'};

/** Returns the cell for a value that may be missing. */
export const cell = (value: number | undefined, format: (value: number) => string): Cell =>
	value === undefined ? emptyCell : {text: format(value)};
