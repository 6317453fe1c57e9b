/** Checks of events on their way into the log. */
import { createRequire } from 'node:module';
import type { Ajv, ValidateFunction } from 'ajv';
import { eventPrefixes, eventSchemas, eventVersions, inputEventTypes } from './catalogue.ts';
import type { EventBody } from './envelope.ts';
import { LogError } from './log-error.ts';
import { nodeNames } from './records.ts';

/** The place in its run that an event must name. */
export interface EventPlace {
  runId: string;
  seq: number;
}

const inputTypes: ReadonlySet<string> = new Set(inputEventTypes);
const prefixes: ReadonlySet<string> = new Set(eventPrefixes);
const nodes: ReadonlySet<string> = new Set(nodeNames);
const typePattern = /^([a-z][A-Za-z]*)\.[a-z][A-Za-z]*$/;
/** A run id is one token of a NATS subject: no blank, dot or wildcard. */
const runIdPattern = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Checks an event's envelope and, against its schema, its data.
 * @throws LogError `invalidEvent`; the message has the exact path, e.g. `data.error.category must be equal to …`
 */
export function assertEvent(event: EventBody, place: EventPlace): void {
  const problem = envelopeProblem(event, place) ?? dataProblem(event.type, event.data);
  if (problem !== null)
    throw new LogError('invalidEvent', `${event.type} ${place.runId}-${place.seq}: ${problem}`);
}

/** What is wrong with the envelope, or null. */
export function envelopeProblem(event: EventBody, place: EventPlace): string | null {
  const prefix = typePattern.exec(event.type)?.[1];
  if (prefix === undefined || !prefixes.has(prefix))
    return `type must be prefix.factInPast with one of the prefixes ${eventPrefixes.join(' ')}`;
  if (!Object.hasOwn(eventSchemas, event.type)) return 'type is not in the catalogue of events';
  if (!runIdPattern.test(place.runId)) return `runId must match ${runIdPattern.source}`;
  if (event.runId !== place.runId) return `runId must be ${place.runId}, not ${event.runId}`;
  if (event.seq !== place.seq) return `seq must be ${place.seq}, not ${event.seq}`;
  const id = `${place.runId}-${place.seq}`;
  if (event.id !== id) return `id must be ${id}, not ${event.id}`;
  const kind = inputTypes.has(event.type) ? 'input' : 'derived';
  if (event.kind !== kind) return `kind must be ${kind}, not ${event.kind}`;
  const version = eventVersions[event.type] ?? 1;
  if (event.version !== version) return `version must be ${version}, not ${event.version}`;
  return fieldProblem(event);
}

function fieldProblem(event: EventBody): string | null {
  if (!isCount(event.at)) return 'at must be epoch milliseconds, a whole number';
  if (typeof event.actor !== 'string' || event.actor === '') return 'actor must be a path';
  if (event.node !== null && !nodes.has(event.node)) return `node must be null or one of the 13 nodes`;
  if (event.visit !== null && !isCount(event.visit)) return 'visit must be null or a whole number';
  if (event.causationId !== null && typeof event.causationId !== 'string')
    return 'causationId must be null or the id of an event';
  if (!isCount(event.commit) || event.commit < event.seq) return 'commit must be a seq at or after its own';
  if (!isCount(event.epoch)) return 'epoch must be a whole number';
  return null;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** What is wrong with the data of an event of this type, or null. */
export function dataProblem(type: string, data: unknown): string | null {
  const validate = validatorOf(type);
  if (validate(data)) return null;
  const first = validate.errors?.[0];
  const path = `data${(first?.instancePath ?? '').replaceAll('/', '.')}`;
  const extra = first?.params as { additionalProperty?: string; allowedValues?: unknown[] } | undefined;
  if (extra?.additionalProperty !== undefined) return `${path}.${extra.additionalProperty} is not expected`;
  if (extra?.allowedValues !== undefined) return `${path} must be one of ${extra.allowedValues.join(', ')}`;
  return `${path} ${first?.message ?? 'does not fit its schema'}`;
}

const validators = new Map<string, ValidateFunction>();
let ajv: Ajv | undefined;

/** Compiled at first use: ajv and all schemas cost more than a cold start of the command line may. */
function validatorOf(type: string): ValidateFunction {
  let validate = validators.get(type);
  if (validate === undefined) {
    const schema = eventSchemas[type as keyof typeof eventSchemas];
    if (schema === undefined) throw new LogError('invalidEvent', `${type} is not in the catalogue of events`);
    ajv ??= newAjv();
    validate = ajv.compile(schema as object);
    validators.set(type, validate);
  }
  return validate;
}

function newAjv(): Ajv {
  // `require`, because appending is synchronous and `import()` is not.
  const { Ajv: Class } = createRequire(import.meta.url)('ajv') as typeof import('ajv');
  return new Class({ strict: true, strictTypes: false, allErrors: false });
}
