/** What a report says of a study besides its tables. */
import {type Fact, type Reference, fileFact, modelFact, tally} from '../../report/metadata.ts';
import {grouped, listed, many} from '../../../drawing/format.ts';
import {splitWords} from '../../dataset/split.ts';
import type {VocabularyFinding} from '../findings/findings.ts';
import {conditionName} from '../labels.ts';
import type {VocabularyStudy} from '../study.ts';

export const title = ({dataset}: VocabularyStudy): string => `Dense retrieval as distributions over the vocabulary on ${dataset}`;

export function abstract(
	{dataset, corpus, questions, encoder, head, retrieval}: VocabularyStudy,
	found: readonly VocabularyFinding[],
): string {
	const measure = retrieval.tested[0]!;
	const at = retrieval.measures.indexOf(measure);
	const values = retrieval.rows
		.filter(({condition}) => ['bm25', 'wordpiece', 'dense', 'enriched'].includes(condition))
		.map(({condition, values}) => `${conditionName(condition)} ${(100 * values[at]!).toFixed(1)}`);
	return (
		`The study of Ram et al. (2023), repeated on ${dataset}: what vectors of the encoder ${encoder.name} are about, as the head ${head.name} projects them to its ${grouped(head.vocabulary)} tokens, ` +
		`for ${many(questions.test, 'test question')} over ${many(corpus.count, 'passage')}. ${measure} in per cent: ${listed(values)}. ` +
		tally(found)
	);
}

/** What a study was made of: files and models with their SHA-256. */
export function inputs({corpus, questions, encoder, questionEncoder, head, baseline}: VocabularyStudy): readonly Fact[] {
	const [first, second] = questions.files;
	return [
		fileFact('Corpus', corpus, 'passage'),
		...(second
			? [fileFact('Development questions', first!, 'question'), fileFact('Test questions', second, 'question')]
			: [fileFact('Questions', first!, 'question')]),
		...(questions.qrels ? [fileFact('Judgements', questions.qrels, 'judged question')] : []),
		modelFact('Encoder', encoder),
		...(questionEncoder ? [modelFact('Encoder of questions', questionEncoder)] : []),
		modelFact('Head', head),
		...(baseline.kind === 'encoder' ? [modelFact('Baseline', baseline)] : []),
	];
}

const relevances = {
	qrels: 'as judged; gold is the first one with the highest grade',
	contexts: 'the passage that the question was written for',
	answers: 'those with an answer; gold is BM25’s first one for the question and its answer',
} as const;

export function settingsOf({settings, passagekit, questions, baseline, retrieval, enrichment}: VocabularyStudy): readonly Fact[] {
	const {seed, sparseDepth, significance, depth, lambdas, minGroup, learningRate} = settings;
	return [
		{what: 'passagekit', value: passagekit},
		{what: 'Relevant passages', value: relevances[questions.relevance]},
		...(questions.without > 0
			? [{what: 'Left out', value: `${many(questions.without, 'question')} without a relevant passage in the corpus`}]
			: []),
		{what: 'Development questions', value: splitWords[questions.split]},
		{what: 'Baseline', value: baseline.kind === 'static' ? 'the mean of the word embeddings of the head' : baseline.name},
		{
			what: 'Token amnesia',
			value: `questions that BM25 answers among its first ${sparseDepth}; tests of groups from ${minGroup} questions on`,
		},
		...(enrichment === undefined
			? []
			: [
					{
						what: 'Single-token enrichment',
						value: `Adam with learning rate ${learningRate}, ${many(enrichment.steps, 'step')} for each of ${many(enrichment.tokens, 'token')}; the loss is below 0.1 for ${grouped(enrichment.reached)}, provably cannot be for ${grouped(enrichment.proved)}, and is undecided for ${grouped(enrichment.tokens - enrichment.reached - enrichment.proved)}`,
					},
					{
						what: 'Enriched vectors',
						value: enrichment.renormalized ? 'scaled to unit length, as the encoder’s are' : 'not scaled, as the encoder’s are not',
					},
				]),
		...(lambdas.length > 0
			? [
					{
						what: 'λ',
						value: `${lambdas.join(', ')} times the length of the encoder’s vectors beside that of lexical ones, by ${retrieval.tunedFor} on development questions`,
					},
				]
			: []),
		{what: 'Hits', value: grouped(depth)},
		{what: 'Seed', value: String(seed)},
		{what: 'Significant', value: `p < ${significance}, Bonferroni-corrected`},
	];
}

/** What a reader has to know before comparing the numbers with the paper's. */
export function caveats({baseline, head}: VocabularyStudy): readonly string[] {
	return [
		...(baseline.kind === 'static'
			? [
					'The baseline is not the paper’s, which is the model that the encoder was initialised from: without that model, the mean of the head’s word embeddings over a text’s tokens stands here, projected by the same head. It shows what tokens alone give, not what pre-training gives.',
				]
			: []),
		...(head.name === 'minilm-mlm-head'
			? [
					'The head is a small one of 384 dimensions. It was trained on token states of the encoder itself, frozen, where the paper takes the head that the initialisation was pre-trained with; it has never seen a pooled vector. Low ranks may be its fault and not the encoder’s.',
				]
			: []),
	];
}

export const references: readonly Reference[] = [
	{
		text: 'Ori Ram, Liat Bezalel, Adi Zicher, Yonatan Belinkov, Jonathan Berant and Amir Globerson (2023). What Are You Token About? Dense Retrieval as Distributions Over the Vocabulary. ACL 2023. arXiv:2212.10380.',
		url: 'https://arxiv.org/abs/2212.10380',
	},
	{
		text: 'Vladimir Karpukhin, Barlas Oğuz, Sewon Min, Patrick Lewis, Ledell Wu, Sergey Edunov, Danqi Chen and Wen-tau Yih (2020). Dense Passage Retrieval for Open-Domain Question Answering. EMNLP 2020. arXiv:2004.04906.',
		url: 'https://arxiv.org/abs/2004.04906',
	},
	{
		text: 'Christopher Sciavolino, Zexuan Zhong, Jinhyuk Lee and Danqi Chen (2021). Simple Entity-Centric Questions Challenge Dense Retrievers. EMNLP 2021. arXiv:2109.08535.',
		url: 'https://arxiv.org/abs/2109.08535',
	},
	{
		text: 'Nandan Thakur, Nils Reimers, Andreas Rücklé, Abhishek Srivastava and Iryna Gurevych (2021). BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of Information Retrieval Models. NeurIPS 2021. arXiv:2104.08663.',
		url: 'https://arxiv.org/abs/2104.08663',
	},
];
