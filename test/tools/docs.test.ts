import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { eventSchemas } from '../../events/catalogue.ts';
import { array, nullable, object, oneOf, optional, string } from '../../events/schema.ts';
import { eventsPage, schemaText } from './docs/events-page.ts';
import { machinesPage } from './docs/machines-page.ts';
import { writersByField } from './docs/state-fields-page.ts';

/** The field table of the seed's agent state. */
const seedFields =
  `repo_url repo_name repo_path repo_tree package_analysis task_plan current_phase build_system_info
  build_plan build_status dependencies arch_specific_code attempt_count max_attempts last_successful_phase last_error
  last_error_category last_error_severity error_history fixes_attempted api_calls_made api_cost_usd api_tokens_in
  api_tokens_out scripted_ops_count execution_start_time context_cache file_content_cache command_results_cache
  scout_build_system_result scout_deps_result scout_arch_issues_result patches_generated porting_recipe
  build_artifacts curated_artifacts artifact_verification package_tests optimize_requested emulate_cpu cached_recipe
  machine_profile optimization audit_trail current_agent messages tests_run subgraph_outcome`.split(/\s+/);

/** Fields that a run is given at its start and never changes. */
const givenAtStart = [
  'repo_url',
  'repo_name',
  'task_plan',
  'max_attempts',
  'optimize_requested',
  'emulate_cpu',
];

const camel = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

test("every field of the seed's agent state is in the table, and every one that changes has an event that writes it", () => {
  const writers = writersByField();
  for (const field of seedFields) {
    const types = writers.get(camel(field));
    assert.ok(types, `${field} is missing`);
    if (!givenAtStart.includes(field) && field !== 'execution_start_time')
      assert.ok(types.length > 0, `nothing writes ${field}`);
  }
});

test('the event page has every type once', () => {
  const page = eventsPage();
  for (const type of Object.keys(eventSchemas)) assert.is(page.split(`### \`${type}\`\n`).length, 2, type);
});

test('a schema is told in words', () => {
  assert.is(schemaText(nullable(string())), 'string or null');
  assert.is(schemaText(array(oneOf(['a', 'b']))), 'list of a or b');
  assert.is(schemaText(object({ a: string(), b: optional(string()) })), '{ a, b? }');
});

test('the diagrams show all thirteen nodes', () => {
  const page = machinesPage();
  for (const node of [
    'init',
    'cached_recipe',
    'analyst',
    'heuristic_plan',
    'scout',
    'supervisor',
    'finish',
    'optimize',
  ])
    assert.match(page, `${node}_node -->`);
  for (const node of ['escalate_node', 'build_node', 'verify_node', 'fix_node', 'build_fix_subgraph'])
    assert.match(page, ` --> ${node}`);
});

test.run();
