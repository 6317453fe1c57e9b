import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { escalationReport } from '../../machines/escalation.ts';
import { agentState } from '../support/agent-state.ts';

const start = 1_767_225_600_000;
const error = (n: number, more = {}) => ({
  category: 'DEPENDENCY' as const,
  seedCategory: 'DEPENDENCY' as const,
  message: `Build command failed: make (exit 2) - error ${n}\n\`\`\` ${'x'.repeat(400)}`,
  severity: 'medium' as const,
  command: 'make',
  file: null,
  line: null,
  action: 'install the header',
  signature: `s${n}`,
  timestamp: start + n * 1000,
  attemptNumber: n,
  outsideLoopCheck: false,
  ...more,
});
const finding = (severity: 'low' | 'high', n: number) => ({
  file: `f${n}.c`,
  line: n,
  codeSnippet: '',
  archType: 'inline_asm' as const,
  severity,
  suggestedFix: '',
});

const failed = agentState({
  buildStatus: 'FAILED',
  attemptCount: 5,
  apiCostUsd: 0.1234,
  apiCallsMade: 2,
  lastError: error(7).message + 'y'.repeat(500),
  lastErrorCategory: 'DEPENDENCY',
  lastErrorSeverity: 'medium',
  errorHistory: [
    ...[1, 2, 3, 4, 5, 6].map((n) => error(n)),
    error(7, { outsideLoopCheck: true, action: 'not this', command: null }),
  ],
  fixesAttempted: [1, 2, 3, 4, 5, 6].map((n) => ({
    errorCategory: 'DEPENDENCY' as const,
    strategy: `fix ${n}`,
    changesMade: [],
    errorMessage: '',
    timestamp: start,
    success: n === 6,
    buildResult: null,
  })),
  archSpecificCode: [finding('low', 1), ...[2, 3, 4, 5, 6, 7].map((n) => finding('high', n))],
});

test('the report has the seed’s parts with their limits', () => {
  const report = escalationReport(failed, start + 125_000);
  for (const part of [
    'Summary',
    'Last error',
    'Fixes tried',
    'Architecture findings',
    'Recommendation',
    'Recent errors',
  ]) {
    assert.match(report, `## ${part}\n`);
  }
  assert.match(
    report,
    '- Repository: deb:demo\n- Status: FAILED\n- Attempts: 5 of 5\n- Cost: $0.1234 in 2 model calls\n- Duration: 2 min 5 s',
  );
  assert.is(report.match(/^- (worked|did not work): /gm)?.length, 5);
  assert.is(report.match(/^- high: inline asm/gm)?.length, 5);
  assert.is(report.match(/^- 2026-01-01T00:00:0\dZ medium DEPENDENCY/gm)?.length, 5);
  assert.not.match(report, 'f1.c');
});

test('the recommendation is the reason to escalate and the next step of the last build error', () => {
  const report = escalationReport(failed, start);
  assert.match(report, '- Maximum attempts (5) reached.\n- Next step: install the header.');
});

test('long texts are cut and cannot break out of their block', () => {
  const report = escalationReport(failed, start);
  assert.is((report.match(/```/g) ?? []).length, 2);
  const longest = Math.max(...report.split('\n').map((line) => line.length));
  assert.ok(longest < 560, `${longest}`);
});

test('a run that was given up without an error says that', () => {
  const report = escalationReport(agentState(), start + 5000);
  assert.match(report, 'None was recorded.');
  assert.match(report, 'None of high severity.');
  assert.match(report, '- A step of the port could not be done.');
  assert.match(report, '- Duration: 5 s');
});

test.run();
