/** Formats explanations of matches as an HTML page. */
import {checkArray, checkObject, checkString, checkStrings} from '../../core/checks.ts';
import {type OptionNames, checkOptions, optionNames} from '../../core/options.ts';
import {escaped, tableHtml} from '../../drawing/html.ts';
import {page} from '../../drawing/page.ts';
import {listed, counted} from '../../drawing/format.ts';
import type {MatchExplanation, ProjectedMatch} from './explain-match.ts';
import {bm25Table, expansionTable, sharedTable} from './explanation-tables.ts';
import {markedHtml, projectionStyle, projectionsHtml} from './projections-html.ts';

/** Options of `explanationHtml`. */
export interface ExplanationPageOptions {
	/** One heading for each explanation, such as "First hit of dense retrieval". @default "Passage" and the passage's id */
	readonly headings?: readonly string[] | undefined;
	/** The version of passagekit that the line below the title names. @default none */
	readonly passagekit?: string | undefined;
}

const pageOptions: OptionNames = optionNames<ExplanationPageOptions>({headings: true, passagekit: true});

/**
Formats explanations of one question and its passages as a self-contained HTML page, modeled on Figure 2 of Ram et al. (2023). It
shows the texts with their shared, forgotten and expansion tokens, both projections side by side, tables of ranks, and BM25's
contributions. The output is deterministic.

@example
```
await writeFile('explanation.html', explanationHtml([await explainMatch(question, passage, explainers)]));
```
*/
export function explanationHtml(explanations: readonly MatchExplanation[], options: ExplanationPageOptions = {}): string {
	checkArray('explanations', explanations, 'a result of explainMatch()');
	explanations.forEach((explanation, i) => {
		checkObject(`explanations[${i}]`, explanation, 'a result of explainMatch()');
		checkObject(`explanations[${i}]: dense`, explanation.dense, 'a result of explainMatch()');
	});
	checkOptions('explanationHtml', options, pageOptions);
	const {headings, passagekit} = options;
	if (headings !== undefined) {
		checkStrings('headings', headings);
	}
	if (passagekit !== undefined) {
		checkString('passagekit', passagekit);
	}
	const question = explanations[0]?.question ?? '';
	return page({
		title: question,
		byline: `explained as in <a href="https://arxiv.org/abs/2212.10380">Ram et al. (2023)</a>${passagekit === undefined ? '' : `, with passagekit ${escaped(passagekit)}`}`,
		abstract:
			'An encoder turns a question or a passage into a vector. The masked-language-model head of the model that the encoder was initialized from gives every token of the vocabulary a probability for this vector. The tokens with high probabilities are what the vector stands for.',
		style,
		body: [
			legend,
			...explanations.flatMap((explanation, i) => section(explanation, headings?.[i] ?? `Passage ${explanation.passage.id}`, i)),
		],
	});
}

/** CSS rules that are added to those of all reports. */
const style = `
.legend { margin: 0 0 2rem; padding: .5rem .9rem; background: var(--wash); font-size: .93rem; color: var(--quiet); }
.text { max-width: 42rem; }
${projectionStyle}.reasons { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(21rem, 100%), 1fr)); gap: 0 2rem; }
.reasons > div { min-width: 0; } .reasons .scroll { margin: 1rem 0; } .reasons table { font-size: .88rem; }
.reasons td, .reasons thead th[scope=col]:not(:first-child) { padding-right: .7rem; }
`;

const legend = `<p class="legend">Marks in the texts: words that question and passage <mark class="shared">share</mark>; shared words that the passage’s vector has <mark class="forgotten">forgotten</mark>, because it gives them a low rank; words that are only in the passage but have high ranks for the question’s vector (<mark class="expansion">query expansion</mark>). Colors of tokens: blue if they are in both texts, green if only in the passage, the text color if only in the question, gray if in neither.</p>`;

function section(explanation: MatchExplanation, heading: string, index: number): readonly string[] {
	const {passage, marked, dense, enriched, bm25, k} = explanation;
	const title = marked.title.length === 0 ? '' : `<b>${markedHtml(marked.title)}</b> · `;
	return [
		`<h2>${escaped(heading)}</h2>`,
		`<p class="text">${markedHtml(marked.question)}</p>`,
		`<p class="text">${title}${markedHtml(marked.text)} <code>${escaped(passage.id)}</code></p>`,
		`<p>${escaped(summary(explanation))}</p>`,
		...projectionsHtml(dense, `the first ${k} tokens`),
		...(enriched ? projectionsHtml(enriched, `enriched, λ = ${Number(enriched.lambda.toPrecision(3))}`) : []),
		'<div class="reasons">',
		'<div>',
		tableHtml(named(sharedTable(explanation), index)),
		tableHtml(named(expansionTable(explanation), index)),
		'</div>',
		...(bm25 ? ['<div>', tableHtml(named(bm25Table({bm25}), index)), '</div>'] : []),
		'</div>',
	];
}

/** Appends a number to the names of tables, except in the first explanation, because region names must be unique on a page. */
const named = <T extends {readonly name: string}>(table: T, index: number): T =>
	index === 0 ? table : {...table, name: `${table.name} (${index + 1})`};

/** Summarizes an explanation in words: how many tokens are shared, which ones are forgotten or added, and the scores. */
export function summary({dense, enriched, bm25, forgottenAfter}: MatchExplanation): string {
	const {shared, forgotten, expansion} = dense;
	const tokens = (ranked: ProjectedMatch['shared']): string => listed(ranked.map(({token}) => `“${token}”`));
	const sentences = [
		shared.length === 0
			? 'Question and passage share no words except stop words.'
			: `Question and passage share ${counted(shared.length, 'token')}; ${
					forgotten.length === 0
						? `the passage’s vector ranks all of them among its first ${forgottenAfter} tokens.`
						: `the passage’s vector gives ${tokens(forgotten)} a rank worse than ${forgottenAfter}.`
				}`,
		expansion.length === 0 ? '' : `The question’s vector adds ${tokens(expansion)}.`,
		`Similarity ${dense.similarity.toFixed(3)}${enriched ? `, enriched ${enriched.similarity.toFixed(3)}` : ''}${bm25 ? `; BM25 ${bm25.score.toFixed(2)}` : ''}.`,
	];
	return sentences.filter(sentence => sentence !== '').join(' ');
}
