// The table of contents of a page with several records: a row per record (the results of one run of a benchmark) with
// its main result.
import {escaped} from '../../../../ts/drawing/html.ts';
import type {DescribedRecord} from '../records/description.ts';
import {noise} from '../records/noise.ts';
import {ourNames} from '../records/record.ts';

/** Returns the table as HTML. Each row links to the section of its record; `ids` are the ids of the sections. */
export function overview(records: readonly DescribedRecord[], ids: readonly string[]): string {
	const rows = records.map((described, i) => {
		const {definition, machine} = described.record;
		const noisy = noise(described).noisy ? ' <span class="chip">noisy</span>' : '';
		return `<tr><th scope="row"><a href="#${ids[i]!}">${escaped(definition.name)}</a></th><td class="words">${escaped(definition.about)}</td><td class="words">${escaped(headline(described))}</td><td class="words">${escaped(machine.date.slice(0, 10))}${noisy}</td></tr>`;
	});
	return [
		'<nav aria-label="Records">',
		'<table class="overview">',
		'<thead><tr><th scope="col" data-words>definition</th><th scope="col" data-words>about</th><th scope="col" data-words>passagekit, by wall time</th><th scope="col" data-words>measured on</th></tr></thead>',
		'<tbody>',
		...rows,
		'</tbody>',
		'</table>',
		'</nav>',
	].join('\n');
}

/**
Returns the main result: the description's own headline if it has one, or else how many times as fast passagekit's first
entry is as the systems that it is compared with, as the range over all k and recalls.
*/
function headline({record, measured, headline: ownHeadline}: DescribedRecord): string {
	if (ownHeadline !== undefined) {
		return ownHeadline;
	}
	const [ourFirstName] = [...ourNames(record)];
	// If passagekit's speed (`atLeast`) or the other system's (`ratio.atLeast`) is only a lower bound, the ratio is also only a
	// bound, and is left out.
	const ratios = measured.flatMap(({entry, atLeast, ratio}) =>
		entry === ourFirstName && ratio && !atLeast && !ratio.atLeast ? [ratio] : [],
	);
	if (ratios.length === 0) {
		return measured.some(({ratio}) => ratio) ? 'bounds only' : '–';
	}
	const values = ratios.map(({wall}) => wall.median).toSorted((a, b) => a - b);
	const [min, max] = [values[0]!.toFixed(1), values.at(-1)!.toFixed(1)];
	const others = new Set(ratios.map(({to}) => to));
	const to = others.size === 1 ? [...others][0]! : 'the fastest other system';
	return `${min === max ? min : `${min}–${max}`}× ${to}`;
}
