/** The title, abstract, inputs, settings and references of the replication study's report. */
import {withCommas, counted} from '../../../drawing/format.ts';
import {
	type MetadataEntry,
	type Reference,
	dprReference,
	encoderEntries,
	fileEntry,
	modelEntry,
	significanceEntry,
} from '../../report/metadata.ts';
import type {Study} from '../study.ts';

export const title = ({dataset}: Study): string => `Dense Passage Retriever, replicated on ${dataset}`;

export function abstract({dataset, corpus, questions, models, reading}: Study): string {
	const withReader = reading && models.reader ? ` and the reader ${models.reader.name}` : '';
	return (
		`The study of Ma et al. (2021), repeated on ${dataset}: ${counted(questions.test.count, 'test question')} over ${counted(corpus.count, 'passage')}, ` +
		`with the encoder ${models.encoder.name}${withReader}. Weights were tuned on ${counted(questions.development.count, 'other question')}.`
	);
}

export function inputs({corpus, questions, models, reading}: Study): readonly MetadataEntry[] {
	return [
		fileEntry('Corpus', corpus, 'passage'),
		fileEntry('Development questions', questions.development, 'question'),
		fileEntry('Test questions', questions.test, 'question'),
		...encoderEntries(models.encoder, models.questionEncoder),
		...(reading && models.reader ? [modelEntry('Reader', models.reader)] : []),
	];
}

export function settings({settings, passagekit, reading}: Study): readonly MetadataEntry[] {
	const {depth, dprDepth, significance, tunedFor, passagesRead, spansPerPassage, maxAnswerTokens, merge, bm25} = settings;
	return [
		{label: 'passagekit', value: passagekit},
		{label: 'BM25', value: `k1 = ${bm25.k1}, b = ${bm25.b}`},
		{label: 'Hits of each list that are fused (k′)', value: `up to ${withCommas(depth)}; up to ${withCommas(dprDepth)} for Hybrid-orig`},
		{label: 'Weights tuned for', value: `top-${tunedFor} accuracy`},
		significanceEntry(significance),
		...(reading
			? [
					{label: 'Passages read', value: `up to ${withCommas(passagesRead)} per question`},
					{label: 'Spans per passage (m)', value: `up to ${spansPerPassage}`},
					{label: 'Tokens per answer', value: `up to ${maxAnswerTokens}`},
					{label: 'Equal answers', value: merge === 'text' ? 'the same text' : 'the same text after SQuAD’s normalization'},
				]
			: []),
	];
}

export const references: readonly Reference[] = [
	{
		text: 'Xueguang Ma, Kai Sun, Ronak Pradeep and Jimmy Lin (2021). A Replication Study of Dense Passage Retriever. arXiv:2104.05740.',
		url: 'https://arxiv.org/abs/2104.05740',
	},
	dprReference,
	{
		text: 'Yuning Mao, Pengcheng He, Xiaodong Liu, Yelong Shen, Jianfeng Gao, Jiawei Han and Weizhu Chen (2020). Generation-Augmented Retrieval for Open-Domain Question Answering. arXiv:2009.08553.',
		url: 'https://arxiv.org/abs/2009.08553',
	},
];
