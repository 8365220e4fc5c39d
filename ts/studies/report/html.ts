/** The parts of a study's HTML page: headings, findings, how to reproduce it, references. */
import {equalsP} from '../../drawing/format.ts';
import {escaped} from '../../drawing/html.ts';
import type {Finding} from '../statistics/finding.ts';
import type {Verdict} from '../statistics/verdict.ts';
import type {Fact, Reference} from './metadata.ts';

/** Headings of sections, numbered from 1. */
export function numbered(): (heading: string) => string {
	let number = 0;
	return heading => {
		number += 1;
		return `<h2><span class="number">${number}</span>${escaped(heading)}</h2>`;
	};
}

/** Findings as a list; `nameOf` is what a condition of a test is called. */
export function findingsHtml(found: readonly Finding[], nameOf: (condition: string) => string): string {
	return `<ol class="findings">${found.map(one => finding(one, nameOf)).join('\n')}</ol>`;
}

export function reproduction(command: string | undefined, facts: readonly Fact[]): readonly string[] {
	const lines = facts.map(
		({what, value, code}) =>
			`<dt>${escaped(what)}</dt><dd>${escaped(value)}${code === undefined ? '' : ` <code>${escaped(code)}</code>`}</dd>`,
	);
	return [
		...(command === undefined ? [] : [`<pre>${escaped(command)}</pre>`]),
		`<dl class="facts">${lines.join('\n')}</dl>`,
		'<p>Long hexadecimal numbers are SHA-256. The same files, models and settings give this report again, byte for byte.</p>',
	];
}

export function referencesHtml(references: readonly Reference[]): string {
	return `<ul class="references">${references.map(({text, url}) => `<li>${escaped(text)} <a href="${url}">${url.replace('https://', '')}</a></li>`).join('\n')}</ul>`;
}

const styles: Readonly<Record<Verdict, string>> = {
	holds: 'yes',
	'holds in part': 'partly',
	contradicted: 'contradicted',
	undecided: 'undecided',
	'not tested': 'untested',
};

function finding(found: Finding, nameOf: (condition: string) => string): string {
	const {claim, here, verdict, evidence} = found;
	const tests = evidence.map(
		({a, b, measure, corrected}) =>
			`<div><dt>${escaped(`${nameOf(a)} − ${nameOf(b)}, ${measure}`)}</dt><dd>${escaped(equalsP(corrected))}</dd></div>`,
	);
	return [
		'<li>',
		`<div><p>${escaped(claim)}</p><p class="here">${escaped(here)}</p>`,
		...(tests.length > 0 ? [`<dl class="ps" aria-label="Corrected p">${tests.join('')}</dl>`] : []),
		'</div>',
		`<p class="verdict ${styles[verdict]}">${verdict}</p>`,
		'</li>',
	].join('\n');
}
