/**
Studies repeat the experiments of a paper on any data set and report which of the paper's claims hold there. They are
run by `replicate` (Ma et al., 2021), `studyPhrases` (Yang et al., 2023), `studyVocabulary` (Ram et al., 2023) and
`studyTraining` (Karpukhin et al., 2020).
Exported as `passagekit/studies`.
*/
export type {NamedFiles, NamedTrainingFiles} from './dataset/files.ts';
export type {RelevanceSource} from './dataset/relevance.ts';
export type {SplitBy} from './dataset/split.ts';
export type {JudgedSettings, JudgedStudyOptions} from './engine/judged-study.ts';
export type {StudyOptions, StudyProgress} from './engine/options.ts';
export * from './phrases/index.ts';
export * from './replication/index.ts';
export type {Comparison as StudyComparison} from './statistics/comparison.ts';
export type {Finding as StudyFinding} from './statistics/finding.ts';
export type {Verdict} from './statistics/verdict.ts';
export type {StudyInput, StudyModel} from './storage/inputs.ts';
export * from './training/index.ts';
export * from './vocabulary/index.ts';
