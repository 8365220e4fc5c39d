// The script of the report page: it redraws charts for the selected k and clock, shows tooltips, sorts tables, and switches the theme.
import {Section} from './section.ts';
import {sortable} from './sorting.ts';
import {addThemeButton} from './theme.ts';

document.documentElement.classList.add('scripted');
addThemeButton(document.querySelector('.top')!);
for (const section of document.querySelectorAll<HTMLElement>('section.record')) {
	new Section(section).show();
}
for (const table of document.querySelectorAll<HTMLTableElement>('table.figures')) {
	sortable(table);
}
