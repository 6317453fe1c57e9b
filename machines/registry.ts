/** Which names that a machine invokes are machines, and which are effects. */
import type { AnyStateMachine } from 'xstate';
import { type NodeName, nodeNames } from '../events/records.ts';
import { buildFixMachine } from './build-fix.ts';
import { type EffectName, effectCapability } from './effects.ts';
import { portMachine } from './port.ts';

const machines: Readonly<Record<string, AnyStateMachine>> = {
  port: portMachine,
  ...(portMachine.implementations.actors as Record<string, AnyStateMachine>),
  ...(buildFixMachine.implementations.actors as Record<string, AnyStateMachine>),
};

export const isEffectName = (name: string): name is EffectName => Object.hasOwn(effectCapability, name);

export const isNodeName = (name: string): name is NodeName => (nodeNames as readonly string[]).includes(name);

/** @throws when there is no such machine: a fault of ours, found by the first test that reaches it */
export function machineOf(name: string): AnyStateMachine {
  const found = machines[name];
  if (!found || isEffectName(name)) throw new Error(`There is no machine named ${name}.`);
  return found;
}

/** Machines that keep the projected state up to date in their context. */
export const listensToFacts = (name: string): boolean => machineOf(name).events.includes('facts');
