// The reporter of node:test that tells the judge's caller one line a test.
export default async function* report(source) {
  const suites = [];
  for await (const { type, data } of source) {
    if (type === 'test:start') suites.length = data.nesting, suites.push(data.name);
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details?.type === 'suite') continue;
    const judge = globalThis.atollJudge;
    const error = data.details?.error;
    const cause = error?.cause ?? error;
    const outcome = data.skip !== undefined || data.todo !== undefined ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed';
    judge.tell({ test: {
      name: [...suites.slice(0, data.nesting), data.name].join(' > '), outcome,
      message: outcome === 'failed' ? String(cause?.message ?? cause).slice(0, 4000) : '',
      duration_ms: Math.floor(data.details?.duration_ms ?? 0), stdout: judge.printed.text } });
    judge.printed.text = '';
  }
  globalThis.atollJudge.tell({ end: true });
}
