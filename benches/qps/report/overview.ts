// The contents of a page of several records: what each comes to.
import {escaped} from '../../../ts/drawing/html.ts';
import type {DescribedRecord} from './description.ts';
import {noise} from './noise.ts';
import {ourNames} from './record.ts';

/** A row of each record, linked to its section by `ids`. */
export function overview(records: readonly DescribedRecord[], ids: readonly string[]): string {
	const rows = records.map((described, i) => {
		const {definition, machine} = described.record;
		const noisy = noise(described).noisy ? ' <span class="chip">noisy</span>' : '';
		return `<tr><th scope="row"><a href="#${ids[i]!}">${escaped(definition.name)}</a></th><td class="words">${escaped(definition.about)}</td><td class="words">${escaped(headline(described))}</td><td class="words">${escaped(machine.date.slice(0, 10))}${noisy}</td></tr>`;
	});
	return [
		'<nav aria-label="Records">',
		'<table class="overview">',
		'<thead><tr><th scope="col" data-words>definition</th><th scope="col" data-words>about</th><th scope="col" data-words>passagekit, by wall time</th><th scope="col" data-words>run</th></tr></thead>',
		'<tbody>',
		...rows,
		'</tbody>',
		'</table>',
		'</nav>',
	].join('\n');
}

/** Times as fast as the other, of the first of passagekit's entries: from the least over k and recalls to the most. */
function headline({record, measured, headline}: DescribedRecord): string {
	if (headline !== undefined) {
		return headline;
	}
	const [first] = [...ourNames(record)];
	// Bounds are no ratios.
	const ratios = measured.flatMap(({entry, atLeast, ratio}) => (entry === first && ratio && !atLeast && !ratio.atLeast ? [ratio] : []));
	if (ratios.length === 0) {
		return measured.some(({ratio}) => ratio) ? 'bounds only' : '–';
	}
	const values = ratios.map(({wall}) => wall.median).toSorted((a, b) => a - b);
	const [least, most] = [values[0]!.toFixed(1), values.at(-1)!.toFixed(1)];
	const others = new Set(ratios.map(({to}) => to));
	const to = others.size === 1 ? [...others][0]! : 'the fastest other';
	return `${least === most ? least : `${least}–${most}`}× ${to}`;
}
