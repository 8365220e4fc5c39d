/** The parts of a report besides its tables and findings. */
import {type Fact, type Reference, fileFact, modelFact, tally} from '../../report/metadata.ts';
import {grouped, listed, many, percent} from '../../../drawing/format.ts';
import {splitWords} from '../../dataset/split.ts';
import type {PhraseFinding} from '../findings.ts';
import type {PhraseStudy} from '../study.ts';

export const title = ({dataset}: PhraseStudy): string => `Dense phrase retrieval and model uncertainty fusion on ${dataset}`;

export function abstract({dataset, corpus, questions, encoder, candidates}: PhraseStudy, found: readonly PhraseFinding[]): string {
	const accuracy = (condition: string): string => percent(candidates.rows.find(row => row.condition === condition)!.values[0]!);
	return (
		`The study of Yang et al. (2023), repeated on ${dataset}: ${many(questions.test, 'test question')} over ${many(corpus.count, 'passage')}, with the encoder ${encoder.name}; ` +
		`models and their temperature were chosen on ${many(questions.development, 'other question')}. Among ${candidates.size} candidates, whole passages have an accuracy of ${accuracy('M0')} %, ` +
		`BM25 of ${accuracy('bm25')} %, and the fusion of ${listed(candidates.selected)} by confidence of ${accuracy('muf')} %. ` +
		tally(found)
	);
}

/** The files and models of a study with their SHA-256. */
export function inputs({corpus, questions, relevance, encoder, questionEncoder}: PhraseStudy): readonly Fact[] {
	const [first, second] = questions.files;
	return [
		fileFact('Corpus', corpus, 'passage'),
		...(second
			? [fileFact('Development questions', first!, 'question'), fileFact('Test questions', second, 'question')]
			: [fileFact('Questions', first!, 'question')]),
		...(relevance.file ? [fileFact('Judgements', relevance.file, 'judged question')] : []),
		modelFact('Encoder', encoder),
		...(questionEncoder ? [modelFact('Encoder of questions', questionEncoder)] : []),
	];
}

const relevances = {
	qrels: 'as judged',
	contexts: 'the passage that the question was written for',
	answers: 'passages with an answer among BM25’s first 100 for the question and its answer; gold is the first of them',
} as const;

export function settingsOf({settings, passagekit, questions, relevance, candidates}: PhraseStudy): readonly Fact[] {
	const {seed, negatives, random, confidenceDepth, confidenceOf, bins, significance, depth} = settings;
	const short = candidates.short === 0 ? '' : `; ${many(candidates.short, 'question')} with fewer`;
	return [
		{what: 'passagekit', value: passagekit},
		{what: 'Relevant passages', value: relevances[relevance.from]},
		...(questions.without > 0
			? [{what: 'Left out', value: `${many(questions.without, 'question')} without a relevant passage in the corpus`}]
			: []),
		{what: 'Development questions', value: splitWords[questions.split]},
		{what: 'Candidates', value: `1 gold, ${negatives} hard negatives of BM25, ${random} at random${short}`},
		{what: 'Scores of a confidence (A_k)', value: `of the ${confidenceDepth} best ${confidenceOf}`},
		{what: 'Bins of the calibration error', value: String(bins)},
		{what: 'Hits among all passages', value: grouped(depth)},
		{what: 'Seed', value: String(seed)},
		{what: 'Significant', value: `p < ${significance}, Bonferroni-corrected`},
	];
}

export const references: readonly Reference[] = [
	{
		text: 'William Yang, Noah Bergam, Arnav Jain and Nima Sheikhoslami (2023). Confidence-Calibrated Ensemble Dense Phrase Retrieval. arXiv:2306.15917.',
		url: 'https://arxiv.org/abs/2306.15917',
	},
	{
		text: 'Jinhyuk Lee, Alexander Wettig and Danqi Chen (2021). Phrase Retrieval Learns Passage Retrieval, Too. EMNLP 2021. arXiv:2109.08133.',
		url: 'https://arxiv.org/abs/2109.08133',
	},
	{
		text: 'Chuan Guo, Geoff Pleiss, Yu Sun and Kilian Q. Weinberger (2017). On Calibration of Modern Neural Networks. ICML 2017. arXiv:1706.04599.',
		url: 'https://arxiv.org/abs/1706.04599',
	},
	{
		text: 'Vladimir Karpukhin, Barlas Oğuz, Sewon Min, Patrick Lewis, Ledell Wu, Sergey Edunov, Danqi Chen and Wen-tau Yih (2020). Dense Passage Retrieval for Open-Domain Question Answering. EMNLP 2020. arXiv:2004.04906.',
		url: 'https://arxiv.org/abs/2004.04906',
	},
];
