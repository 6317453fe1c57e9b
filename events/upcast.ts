/**
 * Reading bodies that older versions of the schemas wrote. Stored bytes are never rewritten: a pure upcaster
 * turns version n of a type into n + 1 on every read.
 */
import { type EventType, eventVersions } from './catalogue.ts';
import type { EventBody } from './envelope.ts';
import { LogError } from './log-error.ts';

/** Turns the data of version n (its key) into that of version n + 1. Total and pure. */
export type Upcaster = (data: Record<string, unknown>) => Record<string, unknown>;
export type Upcasters = Partial<Record<EventType, Record<number, Upcaster>>>;

/** None yet: every type is at version 1. */
export const upcasters: Upcasters = {};

/** A stored body as today's code knows it. @throws LogError `unknownVersion`; SyntaxError when it is no JSON */
export function parseBody(
  stored: string,
  versions: Partial<Record<EventType, number>> = eventVersions,
  table: Upcasters = upcasters,
): EventBody {
  const body = JSON.parse(stored) as EventBody;
  const current = versions[body.type] ?? 1;
  return body.version === current ? body : upcast(body, current, table);
}

function upcast(body: EventBody, current: number, table: Upcasters): EventBody {
  if (body.version > current)
    throw new LogError(
      'unknownVersion',
      `${body.type} ${body.id} has version ${body.version}, this program knows ${current}: use the newer atesor`,
    );
  let data = body.data as Record<string, unknown>;
  for (let version = body.version; version < current; version++) {
    const step = table[body.type]?.[version];
    if (step === undefined)
      throw new LogError('unknownVersion', `${body.type} version ${version} has no upcaster`);
    data = step(data);
  }
  return { ...body, version: current, data } as EventBody;
}
