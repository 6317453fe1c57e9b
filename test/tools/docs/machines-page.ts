/** docs/generated/machines.md: diagrams of the parent machine and the subgraph, and the routing tables. */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { buildFixMachine } from '../../../machines/build-fix.ts';
import { portMachine } from '../../../machines/port.ts';
import { routingTables } from '../../../machines/routing.ts';

interface Edge {
  from: string;
  to: string;
  label: string;
}

/** `xstate.done.actor.init_node` is that the node has ended: no label needed. */
const eventLabel = (eventType: string): string =>
  eventType.startsWith('xstate.done.')
    ? ''
    : eventType.startsWith('xstate.error.')
      ? 'failed'
      : eventType.replace(/^xstate\.after\..*/, 'after a time');

const edgesOf = (state: AnyStateNode): Edge[] => {
  const transitions = [...state.transitions.values()].flat().concat(state.always ?? []);
  return transitions.flatMap(({ eventType, target, guard }) => {
    const named = typeof guard === 'string' ? guard : '';
    const label = [eventLabel(eventType), named].filter((part) => part !== '').join(', ');
    return (target ?? []).map((to: AnyStateNode) => ({ from: state.key, to: to.key, label }));
  });
};

const mermaid = (machine: AnyStateMachine): string => {
  const states = Object.values(machine.root.states) as AnyStateNode[];
  const edges = states.flatMap(edgesOf);
  const lines = [
    `[*] --> ${String(machine.config.initial)}`,
    ...edges.map(({ from, to, label }) => `${from} --> ${to}${label === '' ? '' : `: ${label}`}`),
    ...states.filter(({ type }) => type === 'final').map(({ key }) => `${key} --> [*]`),
  ];
  return `\`\`\`mermaid\nstateDiagram-v2\n${[...new Set(lines)].map((line) => `  ${line}\n`).join('')}\`\`\`\n`;
};

const routingTable = ([node, rows]: [string, readonly { row: string; to: string }[]]): string =>
  `### From \`${node}\`\n\n| when | to |\n| --- | --- |\n${rows.map(({ row, to }) => `| ${row} | \`${to}\` |\n`).join('')}`;

export const machinesPage = (): string =>
  `# Machines

A run is the port machine; each state named after a node calls that node's machine. At any time a cancel leads to
\`closing\`, and the limit on node visits to \`escalate_node\`.

## Port

${mermaid(portMachine)}
## Build-fix subgraph

${mermaid(buildFixMachine)}
## Routing tables

Rows are tried in order; the first that holds decides.

${Object.entries(routingTables).map(routingTable).join('\n')}`;
