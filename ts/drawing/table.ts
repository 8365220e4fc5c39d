/** A table as data, which can be laid out as HTML (`html.ts`), as Markdown or as plain text. */
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
	/** Adjacent columns of one group share a heading. */
	readonly group?: string;
	readonly heading: string;
	/** `paper`: numbers of the paper, which are shown in gray; `words`: text, which is aligned to the left. */
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
	/** Significance markers, raised beside the text. */
	readonly markers?: string;
}

/** The cell of a missing value. */
export const none: Cell = {text: '–'};

/** The cell of a value that may be missing. */
export const cell = (value: number | undefined, shown: (value: number) => string): Cell =>
	value === undefined ? none : {text: shown(value)};
