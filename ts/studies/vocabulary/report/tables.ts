/**
The tables of the vocabulary study's report, as data: Tables 2 to 4, as in Ram et al. (2023), the values of the figures,
and significance tests. Q is the projection of a question onto the vocabulary, P that of a passage.
*/
import {findComparison} from '../../statistics/comparison.ts';
import {type Cell, type Column, type ReportTable, type Row, cell} from '../../../drawing/table.ts';
import {testsSentence, testsTable} from '../../report/tests-table.ts';
import {withCommas, percent} from '../../../drawing/format.ts';
import type {TokenKind, TokenSet, VocabularyAnalysis} from '../../../vocabulary/index.ts';
import {groupLabel, shownRank} from '../rank-groups.ts';
import {barParts} from './composition-panel.ts';
import {encoderLabel, labelOf, tokenSetLabels} from '../labels.ts';
import {publishedVocabulary} from '../published.ts';
import {type EncoderAnalysis, type VocabularyCondition, type VocabularyRetrievalRow, type VocabularyStudy, rowOf} from '../study.ts';

/** The significance markers of values that are worse or better than the value with enrichment. */
const markers = {worse: '†', better: '‡'} as const;

const decimal = (value: number): string => value.toFixed(1);
const tokenKinds: ReadonlyArray<readonly [kind: TokenKind, heading: string]> = [
	['all', 'All tokens'],
	['content', 'Without stop words and punctuation marks'],
];

/** Table 2: mean reciprocal rank (MRR) in the passage's projection P, for sets of tokens of question and passage. */
export function mrrTable({analyses, baseline}: VocabularyStudy): ReportTable {
	const sets: readonly TokenSet[] = ['shared', 'passage', 'passageOnly', 'question', 'questionOnly'];
	const paper: Readonly<Record<string, Partial<Record<TokenSet, number>>>> = publishedVocabulary.mrr;
	return {
		name: 'Table 2',
		caption:
			'Mean reciprocal rank of tokens, × 100, in the passage’s projection P, by the texts that contain the tokens. ' +
			'The paper’s numbers are for DPR and BERT on Natural Questions; its text does not have all of them.',
		firstHeading: 'Encoder',
		columns: sets.map(set => ({heading: tokenSetLabels[set]})),
		blocks: [
			...tokenKinds.map(([kind, heading]) => ({
				heading,
				rows: analyses.map(({of, analysis}) => ({
					heading: {text: encoderLabel(of, baseline)},
					cells: sets.map(set => ({text: percent(analysis.mrr[kind][set].mrr)})),
				})),
			})),
			{
				heading: 'Ram et al.',
				rows: [
					['DPR', 'encoder'],
					['BERT', 'baseline'],
				].map(([heading, of]) => ({heading: {text: heading!}, cells: sets.map(set => cell(paper[of!]?.[set], decimal))})),
			},
		],
	};
}

/** The values of Figure 3: coverage of shared tokens. */
export function coverageTable({analyses, baseline}: VocabularyStudy): ReportTable {
	const [{analysis}] = analyses as [EncoderAnalysis];
	const {coverage} = publishedVocabulary;
	const row = (name: string, values: readonly number[]): Row => ({
		heading: {text: name},
		cells: values.map(value => ({text: percent(value)})),
	});
	const paperRow = (heading: string, side: 'question' | 'passage', of: keyof typeof coverage): Row => ({
		heading: {text: heading},
		cells: analysis.ks.map(k => cell(coverage[of].find(at => at.k === k)?.[side], decimal)),
	});
	const sides = [
		['question', 'Q'],
		['passage', 'P'],
	] as const;
	return {
		name: 'Values of Figure 3',
		caption:
			'How many of the tokens that question and passage share are among the first k tokens of the question’s projection Q and of the passage’s projection P, in percent. ' +
			`Questions and passages share ${withCommas(analysis.coverage.all.shared)} tokens, ${withCommas(analysis.coverage.content.shared)} of them without stop words and punctuation marks. ` +
			'The paper’s numbers are for DPR and BERT on Natural Questions.',
		firstHeading: 'Encoder',
		columns: kColumns(analysis),
		blocks: [
			...tokenKinds.flatMap(([kind, tokens]) =>
				sides.map(([side, name]) => ({
					heading: `${tokens}, ${name}`,
					rows: analyses.map(({of, analysis}) => row(encoderLabel(of, baseline), analysis.coverage[kind][side])),
				})),
			),
			{
				heading: 'Ram et al.',
				rows: sides.flatMap(([side, name]) => [paperRow(`DPR, ${name}`, side, 'encoder'), paperRow(`BERT, ${name}`, side, 'baseline')]),
			},
		],
	};
}

