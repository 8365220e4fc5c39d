/**
Reads the rows of a table in CSV or TSV (RFC 4180): a header line with the names of the columns, then the rows. A cell that begins with a
double quote ends with one; between these two, each quote is doubled, and delimiters and line breaks are part of the cell. In other cells,
quotes are ordinary characters. Lines end with LF or CRLF.

The end of a row and the bounds of its cells are found in one pass over the bytes, which continues where it stopped when more bytes are
read. No CSV library that we tried (2026) skips an invalid row and reads the next one: after a row that is too long, csv-parse 7.0 returns
no more rows and csv-parser 3.2 fails, and Papa Parse 5.7 and fast-csv 5.0 have no limit. After a quote that is not closed, csv-parse and
Papa Parse take the rest of the file as one row.
*/
import {type ByteInput, checkUtf8} from './byte-input.ts';
import {FileError, RecordError, type RecordReader, type SourceRecord, quoted, recordTooLong} from './record.ts';

const [LINE_FEED, CARRIAGE_RETURN, QUOTE] = [0x0a, 0x0d, 0x22];

/** Maximum number of columns, so that a line of millions of delimiters takes little memory. */
const MAX_COLUMNS = 1 << 14;

/** The rows of a table after its header. Blank lines are skipped. */
export class TableRows implements RecordReader {
	readonly nameKind = 'column';
	/** Names of the columns, in the order of the header. Some may be empty. */
	readonly header: readonly string[];
	/** The line on which the header begins, from 1. */
	readonly headerLine: number;
	readonly #rows: RowScanner;
	readonly #names: readonly string[];
	readonly #positions: ReadonlyMap<string, number>;

	private constructor(rows: RowScanner, {line, cells}: Row) {
		this.#rows = rows;
		this.header = cells;
		this.headerLine = line;
		this.#names = cells.filter(name => name !== '');
		this.#positions = new Map(cells.map((name, position) => [name, position]));
	}

	/**
	Reads the header. Fails with a `FileError` if there is none, or if two columns have the same name. `limit` is the maximum number of
	bytes of a row.
	*/
	static async open(input: ByteInput, delimiter: string, limit: number): Promise<TableRows> {
		const rows = new RowScanner(input, delimiter.charCodeAt(0), limit);
		const header = await rows.read(MAX_COLUMNS).catch((error: unknown) => {
			throw error instanceof RecordError ? new FileError(error.line, ...error.parts) : error;
		});
		if (header === undefined) {
			throw new FileError(undefined, 'a header line with the names of the columns', 'an empty file');
		}
		if (header.count > MAX_COLUMNS) {
			throw new FileError(header.line, `at most ${MAX_COLUMNS} columns`, String(header.count));
		}
		const repeated = header.cells.find((name, position) => name !== '' && header.cells.indexOf(name) !== position);
		if (repeated !== undefined) {
			throw new FileError(header.line, 'columns with distinct names', `${quoted(repeated)} twice`);
		}
		return new TableRows(rows, header);
	}

	async read(): Promise<SourceRecord | undefined> {
		const columnCount = this.header.length;
		const row = await this.#rows.read(columnCount);
		if (row === undefined) {
			return undefined;
		}
		const {line, cells, count} = row;
		if (count !== columnCount) {
			const columns = columnCount === 1 ? '1 column' : `${columnCount} columns`;
			throw new RecordError(line, `${columns}, as in the header`, String(count));
		}
		return {
			line,
			names: this.#names,
			get: name => {
				const position = this.#positions.get(name);
				const cell = position === undefined ? undefined : cells[position];
				return cell === '' ? undefined : cell;
			},
		};
	}
}

interface Row {
	/** The line on which the row begins, from 1. */
	readonly line: number;
	/** The first cells of the row, at most as many as the caller asked for. */
	readonly cells: readonly string[];
	/** Number of all cells of the row. */
	readonly count: number;
}

/**
Where the scanner is:

- `start`: at the start of a cell.
- `plain`: in a cell without quotes around it.
- `quoted`: in a quoted cell.
- `afterQuote`: after a quote in a quoted cell, which closes the cell or is the first of two.
- `afterReturn`: after a carriage return that follows a closing quote; a line feed must come next.
*/
type State = 'start' | 'plain' | 'quoted' | 'afterQuote' | 'afterReturn';

