/** The checks that all encoders share, of the options and the inputs of `encode`. */
import {checkObject, checkString} from '../core/checks.ts';
import {type OptionNames, callNames, optionNames} from '../core/options.ts';
import type {EncodeOptions, EncoderInput} from '../core/types.ts';

/** The names of the options of `Encoder.encode`. */
export const encodeOptions: OptionNames = optionNames<EncodeOptions>({...callNames, batchTokens: true});

/** Returns the text and the title (empty if there is none) of `inputs[position]`. Fails with `ERR_ARGUMENT` for an invalid input. */
export function checkedInput(input: EncoderInput, position: number): {readonly text: string; readonly title: string} {
	if (typeof input === 'string') {
		return {text: input, title: ''};
	}
	checkObject(`inputs[${position}]`, input, 'a string or {text, title?}');
	const {text, title = ''} = input;
	checkString(`inputs[${position}]: text`, text);
	checkString(`inputs[${position}]: title`, title);
	return {text, title};
}
