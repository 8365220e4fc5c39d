/** The entry point of the command line: registers the commands and runs one. */
import {Command, CommanderError} from 'commander';
import {packageVersion} from '../core/native/addon.ts';
import {registerAdd} from './commands/add.ts';
import {registerAsk} from './commands/ask.ts';
import {registerBench} from './commands/bench.ts';
import {registerDelete} from './commands/delete.ts';
import {registerDemo} from './commands/demo.ts';
import {registerDoctor} from './commands/doctor.ts';
import {registerEvaluate} from './commands/evaluate.ts';
import {registerExplain} from './commands/explain.ts';
import {registerIndex} from './commands/index-corpus.ts';
import {registerMine} from './commands/mine.ts';
import {registerTrain} from './commands/train.ts';
import {registerOptimize} from './commands/optimize.ts';
import {registerPhrases} from './commands/phrases.ts';
import {registerPush} from './commands/push.ts';
import {registerReplicate} from './commands/replicate.ts';
import {registerSearch} from './commands/search.ts';
import {registerStats} from './commands/stats.ts';
import {registerTrainingStudy} from './commands/training-study.ts';
import {registerVocabulary} from './commands/vocabulary.ts';
import {UsageError, reportError} from './errors.ts';
import {Interruption} from './interruption.ts';
import {pathError} from '../core/file-system.ts';

/**
Runs the command line and resolves to its exit status: 0 for success, 1 for a failure, 2 for a usage error, and 130, 143
or 129 after an interruption by SIGINT, SIGTERM or SIGHUP, respectively.
*/
export async function run(argv: readonly string[]): Promise<number> {
	// The program that reads our output from a pipe may end first, as in `passagekit search … | head`.
	process.stdout.on('error', (error: NodeJS.ErrnoException) => {
		if (error.code === 'EPIPE') {
			process.exit(0);
		}
		reportError(pathError('write', 'standard output', error), argv.includes('--json'));
		process.exit(1);
	});
	// If standard error cannot be written, messages are lost, but results are still written.
	process.stderr.on('error', () => {});
	const program = new Command('passagekit')
		.description('Passage retrieval and question answering over your own documents: BM25, dense, hybrid, reader, evaluation.')
		.version(packageVersion())
		.showHelpAfterError('(run with --help to see all options)')
		.addHelpText(
			'after',
			`
Start with:
  $ passagekit demo                          index, search and answer, with a small encyclopedia
  $ passagekit add ./my-docs                 add documents to the collection in ./passagekit-index
  $ passagekit search "steel bridge"         show the best passages of ./passagekit-index
  $ passagekit ask "Who built the bridge?"   answer from the passages of ./passagekit-index

\`add\` makes an updatable collection; \`index\` builds a collection from a corpus, and this collection never changes.

Every command takes --json. Exit status: 0 for success, 1 for a failure, 2 for a usage error, 128 + n after signal n.`,
		);
	const interruption = new Interruption();
	for (const register of [
		registerDemo,
		registerAdd,
		registerDelete,
		registerIndex,
		registerSearch,
		registerAsk,
		registerStats,
		registerOptimize,
		registerPush,
		registerEvaluate,
		registerExplain,
		registerReplicate,
		registerPhrases,
		registerVocabulary,
		registerTrainingStudy,
		registerMine,
		registerTrain,
		registerBench,
		registerDoctor,
	]) {
		register(program, interruption.signal);
	}
	for (const command of withSubcommands(program)) {
		command.exitOverride();
	}
	program.hook('preAction', (_, command) => checkValues(command));
	try {
		if (argv.length <= 2) {
			program.outputHelp();
			return 0;
		}
		await program.parseAsync(argv);
		return Number(process.exitCode ?? 0);
	} catch (error) {
		if (error instanceof CommanderError) {
			return error.exitCode === 0 ? 0 : 2;
		}
		if (interruption.status !== undefined) {
			interruption.report();
			return interruption.status;
		}
		reportError(error, argv.includes('--json'));
		return error instanceof UsageError ? 2 : 1;
	} finally {
		interruption.settle();
	}
}

/** Returns a command, its subcommands, their subcommands, and so on. */
function withSubcommands(command: Command): Command[] {
	return [command, ...command.commands.flatMap(withSubcommands)];
}

/** Fails with a usage error if a flag has an empty value, which usually comes from a variable of the shell that is not set. */
function checkValues(command: Command): void {
	for (const option of command.options) {
		if (command.getOptionValue(option.attributeName()) === '' && command.getOptionValueSource(option.attributeName()) === 'cli') {
			throw new UsageError(`${option.long}: expected a value, got an empty string`);
		}
	}
}
