/** The title, abstract, inputs, settings, caveats and references of the vocabulary study's report. */
import {withCommas, listed, counted} from '../../../drawing/format.ts';
import {splitLabels} from '../../dataset/split.ts';
import {
	type MetadataEntry,
	type Reference,
	dprReference,
	encoderEntries,
	fileEntry,
	modelEntry,
	questionEntries,
	significanceEntry,
} from '../../report/metadata.ts';
import {labelOf} from '../labels.ts';
import type {VocabularyStudy} from '../study.ts';

export const title = ({dataset}: VocabularyStudy): string => `Dense retrieval as distributions over the vocabulary on ${dataset}`;

export function abstract({dataset, corpus, questions, encoder, head, retrieval}: VocabularyStudy): string {
	const measure = retrieval.tested[0]!;
	const at = retrieval.measures.indexOf(measure);
	const isEnriched = retrieval.rows.some(({condition}) => condition === 'enriched');
	const values = retrieval.rows
		.filter(({condition}) => ['bm25', 'wordpiece', 'dense', 'enriched'].includes(condition))
		.map(({condition, values}) => `${labelOf(condition)} ${(100 * values[at]!).toFixed(1)}`);
	return (
		`The study of Ram et al. (2023), repeated on ${dataset}: ${counted(questions.test, 'test question')} over ${counted(corpus.count, 'passage')}. ` +
		`The head ${head.name} projects the encoder’s vectors of questions (projection Q) and of passages (projection P) onto its vocabulary of ${withCommas(head.vocabulary)} tokens; the encoder is ${encoder.name}. ` +
		`Effectiveness on test questions, as ${measure} in percent: ${listed(values)}.${isEnriched ? ' LE is lexical enrichment.' : ''}`
	);
}

export function inputs({corpus, questions, encoder, questionEncoder, head, baseline}: VocabularyStudy): readonly MetadataEntry[] {
	return [
		fileEntry('Corpus', corpus, 'passage'),
		...questionEntries(questions.files),
		...(questions.qrels ? [fileEntry('Judgments', questions.qrels, 'judged question')] : []),
		...encoderEntries(encoder, questionEncoder),
		modelEntry('Head', head),
		...(baseline.kind === 'encoder' ? [modelEntry('Baseline', baseline)] : []),
	];
}

/** Descriptions of how relevant passages are determined. */
const relevanceLabels = {
	qrels: 'as given by the relevance judgments; the first passage with the highest grade is the gold passage',
	contexts: 'the passage that the question was written for',
	answers:
		'passages that contain an answer, among the first 100 hits of BM25 for the question followed by its first answer; the first of these passages is the gold passage',
} as const;

export function settings({settings, passagekit, questions, baseline, retrieval, enrichment}: VocabularyStudy): readonly MetadataEntry[] {
	const {seed, sparseDepth, significance, depth, lambdas, minGroup, learningRate} = settings;
	return [
		{label: 'passagekit', value: passagekit},
		{label: 'Relevant passages', value: relevanceLabels[questions.relevance]},
		...(settings.answers === 'pattern' ? [{label: 'Accepted answers', value: 'regular expressions'}] : []),
		...(questions.without > 0
			? [{label: 'Questions left out', value: `${counted(questions.without, 'question')} without a relevant passage in the corpus`}]
			: []),
		{label: 'Development questions', value: splitLabels[questions.split]},
		{label: 'Baseline', value: baseline.kind === 'static' ? 'the mean of the head’s word embeddings' : baseline.name},
		{
			label: 'Token amnesia',
			value: `questions with a relevant passage among BM25’s first ${sparseDepth} hits; tests of groups with at least ${minGroup} questions`,
		},
		...(enrichment === undefined
			? []
			: [
					{
						label: 'Vectors of single tokens',
						value: `Adam with learning rate ${learningRate}, ${counted(enrichment.steps, 'step')} for each of ${counted(enrichment.tokens, 'token')}; the loss is below 0.1 nats for ${withCommas(enrichment.reached)} tokens; for ${withCommas(enrichment.proved)}, no vector has such a loss; for the other ${withCommas(enrichment.tokens - enrichment.reached - enrichment.proved)}, none was found`,
					},
					{
						label: 'Enriched vectors',
						value: enrichment.renormalized ? 'scaled to unit length, as the encoder’s are' : 'not scaled, as the encoder’s are not',
					},
				]),
		...(lambdas.length > 0
			? [
					{
						label: 'Values of λ',
						value: `${lambdas.join(', ')}, relative to the λ that makes lexical vectors, on average, as long as the encoder’s; λ is chosen by ${retrieval.tunedFor} on development questions`,
					},
				]
			: []),
		{label: 'Hits per question', value: withCommas(depth)},
		{label: 'Seed', value: String(seed)},
		significanceEntry(significance),
	];
}

/** What readers must know before they compare the numbers with the paper's. */
export function caveats({baseline, head}: VocabularyStudy): readonly string[] {
	return [
		...(baseline.kind === 'static'
			? [
					'The paper’s baseline is the model from which the encoder was initialized. This study does not have that model. Its baseline is the mean of the head’s word embeddings over the tokens of a text, projected by the same head. It shows the effect of the tokens alone, not that of pre-training.',
				]
			: []),
		...(head.name === 'minilm-mlm-head'
			? [
					'The head has only 384 dimensions. It was trained on hidden states of single tokens in the frozen encoder, never on pooled vectors. The paper uses the head with which the encoder’s initialization was pre-trained. Low ranks may be caused by the head rather than by the encoder.',
				]
			: []),
	];
}

export const references: readonly Reference[] = [
	{
		text: 'Ori Ram, Liat Bezalel, Adi Zicher, Yonatan Belinkov, Jonathan Berant and Amir Globerson (2023). What Are You Token About? Dense Retrieval as Distributions Over the Vocabulary. ACL 2023. arXiv:2212.10380.',
		url: 'https://arxiv.org/abs/2212.10380',
	},
	dprReference,
	{
		text: 'Christopher Sciavolino, Zexuan Zhong, Jinhyuk Lee and Danqi Chen (2021). Simple Entity-Centric Questions Challenge Dense Retrievers. EMNLP 2021. arXiv:2109.08535.',
		url: 'https://arxiv.org/abs/2109.08535',
	},
	{
		text: 'Nandan Thakur, Nils Reimers, Andreas Rücklé, Abhishek Srivastava and Iryna Gurevych (2021). BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of Information Retrieval Models. NeurIPS 2021. arXiv:2104.08663.',
		url: 'https://arxiv.org/abs/2104.08663',
	},
];
