/**
Formats the examples as HTML: the counterparts of Table 1 and Figure 2 of Ram et al. (2023) for the study's data set.
*/
import {escaped} from '../../../drawing/html.ts';
import {withCommas} from '../../../drawing/format.ts';
import type {ProjectedToken} from '../../../vocabulary/index.ts';
import {markedHtml, projectionStyle, projectionsHtml} from '../../../vocabulary/explanation/projections-html.ts';
import type {VocabularyStudy} from '../study.ts';
import type {ProjectedExample, VocabularyExamples} from './projected-example.ts';
import {TABLE_TOKENS, captions, exampleSentences} from './words.ts';

/** CSS rules for Table 1 and Figure 2. */
export const exampleStyle = `${projectionStyle}
table.examples { table-layout: fixed; } table.examples thead th:not(:first-child) { width: 25%; }
table.examples th { white-space: normal; vertical-align: top; padding-right: 1.4rem; }
table.examples th p { margin: 0 0 .3rem; } table.examples th .passage { color: var(--quiet); font-size: .86rem; line-height: 1.4; font-weight: 400; }
table.examples td { white-space: normal; vertical-align: top; text-align: left; line-height: 1.5; }
table.examples thead th[scope=col]:not(:first-child) { text-align: left; }
.examples .origin-question .token { text-decoration: underline; text-underline-offset: .2em; } .examples .origin-passage .token { font-style: italic; font-weight: 400; }
.example { margin: 1.6rem 0; } .example h3 { margin: 0 0 .4rem; font-size: 1rem; font-weight: 600; } .example p { margin: .4rem 0; }
`;

export function examplesTableHtml({examples, settings}: VocabularyStudy): readonly string[] {
	const {drawn} = examples;
	if (drawn.length === 0) {
		return [];
	}
	return [
		'<div class="scroll" role="region" tabindex="0" aria-label="Table 1">',
		'<table class="examples">',
		`<caption><b>Table 1.</b> ${escaped(captions.table(settings.seed))} <b>Bold</b> tokens are in both texts, <u>underlined</u> tokens in the question only, <i>italic</i> tokens in the passage only, and other tokens in neither. ${textLegend}</caption>`,
		'<thead><tr><th scope="col">Question and passage</th><th scope="col">Question’s projection Q</th><th scope="col">Passage’s projection P</th></tr></thead>',
		'<tbody>',
		...drawn.map(
			example =>
				`<tr><th scope="row">${textsHtml(example)}</th><td>${tokensHtml(example.question)}</td><td>${tokensHtml(example.passage)}</td></tr>`,
		),
		'</tbody>',
		'</table>',
		'</div>',
	];
}

export function examplesFigureHtml({examples}: VocabularyStudy): readonly string[] {
	const shown = figureExamples(examples);
	if (shown.length === 0) {
		return [];
	}
	return [
		'<figure>',
		...shown.map(({heading, example}) =>
			[
				'<div class="example">',
				`<h3>${escaped(heading)}</h3>`,
				textsHtml(example),
				...projectionsHtml(example, `the first ${example.question.length} tokens`),
				`<p>${escaped(exampleSentences(example))}</p>`,
				'</div>',
			].join('\n'),
		),
		`<figcaption><b>Figure 2.</b> ${escaped(captions.figure)} ${textLegend}</figcaption>`,
		'</figure>',
	];
}

/** Explains the marks of words in the texts of questions and passages. */
const textLegend =
	'Marked words in the texts are <mark class="shared">shared</mark> by question and passage, <mark class="forgotten">forgotten</mark> (shared, but with a rank worse than 100 in the passage’s projection), or <mark class="expansion">expansion</mark> (only in the passage, but among the first tokens of the question’s projection).';

/** Returns the examples of Figure 2, at most two, with their headings. */
export function figureExamples({found, missed}: VocabularyExamples): ReadonlyArray<{heading: string; example: ProjectedExample}> {
	return [
		...(found === null ? [] : [{heading: 'BM25 and dense retrieval find the passage', example: found}]),
		...(missed === null ? [] : [{heading: 'BM25 finds the passage, dense retrieval misses it', example: missed}]),
	];
}

function textsHtml({marked, passageId}: ProjectedExample): string {
	const title = marked.title.length === 0 ? '' : `<b>${markedHtml(marked.title)}</b> · `;
	return `<p>${markedHtml(marked.question)}</p><p class="passage">${title}${markedHtml(marked.text)} <code>${escaped(passageId)}</code></p>`;
}

const tokensHtml = (tokens: readonly ProjectedToken[]): string =>
	tokens
		.slice(0, TABLE_TOKENS)
		.map(
			({token, rank, origin}) =>
				`<span class="origin-${origin}" title="rank ${withCommas(rank)}"><span class="token">${escaped(token)}</span></span>`,
		)
		.join(', ');
