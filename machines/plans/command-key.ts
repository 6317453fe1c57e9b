/** The key that a command's success is cached under: what would have to be the same for the same outcome. */
import { textDigest } from '../text-digest.ts';

export interface CommandIdentity {
  command: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Counts changes of the tree by fixes; a success before a change says nothing after it. */
  treeVersion: number;
  /** A command that stands twice in a plan is run twice. */
  phaseId: number;
  index: number;
}

/** Equal for equal identities, whatever the order of the environment's names. */
export function commandKey(identity: CommandIdentity): string {
  const { command, cwd, env, treeVersion, phaseId, index } = identity;
  const sorted = Object.keys(env)
    .toSorted()
    .map((name) => [name, env[name]]);
  return `${phaseId}.${index}.${treeVersion}:${textDigest(JSON.stringify([command, cwd, sorted]))}`;
}
