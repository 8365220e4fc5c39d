// The page's script: draws what is chosen, says what is pointed at, sorts tables.
import {Section} from './section.ts';
import {sortable} from './sorting.ts';
import {themed} from './theme.ts';

document.documentElement.classList.add('scripted');
themed(document.querySelector('.top')!);
for (const section of document.querySelectorAll<HTMLElement>('section.record')) {
	new Section(section).show();
}
for (const table of document.querySelectorAll<HTMLTableElement>('table.figures')) {
	sortable(table);
}
