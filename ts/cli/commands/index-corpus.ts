/** The command `passagekit index`, which builds a collection that never changes from a corpus in files. */
import {type Command, Option} from 'commander';
import {type BuildOptions, type BuildStage, type StageReport, buildCollection} from '../../collection/index.ts';
import {passageFormats, type PassageFormat} from '../../corpus/readers.ts';
import type {Analyzer} from '../../sparse/analyzer.ts';
import {ALL_CORES, analyzer, count, defaultIndex} from '../options.ts';
import {note, print, printJson} from '../output.ts';
import {ProgressBar, duration} from '../progress.ts';

interface IndexFlags {
	readonly output: string;
	readonly format: PassageFormat;
	readonly encoder: string | false;
	readonly questionEncoder?: string;
	readonly words?: number;
	readonly overlap?: number;
	readonly analyzer: Analyzer;
	readonly hnsw: boolean;
	readonly storage: NonNullable<BuildOptions['flat']>['storage'];
	readonly threads: number;
	readonly skipBadLines?: boolean;
	readonly maxDocumentBytes?: number;
	readonly maxPassageBytes?: number;
	readonly overwrite?: boolean;
	readonly json?: boolean;
}

/** Labels of the progress bars. */
const labels: Record<BuildStage, string> = {read: 'read', bm25: 'bm25', encode: 'encode', hnsw: 'hnsw'};

export function registerIndex(program: Command, signal: AbortSignal): void {
	program
		.command('index')
		.description('build a collection that never changes: BM25 and vector indexes of documents or passages (`add` makes an updatable one)')
		.argument(
			'<file-or-folder>',
			'a folder of .txt and .md files, or a text, DPR TSV, BEIR or Anserini JSONL, SQuAD or PubMedQA JSON file; also gzipped',
		)
		.option('-o, --output <folder>', 'folder of the collection to build', defaultIndex)
		.addOption(new Option('--format <format>', 'format of the file').choices(passageFormats).default('auto'))
		.option('--words <n>', 'number of words per passage (default: 100 for text; other formats are not split)', count(1))
		.option('--overlap <n>', 'number of words that a passage shares with the previous one', count(0))
		.option(
			'--analyzer <name>',
			'how texts are turned into terms: english, simple, whitespace, snowball:<language>, wordpiece:<tokenizer.json>',
			analyzer,
			'english',
		)
		.option('--encoder <model>', 'passage encoder: a folder with model.onnx, or owner/name on the Hugging Face hub', 'minilm-encoder')
		.option('--no-encoder', 'build only the BM25 index; no model is needed')
		.option('--question-encoder <model>', 'question encoder, if it differs from the passage encoder, as in DPR')
		.option('--no-hnsw', 'build no HNSW index, so that vectors are searched exactly')
		.addOption(
			new Option('--storage <storage>', 'how the exact vector index stores vectors').choices(['f32', 'f16', 'int8Rescored']).default('f32'),
		)
		.addOption(
			new Option('--threads <n>', 'number of threads that build the graph; with 1, every build gives the same graph')
				.argParser(count(1))
				.default(ALL_CORES, 'all cores'),
		)
		.option('--skip-bad-lines', 'skip invalid lines instead of stopping at the first one')
		.option('--max-document-bytes <n>', 'maximum size of a line, record or text before splitting (default: 64 MiB)', count(1))
		.option('--max-passage-bytes <n>', 'maximum size of a passage after splitting (default: 1 MiB)', count(1))
		.option('--overwrite', 'replace an existing collection')
		.option('--json', 'print one JSON object')
		.addHelpText('after', '\nExample:\n  $ passagekit index ./my-docs --output passagekit-index')
		.action(async (source: string, flags: IndexFlags) => {
			let bar: ProgressBar | undefined;
			let current: BuildStage | undefined;
			const stages: StageReport[] = [];
			let skipped = 0;
			const startedAt = performance.now();
			const split =
				flags.words === undefined && flags.overlap === undefined ? undefined : {words: flags.words ?? 100, overlap: flags.overlap ?? 0};
			const manifest = await buildCollection(source, flags.output, {
				signal,
				format: flags.format,
				split,
				analyzer: flags.analyzer,
				skipBadLines: flags.skipBadLines ?? false,
				maxDocumentBytes: flags.maxDocumentBytes,
				maxPassageBytes: flags.maxPassageBytes,
				encoder: flags.encoder,
				questionEncoder: flags.questionEncoder,
				dense: flags.hnsw ? 'flat+hnsw' : 'flat',
				flat: {storage: flags.storage},
				threads: flags.threads,
				overwrite: flags.overwrite ?? false,
				onProgress({stage, ...progress}) {
					if (stage !== current) {
						bar?.end();
						current = stage;
						bar = new ProgressBar(labels[stage], stage === 'read' ? 'bytes' : 'passages');
					}
					bar?.update(progress);
				},
				onSkipped(lines) {
					skipped = lines;
				},
				onStage(report) {
					bar?.end();
					stages.push(report);
					if (!flags.json) {
						note(
							`${labels[report.stage].padEnd(8)} ${report.passages.toLocaleString('en')} passages in ${duration(report.milliseconds / 1000)}`,
						);
					}
				},
			}).finally(() => bar?.end());
			if (flags.json) {
				printJson({output: flags.output, ...manifest, skipped, milliseconds: Math.round(performance.now() - startedAt), stages});
			} else {
				print(`${manifest.passages.toLocaleString('en')} ${manifest.passages === 1 ? 'passage' : 'passages'} indexed in ${flags.output}`);
				if (skipped > 0) {
					note(`${skipped.toLocaleString('en')} invalid ${skipped === 1 ? 'line was' : 'lines were'} skipped`);
				}
			}
		});
}
