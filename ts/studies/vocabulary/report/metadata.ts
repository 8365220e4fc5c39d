/** The title, abstract, inputs, settings, caveats and references of the report. */
import {grouped, listed, many} from '../../../drawing/format.ts';
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
	const values = retrieval.rows
		.filter(({condition}) => ['bm25', 'wordpiece', 'dense', 'enriched'].includes(condition))
		.map(({condition, values}) => `${labelOf(condition)} ${(100 * values[at]!).toFixed(1)}`);
	return (
		`The study of Ram et al. (2023), repeated on ${dataset}: what vectors of the encoder ${encoder.name} are about, as the head ${head.name} projects them to its ${grouped(head.vocabulary)} tokens, ` +
		`for ${many(questions.test, 'test question')} over ${many(corpus.count, 'passage')}. ${measure} in per cent: ${listed(values)}.`
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

/** How relevant passages are determined. */
const relevanceLabels = {
	qrels: 'as judged; gold is the first one with the highest grade',
	contexts: 'the passage that the question was written for',
	answers: 'those with an answer; gold is BM25’s first one for the question and its answer',
} as const;

export function settings({settings, passagekit, questions, baseline, retrieval, enrichment}: VocabularyStudy): readonly MetadataEntry[] {
	const {seed, sparseDepth, significance, depth, lambdas, minGroup, learningRate} = settings;
	return [
		{label: 'passagekit', value: passagekit},
		{label: 'Relevant passages', value: relevanceLabels[questions.relevance]},
		...(questions.without > 0
			? [{label: 'Left out', value: `${many(questions.without, 'question')} without a relevant passage in the corpus`}]
			: []),
		{label: 'Development questions', value: splitLabels[questions.split]},
		{label: 'Baseline', value: baseline.kind === 'static' ? 'the mean of the word embeddings of the head' : baseline.name},
		{
			label: 'Token amnesia',
			value: `questions that BM25 answers among its first ${sparseDepth}; tests of groups from ${minGroup} questions on`,
		},
		...(enrichment === undefined
			? []
			: [
					{
						label: 'Single-token enrichment',
						value: `Adam with learning rate ${learningRate}, ${many(enrichment.steps, 'step')} for each of ${many(enrichment.tokens, 'token')}; the loss is below 0.1 for ${grouped(enrichment.reached)}, provably cannot be for ${grouped(enrichment.proved)}, and is undecided for ${grouped(enrichment.tokens - enrichment.reached - enrichment.proved)}`,
					},
					{
						label: 'Enriched vectors',
						value: enrichment.renormalized ? 'scaled to unit length, as the encoder’s are' : 'not scaled, as the encoder’s are not',
					},
				]),
		...(lambdas.length > 0
			? [
					{
						label: 'λ',
						value: `${lambdas.join(', ')} times the length of the encoder’s vectors beside that of lexical ones, by ${retrieval.tunedFor} on development questions`,
					},
				]
			: []),
		{label: 'Hits', value: grouped(depth)},
		{label: 'Seed', value: String(seed)},
		significanceEntry(significance),
	];
}

/** What readers have to know before they compare the numbers with the paper's. */
export function caveats({baseline, head}: VocabularyStudy): readonly string[] {
	return [
		...(baseline.kind === 'static'
			? [
					'The paper’s baseline is the model from which the encoder was initialized. This study does not have that model. Its baseline is the mean of the head’s word embeddings over the tokens of a text, projected by the same head. It shows what tokens alone give, not what pre-training gives.',
				]
			: []),
		...(head.name === 'minilm-mlm-head'
			? [
					'The head has only 384 dimensions. It was trained on token states of the frozen encoder, while the paper uses the head with which the encoder’s initialization was pre-trained, and it has never seen a pooled vector. Low ranks may be due to the head rather than the encoder.',
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
