/** The figures of the report, from panels. */
import {grouped} from '../../../drawing/format.ts';
import {escaped} from '../../../drawing/html.ts';
import type {VocabularyAnalysis} from '../../../vocabulary/index.ts';
import {figureHtml} from '../../report/content.ts';
import {encoderLabel} from '../labels.ts';
import type {VocabularyStudy} from '../study.ts';
import {amnesiaPanel} from './amnesia-panel.ts';
import {barParts, compositionPanel} from './composition-panel.ts';
import {type Curve, curvePanel} from './curve-panel.ts';

const panelHtml = (heading: string, drawing: string): string => `<div><p>${escaped(heading)}</p>\n${drawing}</div>`;

/** Figures 3 and 4: coverage of shared tokens, and query expansion. */
export function coverageFigure({analyses, baseline}: VocabularyStudy): readonly string[] {
	const [{analysis}] = analyses as [(typeof analyses)[number]];
	const panel = (id: string, heading: string, valuesOf: (analysis: VocabularyAnalysis) => readonly number[]): string => {
		const curves = analyses.map(({of, analysis}): Curve => ({name: encoderLabel(of, baseline), style: of, values: valuesOf(analysis)}));
		return panelHtml(heading, curvePanel(id, heading, analysis.ks, curves));
	};
	return figureHtml(
		[
			'<div class="panels">',
			panel('coverage-question', 'Shared tokens in Q', ({coverage}) => coverage.all.question),
			panel('coverage-passage', 'Shared tokens in P', ({coverage}) => coverage.all.passage),
			panel('expansion', 'Questions with query expansion in Q', ({expansion}) => expansion),
			'</div>',
		],
		'Figures 3 and 4',
		`The share of tokens that question and gold passage have in common among the first k of the question’s projection Q, and of the passage’s projection P (Figure 3); and the share of questions with a token of the passage among the first k of Q that the question does not have (Figure 4). ${grouped(analysis.pairs)} questions.`,
	);
}

/** Figure 6: what the first tokens of projections are. */
export function compositionFigure({analyses, baseline}: VocabularyStudy): readonly string[] {
	const sides = [
		['question', 'Q'],
		['passage', 'P'],
	] as const;
	const panels = analyses
		.filter(({of}) => of !== 'enriched')
		.flatMap(({of, analysis}) =>
			sides.map(([side, projection]) => {
				const heading = `${encoderLabel(of, baseline)}, ${projection}`;
				return panelHtml(heading, compositionPanel(`composition-${of}-${side}`, heading, analysis.composition[side]));
			}),
		);
	const key = barParts.map(
		({name}, i) =>
			`<li><svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" class="part-${i}"/></svg>${escaped(name)}</li>`,
	);
	return figureHtml(
		[`<div class="panels">${panels.join('\n')}</div>`, `<ul class="key">${key.join('')}</ul>`],
		'Figure 6',
		'What the first k tokens of projections are, from the bottom up in the order of the key.',
	);
}

/** Figures 5 and 7: token amnesia. */
export function amnesiaFigure({analyses, head, settings}: VocabularyStudy): readonly string[] {
	const {groups, without} = analyses.find(({of}) => of === 'encoder')!.amnesia;
	const panels = (
		[
			['max', 'passage', 'Worst rank in P'],
			['max', 'question', 'Worst rank in Q'],
			['median', 'passage', 'Median rank in P'],
			['median', 'question', 'Median rank in Q'],
		] as const
	).map(([statistic, side, heading]) =>
		panelHtml(
			heading,
			amnesiaPanel(`amnesia-${statistic}-${side}`, heading, groups, group => group[statistic][side], head.vocabulary),
		),
	);
	const caption = `Ranks of tokens that question and passage share, without stop words and punctuation marks, of questions that BM25 answers among its first ${settings.sparseDepth}, by the rank that dense retrieval gives the same passage. Boxes are quartiles, whiskers the 5th and the 95th percentile.${without > 0 ? ` ${grouped(without)} questions share no such token with the passage.` : ''}`;
	return figureHtml([`<div class="panels">${panels.join('\n')}</div>`], 'Figures 5 and 7', caption);
}
