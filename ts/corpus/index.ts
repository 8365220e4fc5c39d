/** Reads documents, passages, questions and TREC files, splits documents into passages, and stores passages. */
export {PassageStore, type IngestOptions, type IngestResult, type WriteOptions} from './passage-store.ts';
export {
	readPassages,
	readQuestions,
	type PassageFormat,
	type QuestionFormat,
	type ReadPassagesOptions,
	type ReadQuestionsOptions,
} from './readers.ts';
export {readDocuments, type DocumentFormat, type ReadDocumentsOptions} from './documents/read-documents.ts';
export type {DocumentEncoding} from './documents/byte-input.ts';
export type {DocumentField, DocumentFieldType, DocumentMapping} from './documents/mapping.ts';
export type {SourceDocument} from './documents/source-document.ts';
export {splitDocument, type PassagePiece} from './split.ts';
export type {ReadLimits, SplitOptions} from '../core/passage-source.ts';
export {readQrels, readTrecRun, writeQrels, writeTrecRun} from './trec-files.ts';
export {encyclopedia, type Encyclopedia, type EncyclopediaQuestion, type EncyclopediaSplit, type QuestionKind} from './encyclopedia.ts';
export type {TextSource} from '../core/passage-texts.ts';
