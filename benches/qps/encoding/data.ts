// The model and the texts of a definition as files in the cache.
import {copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {packageRoot} from '../../../ts/core/native/addon.ts';
import {readPassages, readQuestions} from '../../../ts/corpus/index.ts';
import {cache} from '../system.ts';

const shared = process.env['PASSAGEKIT_SHARED'] ?? join(packageRoot, '..', 'shared');

const files = {passages: 'psgs_w100.squad-dev.tsv.gz', questions: 'squad-dev.qas.tsv.gz'} as const;

export type Texts = keyof typeof files;

/** Where the texts of a definition come from. */
export const about: Readonly<Record<Texts, string>> = {
	passages: 'passages of 100 words of SQuAD’s articles, without titles',
	questions: 'questions of SQuAD',
};

/** The first texts, one a line. */
export async function prepareTexts(of: Texts, sample: number): Promise<string> {
	const path = join(cache, 'texts', `${of}-${sample}.txt`);
	if (!existsSync(path)) {
		const file = join(shared, 'data', 'squad', files[of]);
		const texts: string[] = [];
		for await (const {text} of of === 'passages' ? readPassages(file) : readQuestions(file)) {
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

/** The model as Sentence Transformers and transformers.js want it: the same graph and vocabulary under their names. */
export function prepareModel(name: string, maxTokens: number): string {
	const [from, folder] = [join(packageRoot, 'models', name), join(cache, 'models', name)];
	if (existsSync(join(folder, 'modules.json'))) {
		return folder;
	}
	for (const inner of ['onnx', '1_Pooling', '2_Normalize']) {
		mkdirSync(join(folder, inner), {recursive: true});
	}
	for (const graph of ['model.onnx', 'onnx/model.onnx', 'onnx/model_quantized.onnx']) {
		symlinkSync(join(from, 'model.onnx'), join(folder, graph));
	}
	copyFileSync(join(from, 'config.json'), join(folder, 'config.json'));
	// Each cuts and fills for itself.
	const tokenizer: Record<string, unknown> = JSON.parse(readFileSync(join(from, 'tokenizer.json'), 'utf8'));
	write('tokenizer.json', {...tokenizer, truncation: null, padding: null});
	const special = {pad_token: '[PAD]', unk_token: '[UNK]', cls_token: '[CLS]', sep_token: '[SEP]', mask_token: '[MASK]'};
	write('tokenizer_config.json', {tokenizer_class: 'BertTokenizer', model_max_length: maxTokens, do_lower_case: true, ...special});
	write('sentence_bert_config.json', {max_seq_length: maxTokens, do_lower_case: false});
	write('1_Pooling/config.json', {word_embedding_dimension: 384, pooling_mode_cls_token: false, pooling_mode_mean_tokens: true});
	const module = (idx: number, path: string, type: string) => ({idx, name: `${idx}`, path, type: `sentence_transformers.models.${type}`});
	write('modules.json', [module(0, '', 'Transformer'), module(1, '1_Pooling', 'Pooling'), module(2, '2_Normalize', 'Normalize')]);
	return folder;

	function write(file: string, content: unknown): void {
		writeFileSync(join(folder, file), JSON.stringify(content));
	}
}
