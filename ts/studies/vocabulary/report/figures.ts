/**
Draws Figures 3 to 7 of the vocabulary study's report, which correspond to Figures 3 to 7 of Ram et al. (2023). Each
figure consists of panels. Q is the projection of a question, P that of a passage.
*/
import {withCommas, counted} from '../../../drawing/format.ts';
import {escaped} from '../../../drawing/html.ts';
import type {VocabularyAnalysis} from '../../../vocabulary/index.ts';
import {figureHtml} from '../../report/content.ts';
import {encoderLabel} from '../labels.ts';
import type {VocabularyStudy} from '../study.ts';
import {amnesiaPanel} from './amnesia-panel.ts';
import {barParts, compositionPanel} from './composition-panel.ts';
import {type Curve, curvePanel} from './curve-panel.ts';

/** Returns a panel as HTML: a drawing below its heading. */
const panelHtml = (heading: string, drawing: string): string => `<div><p>${escaped(heading)}</p>\n${drawing}</div>`;

/**
Figures 3 and 4: how many shared tokens are among the first k tokens of a projection, and how many questions have a
query expansion token among the first k tokens of Q.
*/
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
		'Figure 3: how many of the tokens that question and gold passage share are among the first k tokens of the question’s projection Q, and of the passage’s projection P. ' +
			`Figure 4: the share of questions with a query expansion token among the first k tokens of Q; such a token is in the passage, not in the question, and neither a stop word nor a punctuation mark. Both figures are for ${withCommas(analysis.pairs)} questions.`,
	);
}

/** Figure 6: the composition of the first tokens of projections. */
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
	const legend = barParts.map(
		({name}, i) =>
			`<li><svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" class="part-${i}"/></svg>${escaped(name)}</li>`,
	);
	return figureHtml(
		[`<div class="panels">${panels.join('\n')}</div>`, `<ul class="key">${legend.join('')}</ul>`],
		'Figure 6',
		'Composition of the first k tokens of the projections Q of questions and P of passages: tokens in both texts (shared), in one of them only, or in neither. Content tokens are neither stop words nor punctuation marks. The parts of a bar are, from bottom to top, in the order of the legend.',
	);
}

/** Figures 5 and 7: token amnesia. */
export function amnesiaFigure({analyses, head, settings}: VocabularyStudy): readonly string[] {
	const {groups, without: excluded} = analyses.find(({of}) => of === 'encoder')!.amnesia;
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
	const caption =
		`Ranks, in the passage’s projection P and in the question’s projection Q, of the tokens that question and passage share, without stop words and punctuation marks, by the rank of the passage in dense retrieval. Questions are those for which BM25 finds a relevant passage among its first ${settings.sparseDepth} hits. ` +
		`Boxes are quartiles, whiskers the 5th and 95th percentiles.${excluded > 0 ? ` ${counted(excluded, 'question')} without such a token ${excluded === 1 ? 'is' : 'are'} left out.` : ''}`;
	return figureHtml([`<div class="panels">${panels.join('\n')}</div>`], 'Figures 5 and 7', caption);
}
