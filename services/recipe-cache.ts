/**
 * The recipe cache: verified ports by package and sandbox kind, in one JSON file of the data folder.
 *
 * The file has the existing system's form, version 2.0 (upstream facts §12): `{ version, packages: { name:
 * { sandbox key: entry } } }` with snake_case names. It is replaced whole, under a lock.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { snakeCase } from '../events/agent-state-json.ts';
import { type RecipeCacheEntry, recipeCacheEntrySchema } from '../events/records.ts';
import { SandboxError } from '../sandbox/driver.ts';
import { withFileLock } from '../sandbox/file-lock.ts';
import { writeWhole } from './report/output-files.ts';

const formVersion = '2.0';
/** Source: upstream facts §12: after it the entry is dropped, for a cache is no reason to fail a port. */
const lockMs = 5_000;

type Packages = Record<string, Record<string, Record<string, unknown>>>;

const cachePath = (home: string): string => join(home, 'cache', 'recipe_cache.json');

/**
 * The latest entry for a source in a kind of sandbox, or null. Entries that this version cannot read are as if
 * they were not there.
 */
export async function findRecipe(
  home: string,
  source: string,
  sandboxKey: string,
): Promise<RecipeCacheEntry | null> {
  const wanted = normalSource(source);
  const found = Object.values(await readPackages(home))
    .map((kinds) => readEntry(kinds[sandboxKey]))
    .filter((entry) => entry !== null)
    .filter((entry) => entry.architecture === 'riscv64' && normalSource(entry.repoUrl) === wanted);
  return found.sort((a, b) => b.lastBuilt.localeCompare(a.lastBuilt))[0] ?? null;
}

/** Keeps a verified port. False when another process held the cache for too long: the entry is dropped. */
export async function keepRecipe(
  home: string,
  repoName: string,
  sandboxKey: string,
  entry: RecipeCacheEntry,
): Promise<boolean> {
  const stored = toSnake({ ...entry, lastBuilt: calendarTime(entry.lastBuilt) }) as Record<string, unknown>;
  return change(home, (packages) => {
    packages[repoName] = { ...packages[repoName], [sandboxKey]: stored };
  });
}

async function change(home: string, edit: (packages: Packages) => void): Promise<boolean> {
  const path = cachePath(home);
  try {
    await withFileLock(`${path}.lock`, { timeoutMs: lockMs }, async () => {
      const packages = await readPackages(home);
      edit(packages);
      await writeWhole(path, `${JSON.stringify({ version: formVersion, packages }, null, 2)}\n`);
    });
    return true;
  } catch (error) {
    if (error instanceof SandboxError && error.code === 'timedOut') return false;
    throw error;
  }
}

/** A cache that is not there, or cannot be read, is empty: the port is then built anew. */
async function readPackages(home: string): Promise<Packages> {
  try {
    const file = JSON.parse(await readFile(cachePath(home), 'utf8')) as { packages?: Packages };
    return file.packages ?? {};
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || error instanceof SyntaxError) return {};
    throw error;
  }
}

let fits: ((value: unknown) => boolean) | undefined;

function readEntry(stored: unknown): RecipeCacheEntry | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const entry = toCamel(stored);
  if (!fits) {
    const { Ajv } = createRequire(import.meta.url)('ajv') as typeof import('ajv');
    fits = new Ajv({ strictTypes: false }).compile(recipeCacheEntrySchema as object);
  }
  return fits(entry) ? (entry as RecipeCacheEntry) : null;
}

/** Two ways to write one address are one source: case of the host, a final slash, `.git`. */
export function normalSource(source: string): string {
  const url = /^https?:\/\//i.test(source) ? URL.parse(source) : null;
  const text = url ? `${url.host.toLowerCase()}${url.pathname}` : source;
  return text.replace(/\/+$/, '').replace(/\.git$/, '');
}

/** A machine gives epoch milliseconds, for a fold has no calendar. */
const calendarTime = (text: string): string =>
  /^\d+$/.test(text) ? new Date(Number(text)).toISOString() : text;

const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const toSnake = (value: unknown): unknown => rename(value, snakeCase);
const toCamel = (value: unknown): unknown => rename(value, camelCase);

function rename(value: unknown, name: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [name(key), rename(field, name)]));
}
