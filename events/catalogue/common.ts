import { boolean, object, string } from '../schema.ts';

/** Names are checked by the coordinator against the effects that exist; the log keeps any that ever existed. */
export const effectNameSchema = string({ pattern: '^[a-z][A-Za-z]+$' });
export const failureSchema = object({ code: string(), message: string(), retryable: boolean() });
