// Makes tables sortable by clicking their headings.

/**
Turns the heading of each column into a button that sorts the rows. Rows without a value in the column stay last. The rows
of systems that could not be measured (class `failed`) stay last in every column.
*/
export function sortable(table: HTMLTableElement): void {
	for (const heading of table.querySelectorAll<HTMLTableCellElement>('th[data-column]')) {
		const button = document.createElement('button');
		button.type = 'button';
		button.append(...heading.childNodes);
		heading.append(button);
		button.addEventListener('click', () => sort(table, heading));
	}
}

/** Sorts the rows of a table by the column of a heading, or reverses the order if they are sorted by it already. */
function sort(table: HTMLTableElement, heading: HTMLTableCellElement): void {
	const isWords = heading.dataset['words'] !== undefined;
	const before = heading.getAttribute('aria-sort');
	// The first click sorts words in alphabetical order, and numbers from the largest.
	const ascending = before === null ? isWords : before === 'descending';
	for (const other of table.querySelectorAll('th[aria-sort]')) {
		other.removeAttribute('aria-sort');
	}
	heading.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
	const body = table.tBodies[0]!;
	const column = Number(heading.dataset['column']);
	const rows = [...body.rows].map(row => ({row, value: valueOf(row, column)}));
	const sign = ascending ? 1 : -1;
	rows.sort((a, b) => {
		if (a.value === undefined || b.value === undefined) {
			return Number(a.value === undefined) - Number(b.value === undefined);
		}
		return sign * (isWords ? a.value.localeCompare(b.value, 'en', {numeric: true}) : Number(a.value) - Number(b.value));
	});
	body.append(...rows.map(({row}) => row));
}

/** Returns the value by which a row is sorted, if it has one. */
function valueOf(row: HTMLTableRowElement, column: number): string | undefined {
	const cell = row.cells[column];
	if (row.classList.contains('failed')) {
		return undefined;
	}
	// Column 0 has the headings of the rows, whose value is their text.
	return column === 0 ? (cell?.textContent ?? undefined) : cell?.dataset['value'];
}
