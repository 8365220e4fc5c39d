/**
Formats the examples as Markdown: the counterparts of Table 1 and Figure 2 of Ram et al. (2023) for the study's data
set. Q is the projection of a question, P that of a passage.
*/
import {escaped} from '../../report/markdown.ts';
import {percent} from '../../../drawing/format.ts';
import type {MarkedText, ProjectedToken} from '../../../vocabulary/index.ts';
import type {VocabularyStudy} from '../study.ts';
import type {ProjectedExample} from './projected-example.ts';
import {figureExamples} from './html.ts';
import {TABLE_TOKENS, captions, exampleSentences} from './words.ts';

export function examplesTableMarkdown({examples, settings}: VocabularyStudy): readonly string[] {
	const {drawn} = examples;
	if (drawn.length === 0) {
		return [];
	}
	const rows = drawn.map(example => `| ${texts(example)} | ${tokens(example.question, false)} | ${tokens(example.passage, false)} |`);
	return [
		['| Question and passage | Question’s projection Q | Passage’s projection P |', '| --- | --- | --- |', ...rows].join('\n'),
		`**Table 1.** ${escaped(captions.table(settings.seed))} ${legend}`,
	];
}

export function examplesFigureMarkdown({examples}: VocabularyStudy): readonly string[] {
	const shown = figureExamples(examples);
	return shown.length === 0
		? []
		: [
				...shown.flatMap(({heading, example}) => [
					`*${escaped(heading)}.* ${texts(example)}`,
					`- Q: ${tokens(example.question, true)}\n- P: ${tokens(example.passage, true)}\n- ${escaped(exampleSentences(example))}`,
				]),
				`**Figure 2.** ${escaped(captions.figure)} ${legend}`,
			];
}

/** Explains the bold, underlined and italic tokens of projections. */
const legend =
	'**Bold** tokens are in both texts, <ins>underlined</ins> tokens in the question only, *italic* tokens in the passage only, and other tokens in neither.';

/** Returns a text without the marks of its words. */
const unmarked = (parts: readonly MarkedText[]): string => escaped(parts.map(({text}) => text).join(''));

function texts({marked, passageId}: ProjectedExample): string {
	const title = marked.title.length === 0 ? '' : `“${unmarked(marked.title)}” · `;
	return `**${unmarked(marked.question)}** ${title}${unmarked(marked.text)} (${escaped(passageId)})`;
}

/**
Formats the tokens of a projection. If `all` is set, as for the figure, each token has its probability; otherwise, as
for the table, the first `TABLE_TOKENS` tokens are formatted without probabilities.
*/
function tokens(projection: readonly ProjectedToken[], all: boolean): string {
	return projection
		.slice(0, all ? projection.length : TABLE_TOKENS)
		.map(({token, origin, probability}) => `${styled(escaped(token), origin)}${all ? ` ${percent(probability)}%` : ''}`)
		.join(', ');
}

/** Makes a token bold, underlined or italic by its origin: the texts that contain it. */
function styled(token: string, origin: ProjectedToken['origin']): string {
	switch (origin) {
		case 'shared': {
			return `**${token}**`;
		}
		case 'question': {
			return `<ins>${token}</ins>`;
		}
		case 'passage': {
			return `*${token}*`;
		}
		case 'other': {
			return token;
		}
	}
}
