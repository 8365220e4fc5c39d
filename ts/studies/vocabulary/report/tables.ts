/** The tables of the report: Tables 2 to 4 of Ram et al. (2023), and the values of its figures. */
import {findComparison} from '../../statistics/comparison.ts';
import {type Cell, type Column, type ReportTable, type Row, cell} from '../../../drawing/table.ts';
import {testsSentence, testsTable} from '../../report/tests-table.ts';
import {grouped, percent} from '../../../drawing/format.ts';
import type {TokenKind, TokenSet, VocabularyAnalysis} from '../../../vocabulary/index.ts';
import {groupLabel, shownRank} from '../rank-groups.ts';
import {barParts} from './composition-panel.ts';
import {encoderLabel, labelOf, tokenSetLabels} from '../labels.ts';
import {publishedVocabulary} from '../published.ts';
import {type EncoderAnalysis, type VocabularyCondition, type VocabularyRetrievalRow, type VocabularyStudy, rowOf} from '../study.ts';

/** The significance markers beside a value, by its comparison with enrichment. */
const markers = {worse: '†', better: '‡'} as const;

const decimal = (value: number): string => value.toFixed(1);
const kindsOfTokens: ReadonlyArray<readonly [kind: TokenKind, words: string]> = [
	['all', 'All tokens'],
	['content', 'Without stop words and punctuation marks'],
];

