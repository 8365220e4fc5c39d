// Turns accepted answers into regular expressions.
import {readFile, writeFile} from 'node:fs/promises';

/** Replaces the answers in a file of questions (JSON lines) by regular expressions that match the same words. */
export async function replaceAnswersByPatterns(path: string): Promise<void> {
	const lines = (await readFile(path, 'utf8')).trim().split('\n');
	const changed = lines.map(line => {
		const question = JSON.parse(line) as {answers: string[]};
		const patterns = question.answers.map(answer => String.raw`(?<!\w)${answer.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)}(?!\w)`);
		return JSON.stringify({...question, answers: patterns});
	});
	await writeFile(path, changed.join('\n'));
}
