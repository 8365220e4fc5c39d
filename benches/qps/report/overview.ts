// The contents of a page of several records: what each comes to.
import {escaped} from '../../../ts/drawing/html.ts';
import {buildSeconds, measured} from './measured.ts';
import {noise} from './noise.ts';
import {type QpsRecord, isEncoding, isText, isVectors, ourNames} from './record.ts';

/** A row of each record, linked to its section by `ids`. */
export function overview(records: readonly QpsRecord[], ids: readonly string[]): string {
	const rows = records.map((record, i) => {
		const {definition, machine} = record;
		const noisy = noise(record).noisy ? ' <span class="chip">noisy</span>' : '';
		return `<tr><th scope="row"><a href="#${ids[i]!}">${escaped(definition.name)}</a></th><td class="words">${escaped(definition.about)}</td><td class="words">${escaped(headline(record))}</td><td class="words">${escaped(machine.date.slice(0, 10))}${noisy}</td></tr>`;
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
function headline(record: QpsRecord): string {
	const [first] = [...ourNames(record)];
	if (!isVectors(record) && !isEncoding(record) && !isText(record) && buildSeconds(record).length > 0) {
		const ratio = record.results.find(({name}) => name === first)?.secondsRatio;
		return ratio ? `${ratio.median.toFixed(1)}× ${record.definition.reference}, building` : '–';
	}
	// Bounds are no ratios.
	const ratios = measured(record).flatMap(({entry, atLeast, ratio}) =>
		entry === first && ratio && !atLeast && !ratio.atLeast ? [ratio] : [],
	);
	if (ratios.length === 0) {
		return measured(record).some(({ratio}) => ratio) ? 'bounds only' : '–';
	}
	const values = ratios.map(({wall}) => wall.median).toSorted((a, b) => a - b);
	const [least, most] = [values[0]!.toFixed(1), values.at(-1)!.toFixed(1)];
	const others = new Set(ratios.map(({to}) => to));
	const to = others.size === 1 ? [...others][0]! : 'the fastest other';
	return `${least === most ? least : `${least}–${most}`}× ${to}`;
}
