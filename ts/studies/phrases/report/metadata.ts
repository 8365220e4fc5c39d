/** The title, abstract, inputs, settings and references of the phrase study's report. */
import {withCommas, listed, counted, percent} from '../../../drawing/format.ts';
import {splitLabels} from '../../dataset/split.ts';
import {
	type MetadataEntry,
	type Reference,
	dprReference,
	encoderEntries,
	fileEntry,
	questionEntries,
	significanceEntry,
} from '../../report/metadata.ts';
import {lengthLabel} from '../labels.ts';
import type {PhraseStudy} from '../study.ts';

export const title = ({dataset}: PhraseStudy): string => `Dense phrase retrieval and model uncertainty fusion on ${dataset}`;

export function abstract({dataset, corpus, questions, encoder, models, candidates}: PhraseStudy): string {
	const modelNames = models.map(({name, length}) => `${name} (${lengthLabel(length)})`);
	const accuracy = (condition: string): string => percent(candidates.rows.find(row => row.condition === condition)!.values[0]!);
	return (
		`The study of Yang et al. (2023), repeated on ${dataset}: ${counted(questions.test, 'test question')} over ${counted(corpus.count, 'passage')}, with the encoder ${encoder.name}. ` +
		`A model is an index of phrases of one length: ${listed(modelNames)}. ` +
		`The models that are fused and their temperature were chosen on ${counted(questions.development, 'other question')}. Among ${candidates.size} candidates per question, whole passages reach an accuracy of ${accuracy('M0')}%, ` +
		`BM25 reaches ${accuracy('bm25')}%, and the fusion of ${listed(candidates.selected)} by confidence (MUF, model uncertainty fusion) reaches ${accuracy('muf')}%.`
	);
}

export function inputs({corpus, questions, relevance, encoder, questionEncoder}: PhraseStudy): readonly MetadataEntry[] {
	return [
		fileEntry('Corpus', corpus, 'passage'),
		...questionEntries(questions.files),
		...(relevance.file ? [fileEntry('Judgments', relevance.file, 'judged question')] : []),
		...encoderEntries(encoder, questionEncoder),
	];
}

/** Descriptions of how relevant passages are determined. */
const relevanceLabels = {
	qrels: 'as given by the relevance judgments',
	contexts: 'the passage that the question was written for',
	answers: 'passages with an answer among BM25’s first 100 hits for the question and its first answer; the first of them is gold',
} as const;

export function settings({settings, passagekit, questions, relevance, candidates}: PhraseStudy): readonly MetadataEntry[] {
	const {seed, negatives, random, confidenceDepth, confidenceOf, bins, significance, depth} = settings;
	const exception = candidates.short === 0 ? '' : `; fewer for ${counted(candidates.short, 'question')}`;
	return [
		{label: 'passagekit', value: passagekit},
		{label: 'Relevant passages', value: relevanceLabels[relevance.from]},
		...(settings.answers === 'pattern' ? [{label: 'Accepted answers', value: 'regular expressions'}] : []),
		...(questions.without > 0
			? [{label: 'Questions left out', value: `${counted(questions.without, 'question')} without a relevant passage in the corpus`}]
			: []),
		{label: 'Development questions', value: splitLabels[questions.split]},
		{label: 'Candidates', value: `1 gold passage, ${negatives} hard negatives found by BM25, ${random} random passages${exception}`},
		{label: 'Scores from which a confidence is computed (A_k)', value: `those of the ${confidenceDepth} best ${confidenceOf}`},
		{label: 'Bins of the calibration error', value: String(bins)},
		{label: 'Hits per question among all passages', value: withCommas(depth)},
		{label: 'Seed', value: String(seed)},
		significanceEntry(significance),
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
	dprReference,
];
