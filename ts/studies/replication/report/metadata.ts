/** What a report says of a study besides its tables. */
import {type Fact, type Reference, fileFact, modelFact, tally} from '../../report/metadata.ts';
import {grouped, many, percent} from '../../../drawing/format.ts';
import type {Finding} from '../findings/findings.ts';
import {weightSymbol} from '../labels.ts';
import type {Study} from '../study.ts';

export const title = ({dataset}: Study): string => `Dense Passage Retriever, replicated on ${dataset}`;

export function abstract({dataset, corpus, questions, models, reading}: Study, found: readonly Finding[]): string {
	const readers = reading && models.reader ? ` and the reader ${models.reader.name}` : '';
	return (
		`The study of Ma et al. (2021), repeated on ${dataset}: ${many(questions.test.count, 'test question')} over ${many(corpus.count, 'passage')}, ` +
		`with the encoder ${models.encoder.name}${readers}; weights were tuned on ${many(questions.development.count, 'other question')}. ` +
		tally(found)
	);
}

/** What a study was made of: files and models with their SHA-256. */
export function inputs({corpus, questions, models, reading}: Study): readonly Fact[] {
	return [
		fileFact('Corpus', corpus, 'passage'),
		fileFact('Development questions', questions.development, 'question'),
		fileFact('Test questions', questions.test, 'question'),
		modelFact('Encoder', models.encoder),
		...(models.questionEncoder ? [modelFact('Encoder of questions', models.questionEncoder)] : []),
		...(reading && models.reader ? [modelFact('Reader', models.reader)] : []),
	];
}

export function settingsOf({settings, passagekit, reading}: Study): readonly Fact[] {
	const {depth, dprDepth, significance, tunedFor, passagesRead, spansPerPassage, maxAnswerTokens, merge, bm25} = settings;
	return [
		{what: 'passagekit', value: passagekit},
		{what: 'BM25', value: `k1 = ${bm25.k1}, b = ${bm25.b}`},
		{what: 'Hits fused of each list (k′)', value: `up to ${grouped(depth)}; up to ${grouped(dprDepth)} for Hybrid-orig`},
		{what: 'Weights tuned for', value: `top-${tunedFor} accuracy`},
		{what: 'Significant', value: `p < ${significance}, Bonferroni-corrected`},
		...(reading
			? [
					{what: 'Passages read', value: `up to ${grouped(passagesRead)} per question`},
					{what: 'Spans of a passage (m)', value: `up to ${spansPerPassage}`},
					{what: 'Tokens of an answer', value: `up to ${maxAnswerTokens}`},
					{what: 'Equal answers', value: merge === 'text' ? 'the same text' : 'the same text after SQuAD’s normalization'},
				]
			: []),
	];
}

/** A hybrid's accuracy on development questions by its weight. */
export interface TuningCurve {
	readonly condition: Study['retrieval']['rows'][number]['condition'];
	readonly symbol: string;
	readonly points: ReadonlyArray<{readonly weight: number; readonly accuracy: number}>;
	readonly best: {readonly weight: number; readonly accuracy: number};
}

/** Of those that were tuned: the point of the weight chosen, or else the highest. */
export function tuningCurves({retrieval}: Study): readonly TuningCurve[] {
	return retrieval.rows.flatMap(({condition, weight, tuning = []}) => {
		if (tuning.length === 0) {
			return [];
		}
		const highest = tuning.reduce((a, b) => (b.accuracy > a.accuracy ? b : a));
		const best = tuning.find(point => point.weight === weight) ?? highest;
		return [{condition, symbol: weightSymbol(condition), points: tuning, best}];
	});
}

/** A weight in as many digits as tell the values of a grid apart. */
export const shownWeight = (weight: number): string => String(Number(weight.toPrecision(4)));

/** Of Figure 1, in both reports. */
export const figure1Caption =
	'End-to-end effectiveness by the number of passages read. Each curve has one pair of weights β and γ at all k: the one that development questions chose together with a number of passages (table “Chosen for reading”). Ma et al. (2021) do not say at which k theirs were chosen.';

export function tuningSentence({symbol, points, best}: TuningCurve, {settings}: Study): string {
	const weights = points.map(({weight}) => weight);
	return `${symbol} = ${shownWeight(best.weight)}, with ${percent(best.accuracy)} % at top-${settings.tunedFor}, of ${points.length} weights from ${shownWeight(Math.min(...weights))} to ${shownWeight(Math.max(...weights))}`;
}

export const references: readonly Reference[] = [
	{
		text: 'Xueguang Ma, Kai Sun, Ronak Pradeep and Jimmy Lin (2021). A Replication Study of Dense Passage Retriever. arXiv:2104.05740.',
		url: 'https://arxiv.org/abs/2104.05740',
	},
	{
		text: 'Vladimir Karpukhin, Barlas Oğuz, Sewon Min, Patrick Lewis, Ledell Wu, Sergey Edunov, Danqi Chen and Wen-tau Yih (2020). Dense Passage Retrieval for Open-Domain Question Answering. EMNLP 2020. arXiv:2004.04906.',
		url: 'https://arxiv.org/abs/2004.04906',
	},
	{
		text: 'Yuning Mao, Pengcheng He, Xiaodong Liu, Yelong Shen, Jianfeng Gao, Jiawei Han and Weizhu Chen (2020). Generation-Augmented Retrieval for Open-Domain Question Answering. arXiv:2009.08553.',
		url: 'https://arxiv.org/abs/2009.08553',
	},
];
