/** A table as data, laid out as HTML (`html.ts`) or as Markdown. */
import type {Label} from './format.ts';

export interface ReportTable {
	readonly name: string;
	readonly caption: string;
	/** Heading of the column of row headings. */
	readonly stub: string;
	readonly columns: readonly Column[];
	readonly blocks: readonly Block[];
}

export interface Column {
	/** Columns of one group that stand beside each other share a heading. */
	readonly group?: string;
	readonly heading: string;
	/** `paper`: others' numbers. */
	readonly kind?: 'paper' | 'words';
}

export interface Block {
	readonly heading?: string;
	readonly rows: readonly Row[];
}

export interface Row {
	readonly heading: Label;
	readonly cells: readonly Cell[];
}

export interface Cell {
	readonly text: string;
	readonly marks?: string;
}

/** What stands where there is no value. */
export const none: Cell = {text: '–'};

export const cell = (value: number | undefined, shown: (value: number) => string): Cell =>
	value === undefined ? none : {text: shown(value)};