/** Finds the rows in the bytes of a file. */
class RowScanner {
	readonly #input: ByteInput;
	readonly #delimiter: number;
	readonly #limit: number;
	/** Whether the rest of the line on which an invalid row begins has to be skipped. */
	#isInInvalidLine = false;

	constructor(input: ByteInput, delimiter: number, limit: number) {
		this.#input = input;
		this.#delimiter = delimiter;
		this.#limit = limit;
	}

	/** Returns the next row that is not blank, with its first `maxCells` cells; undefined at the end of the file. */
	async read(maxCells: number): Promise<Row | undefined> {
		if (this.#isInInvalidLine) {
			this.#isInInvalidLine = false;
			await this.#input.skipLine();
		}
		for (;;) {
			const row = await this.#next(maxCells);
			if (row === undefined || row.count > 1 || row.cells[0]!.trim() !== '') {
				return row;
			}
		}
	}

	async #next(maxCells: number): Promise<Row | undefined> {
		const input = this.#input;
		const {line} = input;
		/** The start and end of each cell, and whether it has doubled quotes (1 or 0). */
		const bounds: number[] = [];
		let [at, start, end, hasPairs, count, lines] = [0, 0, 0, 0, 0, 0];
		let state: State = 'start';
		const endCell = (): void => {
			count++;
			if (count <= maxCells) {
				bounds.push(start, end, hasPairs);
			}
		};
		let {data} = input;
		scan: for (;;) {
			for (; at < data.length; at++) {
				const byte = data[at]!;
				if (state === 'start') {
					hasPairs = 0;
					start = byte === QUOTE ? at + 1 : at;
					state = byte === QUOTE ? 'quoted' : 'plain';
					if (byte === QUOTE) {
						continue;
					}
				}
				if (state === 'plain') {
					if (byte === this.#delimiter) {
						end = at;
						endCell();
						state = 'start';
					} else if (byte === LINE_FEED) {
						end = at > start && data[at - 1] === CARRIAGE_RETURN ? at - 1 : at;
						break scan;
					}
				} else if (state === 'quoted') {
					if (byte === QUOTE) {
						end = at;
						state = 'afterQuote';
					} else if (byte === LINE_FEED) {
						lines++;
					}
				} else if (byte === LINE_FEED) {
					break scan;
				} else if (state === 'afterQuote' && byte === QUOTE) {
					hasPairs = 1;
					state = 'quoted';
				} else if (state === 'afterQuote' && byte === this.#delimiter) {
					endCell();
					state = 'start';
				} else if (state === 'afterQuote' && byte === CARRIAGE_RETURN) {
					state = 'afterReturn';
				} else {
					const got = quoted(data.toString('utf8', at, at + 20).split(/[\r\n]/u)[0]!);
					throw this.#invalid(line, `a delimiter or a line end after the closing quote of cell ${count + 1}`, got);
				}
			}
			if (at > this.#limit) {
				this.#isInInvalidLine = true;
				throw recordTooLong(line, this.#limit);
			}
			if (!(await input.fill())) {
				if (at === 0) {
					return undefined;
				}
				if (state === 'quoted') {
					throw this.#invalid(line, `the closing quote of cell ${count + 1}`, 'the end of the file');
				}
				if (state === 'start') {
					[start, end, hasPairs] = [at, at, 0];
				} else if (state === 'plain') {
					end = at > start && data[at - 1] === CARRIAGE_RETURN ? at - 1 : at;
				}
				break;
			}
			({data} = input);
		}
		endCell();
		({data} = input);
		const bytes = data.subarray(0, at);
		input.consume(Math.min(at + 1, data.length), lines + 1);
		if (at > this.#limit) {
			throw recordTooLong(line, this.#limit);
		}
		checkUtf8(line, bytes);
		return {line, cells: cellsOf(bytes, bounds), count};
	}

	/** The error for a row whose end cannot be determined. Reading continues on the line after the one on which this row begins. */
	#invalid(line: number, expected: string, got: string): RecordError {
		this.#isInInvalidLine = true;
		return new RecordError(line, expected, got);
	}
}

function cellsOf(bytes: Buffer, bounds: readonly number[]): string[] {
	const cells: string[] = [];
	for (let i = 0; i < bounds.length; i += 3) {
		const cell = bytes.toString('utf8', bounds[i], bounds[i + 1]);
		cells.push(bounds[i + 2] === 1 ? cell.replaceAll('""', '"') : cell);
	}
	return cells;
}