/** Table 2: token-level MRR in P. */
export function mrrTable({analyses, baseline}: VocabularyStudy): ReportTable {
	const sets: readonly TokenSet[] = ['shared', 'passage', 'passageOnly', 'question', 'questionOnly'];
	const paper: Readonly<Record<string, Partial<Record<TokenSet, number>>>> = publishedVocabulary.mrr;
	return {
		name: 'Table 2',
		caption:
			'Token-level mean reciprocal rank, × 100, in the passage’s projection P of tokens of question and passage. The paper’s numbers are of DPR and BERT on Natural Questions, as far as its text has them.',
		stub: 'Encoder',
		columns: sets.map(set => ({heading: tokenSetLabels[set]})),
		blocks: [
			...kindsOfTokens.map(([kind, heading]) => ({
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

/** Figure 3 as a table. */
export function coverageTable({analyses, baseline}: VocabularyStudy): ReportTable {
	const [{analysis}] = analyses as [EncoderAnalysis];
	const {coverage} = publishedVocabulary;
	const row = (name: string, values: readonly number[]): Row => ({
		heading: {text: name},
		cells: values.map(value => ({text: percent(value)})),
	});
	const theirs = (heading: string, side: 'question' | 'passage', of: keyof typeof coverage): Row => ({
		heading: {text: heading},
		cells: analysis.ks.map(k => cell(coverage[of].find(at => at.k === k)?.[side], decimal)),
	});
	const sides = [
		['question', 'Q'],
		['passage', 'P'],
	] as const;
	return {
		name: 'Values of Figure 3',
		caption: `Share of tokens that question and passage have in common, in per cent, among the first k of the question’s projection Q and the passage’s P: of ${grouped(analysis.coverage.all.shared)} tokens, and of ${grouped(analysis.coverage.content.shared)} without stop words and punctuation marks. The paper’s numbers are of DPR and BERT on Natural Questions.`,
		stub: 'Encoder',
		columns: ranks(analysis),
		blocks: [
			...kindsOfTokens.flatMap(([kind, words]) =>
				sides.map(([side, name]) => ({
					heading: `${words}, ${name}`,
					rows: analyses.map(({of, analysis}) => row(encoderLabel(of, baseline), analysis.coverage[kind][side])),
				})),
			),
			{
				heading: 'Ram et al.',
				rows: sides.flatMap(([side, name]) => [theirs(`DPR, ${name}`, side, 'encoder'), theirs(`BERT, ${name}`, side, 'baseline')]),
			},
		],
	};
}

/** Figure 4 as a table. */
export function expansionTable({analyses, baseline}: VocabularyStudy): ReportTable {
	const [{analysis}] = analyses as [EncoderAnalysis];
	return {
		name: 'Values of Figure 4',
		caption: `Share of ${grouped(analysis.pairs)} questions, in per cent, with a query expansion token among the first k of Q: of the gold passage, not of the question, no stop word or punctuation mark.`,
		stub: 'Encoder',
		columns: ranks(analysis),
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

/** Figure 6 as a table. */
export function compositionTable({analyses, baseline}: VocabularyStudy): ReportTable {
	const sides = [
		['question', 'Q'],
		['passage', 'P'],
	] as const;
	return {
		name: 'Values of Figure 6',
		caption: `What the first k tokens of projections are, in per cent. In the paper the first token of DPR’s Q is shared for ${publishedVocabulary.composition.firstShared} % of questions, and of the first 5 almost ${publishedVocabulary.composition.expansionOfFive} % are query expansion, which here is “passage alone, content” of Q.`,
		stub: 'First k',
		columns: barParts.map(({name}) => ({heading: name})),
		blocks: analyses.flatMap(({of, analysis}) =>
			sides.map(([side, name]) => ({
				heading: `${encoderLabel(of, baseline)}, ${name}`,
				rows: analysis.composition[side].map(bar => ({
					heading: {text: grouped(bar.k)},
					cells: barParts.map(({shareOf}) => ({text: percent(shareOf(bar))})),
				})),
			})),
		),
	};
}

/** Figures 5 and 7 as a table. */
export function amnesiaTable({analyses, baseline, settings}: VocabularyStudy): ReportTable {
	const four = [
		['max', 'passage'],
		['max', 'question'],
		['median', 'passage'],
		['median', 'question'],
	] as const;
	return {
		name: 'Values of Figures 5 and 7',
		caption: `Ranks of tokens that question and passage share, without stop words and punctuation marks: the worst and the median of each question; of these the median, and quartiles in brackets. Questions are those that BM25 answers among its first ${settings.sparseDepth}; rows are by the rank that dense retrieval by the encoder gives that passage.`,
		stub: 'Rank of the passage',
		columns: [
			{heading: 'questions'},
			...four.map(
				([kind, side]): Column => ({group: kind === 'max' ? 'Worst rank' : 'Median rank', heading: side === 'passage' ? 'P' : 'Q'}),
			),
		],
		blocks: analyses.map(({of, amnesia}) => ({
			heading: encoderLabel(of, baseline),
			rows: amnesia.groups.map(group => ({
				heading: {text: groupLabel(group)},
				cells: [
					{text: grouped(group.questions)},
					...four.map(([kind, side]) => {
						const {median, firstQuartile, thirdQuartile} = group[kind][side];
						return {text: `${shownRank(median)} [${shownRank(firstQuartile)}, ${shownRank(thirdQuartile)}]`};
					}),
				],
			})),
		})),
	};
}

/** Rank-sum tests of the groups of Figures 5 and 7. */
export function amnesiaTestsTable({tests, settings}: VocabularyStudy): ReportTable {
	const table = testsTable({name: 'token amnesia', comparisons: tests.amnesia}, settings.significance, comparison => `rank ${comparison}`);
	return {
		...table,
		caption: `Rank-sum tests (Mann and Whitney, 1947) of the worst rank of a shared token, by the rank of the passage. A difference is the probability that the worst rank in the first group is worse than in the second, less one half, in points. p as tested, and corrected for ${tests.amnesia.length} tests; significant is a corrected p below ${settings.significance}. Groups of fewer than ${settings.minGroup} questions are not tested.`,
	};
}

/** Table 3: retrieval with and without enrichment; and Table 4, the ablations, below it. */
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
	const ofConditions = (...wanted: readonly VocabularyCondition[]): readonly Row[] =>
		rows.filter(({condition}) => wanted.includes(condition)).map(row);
	const ablations = ofConditions('noIdf', 'static', 'noWhitening', 'noNormalisation');
	return {
		name: ablations.length > 0 ? 'Tables 3 and 4' : 'Table 3',
		caption:
			`Retrieval from all ${grouped(corpus.count)} passages with and without lexical enrichment (LE), on ${grouped(questions.test)} test questions, in per cent; λ was chosen for ${retrieval.tunedFor} on ${grouped(questions.development)} development questions, for each row. ` +
			(chosen === 0
				? 'Development questions chose λ = 0, which is no enrichment: the row has the encoder’s own vectors, and nothing is tested. '
				: '') +
			(comparisons.length === 0
				? ''
				: `${markers.worse} enrichment is significantly better, ${markers.better} significantly better than enrichment. ${testsSentence(comparisons, settings.significance)}`),
		stub: 'Condition',
		columns: [{heading: 'λ'}, ...measures.map(heading => ({heading}))],
		blocks: [
			{rows: ofConditions('bm25', 'wordpiece', 'dense', 'enriched')},
			...(ablations.length > 0 ? [{heading: 'Enrichment with a change (Table 4)', rows: ablations}] : []),
		],
	};
}

/** What each λ was worth on development questions. */
export function lambdaTable({retrieval, settings, questions}: VocabularyStudy): ReportTable {
	const tuned = retrieval.rows.filter(({tuning}) => tuning !== undefined);
	return {
		name: 'λ on development questions',
		caption: `${retrieval.tunedFor} in per cent on ${grouped(questions.development)} development questions, by the weight λ of lexical vectors, in units that make them as long as the encoder’s; the best, of equal ones the smallest, is taken.`,
		stub: 'λ',
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

const ranks = ({ks}: VocabularyAnalysis): readonly Column[] => ks.map(k => ({group: 'First k', heading: grouped(k)}));
