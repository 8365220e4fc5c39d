// passagekit's trainer as a server of benches/training. It makes steps from texts, as `trainEncoder` does.
import {readFileSync} from 'node:fs';
import {callNative, native} from '../../../../ts/core/native/native.ts';
import {answer, cpuNanos} from '../../../qps/servers/node-server.mjs';

const {version} = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
let trainer;
let batches;
/** Whether the trainer has the questions and passages of `rank`. */
let hasValidationData = false;

await answer({
	describe: async () => ({version: `passagekit ${version}, Node ${process.versions.node}`}),
	async open({model, settings, file}) {
		batches = JSON.parse(readFileSync(file, 'utf8')).map(({questions, titles, texts, positives, excluded}) => ({
			questions,
			titles,
			texts,
			positives: Uint32Array.from(positives),
			excluded: Uint32Array.from(excluded),
		}));
		trainer = await callNative({}, async () => native.openEncoderTrainer(model, false, {...settings, step: settings}));
		return {batches: batches.length};
	},
	/** The rank of each question's positive among the passages of a batch, from 1. The first call determines the batch. */
	async rank({batch}) {
		if (!hasValidationData) {
			const {questions, titles, texts, positives} = batches[batch];
			trainer.addValidationPassages(titles, texts);
			trainer.addValidationQuestions(questions, positives, new Uint32Array(questions.length), new Uint32Array());
			hasValidationData = true;
		}
		return {ranks: [...(await callNative({}, async control => trainer.validate(control)))]};
	},
	async train({from, count}) {
		const [wall, cpu] = [process.hrtime.bigint(), process.cpuUsage()];
		const reports = [];
		for (const batch of batches.slice(from, from + count)) {
			reports.push(await callNative({}, async control => trainer.step(batch, control)));
		}
		return {
			wallNanos: Number(process.hrtime.bigint() - wall),
			cpuNanos: cpuNanos(cpu),
			losses: reports.map(({loss}) => loss),
			gradientNorms: reports.map(({gradientNorm}) => gradientNorm),
			tokens: reports.map(({tokens}) => tokens),
		};
	},
});