/** The values of Figure 4: query expansion. */
export function expansionTable({analyses, baseline}: VocabularyStudy): ReportTable {
	const [{analysis}] = analyses as [EncoderAnalysis];
	return {
		name: 'Values of Figure 4',
		caption:
			`Share of ${withCommas(analysis.pairs)} questions, in percent, with a query expansion token among the first k tokens of the question’s projection Q. ` +
			'A query expansion token is in the gold passage, not in the question, and is neither a stop word nor a punctuation mark.',
		firstHeading: 'Encoder',
		columns: kColumns(analysis),
		blocks: [
			{
				rows: analyses.map(({of, analysis}) => ({
					heading: {text: encoderLabel(of, baseline)},
					cells: analysis.expansion.map(value => ({text: percent(value)})),
				})),
			},
		],
	};
}

/** The values of Figure 6: the composition of the first tokens of projections. */
export function compositionTable({analyses, baseline}: VocabularyStudy): ReportTable {
	const sides = [
		['question', 'Q'],
		['passage', 'P'],
	] as const;
	return {
		name: 'Values of Figure 6',
		caption:
			'Composition of the first k tokens of the projections Q of questions and P of passages, in percent: tokens in both texts (shared), in one of them only, or in neither. Content tokens are neither stop words nor punctuation marks. ' +
			`In the paper, the first token of DPR’s Q is shared for ${publishedVocabulary.composition.firstShared}% of questions, and almost ${publishedVocabulary.composition.expansionOfFive}% of the first 5 tokens are query expansion, which in this table is “passage only, content” of Q.`,
		firstHeading: 'First k',
		columns: barParts.map(({name}) => ({heading: name})),
		blocks: analyses.flatMap(({of, analysis}) =>
			sides.map(([side, name]) => ({
				heading: `${encoderLabel(of, baseline)}, ${name}`,
				rows: analysis.composition[side].map(bar => ({
					heading: {text: withCommas(bar.k)},
					cells: barParts.map(({shareOf}) => ({text: percent(shareOf(bar))})),
				})),
			})),
		),
	};
}

/** The values of Figures 5 and 7: token amnesia. */
export function amnesiaTable({analyses, baseline, settings}: VocabularyStudy): ReportTable {
	const statistics = [
		['max', 'passage'],
		['max', 'question'],
		['median', 'passage'],
		['median', 'question'],
	] as const;
	return {
		name: 'Values of Figures 5 and 7',
		caption:
			'Ranks, in the passage’s projection P and in the question’s projection Q, of the tokens that question and passage share, without stop words and punctuation marks. For each question, the worst and the median of these ranks are taken; cells have the median over questions, and quartiles in brackets. ' +
			`Questions are those for which BM25 finds a relevant passage among its first ${settings.sparseDepth} hits. Rows group the questions by the rank of this passage in dense retrieval with the encoder, without enrichment.`,
		firstHeading: 'Rank of the passage',
		columns: [
			{heading: 'questions'},
			...statistics.map(
				([kind, side]): Column => ({group: kind === 'max' ? 'Worst rank' : 'Median rank', heading: side === 'passage' ? 'P' : 'Q'}),
			),
		],
		blocks: analyses.map(({of, amnesia}) => ({
			heading: encoderLabel(of, baseline),
			rows: amnesia.groups.map(group => ({
				heading: {text: groupLabel(group)},
				cells: [
					{text: withCommas(group.questions)},
					...statistics.map(([kind, side]) => {
						const {median, firstQuartile, thirdQuartile} = group[kind][side];
						return {text: `${shownRank(median)} [${shownRank(firstQuartile)}, ${shownRank(thirdQuartile)}]`};
					}),
				],
			})),
		})),
	};
}

