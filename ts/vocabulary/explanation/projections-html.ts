/**
Formats projections and marked texts as HTML, for pages that explain matches and for reports. Shared tokens occur in both question and
passage. The passage's vector has forgotten a shared token if the token has a low rank in P, the vector's projection. Expansion tokens
occur only in the passage but have high ranks in Q, the projection of the question's vector.
*/
import {escaped} from '../../drawing/html.ts';
import type {MarkedText, ProjectedMatch, ProjectedToken} from './explain-match.ts';

/** CSS rules. Shared tokens are blue, forgotten ones orange; expansion tokens, and all tokens of the passage only, are green. */
export const projectionStyle = `
mark { background: none; color: inherit; font-weight: 600; border-bottom: 2px solid currentColor; }
mark.shared, .origin-shared .token { color: var(--dense); }
mark.forgotten { color: var(--bm25); border-bottom-style: dashed; }
mark.expansion, .origin-passage .token { color: var(--yes); }
.origin-question .token { color: var(--ink); } .origin-other .token { color: var(--quiet); }
.origin-shared .token, .origin-passage .token { font-weight: 600; }
.projections { display: grid; grid-template-columns: repeat(auto-fit, minmax(15.5rem, 1fr)); gap: .4rem 2rem; margin: 1rem 0; }
.projections h3 { margin: .8rem 0 .3rem; font-size: .95rem; font-weight: 600; }
.projection { margin: 0; padding: 0; list-style: none; font-size: .9rem; line-height: 1.5; border-top: 1.5px solid var(--ink); border-bottom: 1.5px solid var(--ink); }
.projection li { display: grid; grid-template-columns: 2rem minmax(5.5rem, 1fr) 4.5rem 3.4rem; gap: .5rem; align-items: center; }
.projection .rank, .projection .share { color: var(--quiet); text-align: right; font-variant-numeric: tabular-nums lining-nums; }
.projection .token { overflow-wrap: anywhere; }
.projection .bar { height: .55rem; background: var(--wash); } .projection .bar i { display: block; height: 100%; background: var(--strong); }
.origin-shared .bar i { background: var(--dense); } .origin-passage .bar i { background: var(--yes); }
@media print { .projection .bar i { print-color-adjust: exact; } }
`;

/** Formats a text. Its marked words are `mark` elements whose class is their kind. */
export const markedHtml = (parts: readonly MarkedText[]): string =>
	parts.map(({text, kind}) => (kind === undefined ? escaped(text) : `<mark class="${kind}">${escaped(text)}</mark>`)).join('');

/**
Formats the question's projection Q and the passage's projection P side by side, as lists of tokens with bars. Both headings end in
`headingEnd`, such as "the first 20 tokens".
*/
export function projectionsHtml({question, passage}: Pick<ProjectedMatch, 'question' | 'passage'>, headingEnd: string): readonly string[] {
	const list = (name: string, tokens: readonly ProjectedToken[]): string => {
		const max = tokens[0]?.probability ?? 1;
		const items = tokens.map(
			({rank, token, probability, origin}) =>
				`<li class="origin-${origin}"><span class="rank">${rank}</span><span class="token">${escaped(token)}</span><span class="bar"><i style="width:${(100 * (probability / max)).toFixed(1)}%"></i></span><span class="share">${share(probability)}</span></li>`,
		);
		return `<div><h3>${escaped(name)}</h3><ol class="projection">${items.join('\n')}</ol></div>`;
	};
	return [
		`<div class="projections">`,
		list(`Question projection Q: ${headingEnd}`, question),
		list(`Passage projection P: ${headingEnd}`, passage),
		'</div>',
	];
}

/**
Formats a probability in percent: without decimals if it is at least 10%, with one decimal if it is at least 0.1%, else with one
significant digit. The limits in the code are slightly lower because 9.95 and 0.095 round up to 10.0 and 0.10.
*/
export function share(probability: number): string {
	const percent = 100 * probability;
	return `${percent >= 9.95 ? percent.toFixed(0) : percent >= 0.095 ? percent.toFixed(1) : percent.toPrecision(1)}%`;
}
