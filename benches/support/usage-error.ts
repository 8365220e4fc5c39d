/** An error in the arguments of a benchmark. The command prints its message without a stack trace. */
export class UsageError extends Error {}