/** The rank-sum tests between the groups of Figures 5 and 7. */
export function amnesiaTestsTable({tests, settings}: VocabularyStudy): ReportTable {
	const table = testsTable({name: 'token amnesia', comparisons: tests.amnesia}, settings.significance, group => `rank ${group}`);
	return {
		...table,
		caption:
			'Rank-sum tests (Mann and Whitney, 1947) of the worst rank of a shared token. Each test compares two groups of questions, written A − B. Questions are grouped by the rank that dense retrieval gives to the passage. ' +
			'The difference is the probability that the worst rank of a question in A is worse than that of a question in B, minus one half, in percentage points. ' +
			`p-values are uncorrected and corrected for ${tests.amnesia.length} tests. A difference is significant if its corrected p is below ${settings.significance}. Groups of fewer than ${settings.minGroup} questions are not tested.`,
	};
}

/** Table 3, retrieval with and without lexical enrichment, and below it Table 4, the ablations. */
export function retrievalTable(study: VocabularyStudy): ReportTable {
	const {retrieval, questions, corpus, settings} = study;
	const chosen = rowOf(study, 'enriched')?.tuning?.lambda;
	const {measures, rows, comparisons} = retrieval;
	const row = ({condition, values, tuning}: VocabularyRetrievalRow): Row => ({
		heading: {text: labelOf(condition)},
		cells: [
			cell(tuning?.lambda, lambda => String(Number(lambda.toPrecision(3)))),
			...values.map((value, i): Cell => {
				const test = condition === 'enriched' ? undefined : findComparison(comparisons, 'enriched', condition, measures[i]!);
				const marker = test?.significant ? (test.difference > 0 ? markers.worse : markers.better) : '';
				return {text: percent(value), ...(marker === '' ? {} : {markers: marker})};
			}),
		],
	});
	const rowsOf = (...wanted: readonly VocabularyCondition[]): readonly Row[] =>
		rows.filter(({condition}) => wanted.includes(condition)).map(row);
	const ablations = rowsOf('noIdf', 'static', 'noWhitening', 'noNormalisation');
	return {
		name: ablations.length > 0 ? 'Tables 3 and 4' : 'Table 3',
		caption:
			`Retrieval from all ${withCommas(corpus.count)} passages with and without lexical enrichment (LE), on ${withCommas(questions.test)} test questions, in percent. ` +
			`For each row, λ is the weight with the highest ${retrieval.tunedFor} on ${withCommas(questions.development)} development questions. ` +
			(chosen === 0
				? 'On development questions, λ = 0 is best, which means no enrichment: the row has the encoder’s own vectors, and nothing is tested. '
				: '') +
			(comparisons.length === 0
				? ''
				: `Markers: ${markers.worse} enrichment is significantly better, ${markers.better} enrichment is significantly worse. ${testsSentence(comparisons, settings.significance)}`),
		firstHeading: 'Condition',
		columns: [{heading: 'λ'}, ...measures.map(heading => ({heading}))],
		blocks: [
			{rows: rowsOf('bm25', 'wordpiece', 'dense', 'enriched')},
			...(ablations.length > 0 ? [{heading: 'Ablations of enrichment (Table 4)', rows: ablations}] : []),
		],
	};
}

/** The effectiveness on development questions for each λ that was tried. */
export function lambdaTable({retrieval, settings, questions}: VocabularyStudy): ReportTable {
	const tuned = retrieval.rows.filter(({tuning}) => tuning !== undefined);
	return {
		name: 'λ on development questions',
		caption:
			`${retrieval.tunedFor} in percent on ${withCommas(questions.development)} development questions, by the weight λ of lexical vectors. At λ = 1, the weighted lexical vectors are on average as long as the encoder’s vectors. ` +
			'The best λ is chosen; if several are equally good, it is the smallest.',
		firstHeading: 'λ',
		columns: tuned.map(({condition}) => ({heading: labelOf(condition)})),
		blocks: [
			{
				rows: settings.lambdas.map((lambda, i) => ({
					heading: {text: String(lambda)},
					cells: tuned.map(({tuning}) => cell(tuning!.values[i], percent)),
				})),
			},
		],
	};
}

/** Returns a column for each k, the number of first tokens of a projection. */
const kColumns = ({ks}: VocabularyAnalysis): readonly Column[] => ks.map(k => ({group: 'First k', heading: withCommas(k)}));
