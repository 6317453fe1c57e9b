/** Connects to a NATS server: the embedded one by its token, any other by its URL and credentials. */
import { readFileSync } from 'node:fs';
import type { ConnectionOptions, NatsConnection } from 'nats';
import { EngineError } from '../engine.ts';

/** A server on loopback answers in 5 ms, one across a continent within 1 s. */
const connectTimeoutMs = 5_000;
/** Between two tries to come back; the embedded server is back after 60 ms. */
const reconnectWaitMs = 100;
/** Lost servers are noticed by TCP at once on loopback; this is for networks that swallow packets. */
const pingIntervalMs = 20_000;

export interface NatsTarget {
  /** `nats://` or `tls://`, `user:password@` or `token@` in it, several separated by commas. */
  url: string;
  token?: string | undefined;
  /** Path of a credentials file (`NATS_CREDS`). */
  creds?: string | undefined;
}

/**
 * Connects; a connection that is lost later comes back by itself, for as long as it takes.
 * @throws EngineError `natsUnusable`: refused, unreachable, bad credentials; never shows a password
 */
export async function connectNats(target: NatsTarget, name: string): Promise<NatsConnection> {
  const nats = await import('nats');
  const options: ConnectionOptions = {
    ...parseNatsUrl(target.url),
    name,
    timeout: connectTimeoutMs,
    maxReconnectAttempts: -1,
    reconnectTimeWait: reconnectWaitMs,
    reconnectJitter: reconnectWaitMs,
    pingInterval: pingIntervalMs,
    ignoreAuthErrorAbort: true,
  };
  if (target.token) options.token = target.token;
  try {
    if (target.creds) options.authenticator = nats.credsAuthenticator(readFileSync(target.creds));
    return await nats.connect(options);
  } catch (error) {
    const why = (error as { code?: string }).code ?? (error as Error).message;
    throw new EngineError(
      'natsUnusable',
      `NATS at ${serverNames(options).join(', ')} cannot be used (${why}): check NATS_URL and its credentials`,
      { cause: error },
    );
  }
}

/** Reads a NATS URL (or several, by commas) into client options. @throws EngineError `natsUnusable` */
export function parseNatsUrl(text: string): ConnectionOptions {
  const options: ConnectionOptions = { servers: [] };
  const servers: string[] = [];
  for (const part of text.split(',')) {
    const trimmed = part.trim();
    const url = readUrl(trimmed.includes('://') ? trimmed : `nats://${trimmed}`);
    if (url.protocol !== 'nats:' && url.protocol !== 'tls:') throw badUrl();
    if (url.protocol === 'tls:') options.tls = {};
    if (url.password) {
      options.user = decodeURIComponent(url.username);
      options.pass = decodeURIComponent(url.password);
    } else if (url.username) {
      options.token = decodeURIComponent(url.username);
    }
    servers.push(`${url.hostname}:${url.port || '4222'}`);
  }
  options.servers = servers;
  return options;
}

function readUrl(text: string): URL {
  try {
    const url = new URL(text);
    if (!url.hostname) throw badUrl();
    return url;
  } catch {
    throw badUrl();
  }
}

/** Without the text: it may hold a password. */
function badUrl(): EngineError {
  return new EngineError(
    'natsUnusable',
    'NATS_URL is not a NATS address: write nats://HOST:PORT or tls://HOST:PORT, with user:password@ or token@ if needed',
  );
}

function serverNames(options: ConnectionOptions): string[] {
  return Array.isArray(options.servers) ? options.servers : [options.servers ?? 'its address'];
}
