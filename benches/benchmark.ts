/** A benchmark of `npm run bench -- NAME`. It prints with `say`, and resolves to plain data: what it measured, by name. */
export type Benchmark = (say: (line: string) => void) => Promise<Readonly<Record<string, unknown>>>;
