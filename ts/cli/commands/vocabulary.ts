/**
The command `passagekit vocabulary`, which runs the vocabulary study (Ram et al., 2023). The study maps vectors to
probabilities of the tokens of a vocabulary: Q is this projection of a question's vector, P that of the vector of its
gold passage. The command prints, in percent:

- the share of the shared tokens, which occur in both the question and the passage, that are among the first 20 of Q,
  and the share that are among the first 20 of P;
- the share of questions with query expansion: the first 20 of Q include a token of the passage that is not in the
  question, and that is neither a stop word nor a punctuation mark;
- the mean reciprocal rank (MRR) in P of the shared tokens, and of the tokens that occur only in the passage;
- the effectiveness of retrieval.
*/
import type {Command} from 'commander';
import type {VocabularyStudy} from '../../studies/vocabulary/index.ts';
import {encoderLabel, labelOf} from '../../studies/vocabulary/labels.ts';
import {vocabularyStudyDefinition} from '../../studies/vocabulary/study-vocabulary.ts';
import {table} from '../table.ts';
import {registerStudy} from './study.ts';

export function registerVocabulary(program: Command, signal: AbortSignal): void {
	registerStudy(program, signal, vocabularyStudyDefinition, summary);
}

function summary({analyses, baseline, retrieval}: VocabularyStudy): string {
	const percent = (share: number): string => (100 * share).toFixed(1);
	const {ks} = analyses[0]!.analysis;
	const valueAt = (values: readonly number[], k: number): string => percent(values[ks.indexOf(k)]!);
	return [
		table(
			['projections', 'shared, Q@20', 'shared, P@20', 'expansion, Q@20', 'MRR shared', 'MRR passage only'],
			// `of` names the encoder that is analyzed: the encoder itself, its baseline, or the enriched encoder.
			analyses.map(({of, analysis: {coverage, expansion, mrr}}) => [
				encoderLabel(of, baseline),
				valueAt(coverage.all.question, 20),
				valueAt(coverage.all.passage, 20),
				valueAt(expansion, 20),
				percent(mrr.all.shared.mrr),
				percent(mrr.all.passageOnly.mrr),
			]),
		),
		'',
		table(
			['retrieval', ...retrieval.measures],
			retrieval.rows.map(({condition, values}) => [labelOf(condition), ...values.map(percent)]),
		),
	].join('\n');
}
