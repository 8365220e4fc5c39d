// Prepares the model and the texts of a definition as files in the folder `.cache/`.
import {copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {packageRoot} from '../../../ts/core/native/addon.ts';
import {readPassages, readQuestions} from '../../../ts/corpus/index.ts';
import {cache, shared} from '../harness/folders.ts';

/** Files in the folder `data/squad` of the shared folder (../harness/folders.ts). */
const files = {passages: 'psgs_w100.squad-dev.tsv.gz', questions: 'squad-dev.qas.tsv.gz'} as const;

/** The kind of the texts that a task uses. */
export type Texts = keyof typeof files;

/** What each kind of texts is, in words; records store these descriptions. */
export const about: Readonly<Record<Texts, string>> = {
	passages: 'passages of 100 words from SQuAD’s articles, without titles',
	questions: 'questions of SQuAD',
};

/** Writes a file with the first `sample` texts, one per line, unless it exists. Returns its path. */
export async function prepareTexts(kind: Texts, sample: number): Promise<string> {
	const path = join(cache, 'texts', `${kind}-${sample}.txt`);
	if (!existsSync(path)) {
		const file = join(shared, 'data', 'squad', files[kind]);
		const texts: string[] = [];
		for await (const {text} of kind === 'passages' ? readPassages(file) : readQuestions(file)) {
			if (texts.push(text.replaceAll(/\s+/gu, ' ')) === sample) {
				break;
			}
		}
		if (texts.length < sample) {
			throw new Error(`expected ${sample} texts in ${file}, got ${texts.length}`);
		}
		mkdirSync(join(cache, 'texts'), {recursive: true});
		writeFileSync(path, `${texts.join('\n')}\n`);
	}
	return path;
}

/**
Prepares a folder with a model in the layouts that passagekit, Sentence Transformers and transformers.js expect: the
same ONNX graph and vocabulary under several names. Returns the folder.
*/
export function prepareModel(name: string, maxTokens: number): string {
	const [source, folder] = [join(packageRoot, 'models', name), join(cache, 'models', name)];
	if (existsSync(join(folder, 'modules.json'))) {
		return folder;
	}
	for (const subfolder of ['onnx', '1_Pooling', '2_Normalize']) {
		mkdirSync(join(folder, subfolder), {recursive: true});
	}
	for (const graph of ['model.onnx', 'onnx/model.onnx', 'onnx/model_quantized.onnx']) {
		symlinkSync(join(source, 'model.onnx'), join(folder, graph));
	}
	copyFileSync(join(source, 'config.json'), join(folder, 'config.json'));
	// Removes the truncation and padding settings, because the systems choose their own.
	const tokenizer: Record<string, unknown> = JSON.parse(readFileSync(join(source, 'tokenizer.json'), 'utf8'));
	write('tokenizer.json', {...tokenizer, truncation: null, padding: null});
	const special = {pad_token: '[PAD]', unk_token: '[UNK]', cls_token: '[CLS]', sep_token: '[SEP]', mask_token: '[MASK]'};
	write('tokenizer_config.json', {tokenizer_class: 'BertTokenizer', model_max_length: maxTokens, do_lower_case: true, ...special});
	// Sentence Transformers does not lowercase, because the tokenizer does.
	write('sentence_bert_config.json', {max_seq_length: maxTokens, do_lower_case: false});
	// 384 is the dimension of the only model that is measured, `minilm-encoder`.
	write('1_Pooling/config.json', {word_embedding_dimension: 384, pooling_mode_cls_token: false, pooling_mode_mean_tokens: true});
	const module = (idx: number, path: string, type: string) => ({idx, name: `${idx}`, path, type: `sentence_transformers.models.${type}`});
	write('modules.json', [module(0, '', 'Transformer'), module(1, '1_Pooling', 'Pooling'), module(2, '2_Normalize', 'Normalize')]);
	return folder;

	function write(file: string, content: unknown): void {
		writeFileSync(join(folder, file), JSON.stringify(content));
	}
}
