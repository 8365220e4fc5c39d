/** Table 1 and Figure 2 as Markdown. */
import {escaped} from '../../report/markdown.ts';
import {percent} from '../../../drawing/format.ts';
import type {MarkedText, ProjectedToken} from '../../../vocabulary/index.ts';
import type {VocabularyStudy} from '../study.ts';
import type {ProjectedExample} from './projected-example.ts';
import {figureExamples} from './html.ts';
import {TABLE_TOKENS, captions, figureWords} from './words.ts';

export function examplesTableMarkdown({examples, settings}: VocabularyStudy): readonly string[] {
	const {drawn} = examples;
	if (drawn.length === 0) {
		return [];
	}
	const rows = drawn.map(example => `| ${texts(example)} | ${tokens(example.question, false)} | ${tokens(example.passage, false)} |`);
	return [
		['| Question and passage | Question’s projection Q | Passage’s projection P |', '| --- | --- | --- |', ...rows].join('\n'),
		`**Table 1.** ${escaped(captions.table(settings.seed))} ${key}`,
	];
}

export function examplesFigureMarkdown({examples}: VocabularyStudy): readonly string[] {
	const shown = figureExamples(examples);
	return shown.length === 0
		? []
		: [
				...shown.flatMap(({heading, example}) => [
					`*${escaped(heading)}.* ${texts(example)}`,
					`- Q: ${tokens(example.question, true)}\n- P: ${tokens(example.passage, true)}\n- ${escaped(figureWords(example))}`,
				]),
				`**Figure 2.** ${escaped(captions.figure)} ${key}`,
			];
}

const key = 'Tokens in **bold** are in both texts, <ins>underlined</ins> ones in the question alone, *italic* ones in the passage alone.';

const plain = (parts: readonly MarkedText[]): string => escaped(parts.map(({text}) => text).join(''));

function texts({marked, passageId}: ProjectedExample): string {
	const title = marked.title.length === 0 ? '' : `“${plain(marked.title)}” · `;
	return `**${plain(marked.question)}** ${title}${plain(marked.text)} (${escaped(passageId)})`;
}

function tokens(of: readonly ProjectedToken[], all: boolean): string {
	return of
		.slice(0, all ? of.length : TABLE_TOKENS)
		.map(({token, origin, probability}) => `${marked(escaped(token), origin)}${all ? ` ${percent(probability)} %` : ''}`)
		.join(', ');
}

function marked(token: string, origin: ProjectedToken['origin']): string {
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
