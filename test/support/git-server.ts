/** A real git server on loopback: smart http by git's own `http-backend`, repositories made out of folders. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commitTree, undatedSeconds } from '../../services/sources/commit-tree.ts';
import { copyTree } from '../../services/sources/copy-files.ts';
import { type GitHost, gitHost } from '../../services/sources/git-host.ts';

export interface GitServer {
  /** `http://127.0.0.1:PORT` */
  url: string;
  /** Folder of the bare repositories. */
  root: string;
  git: GitHost;
  /** Paths asked for, in order. */
  requests: string[];
  /** Makes `NAME.git` with one commit of the folder's files; the same files give the same commit. */
  addRepository(
    name: string,
    folder: string,
    options?: { tag?: string },
  ): Promise<{ url: string; commit: string }>;
  /** Answers a request itself instead of git when it returns a status. */
  intercept(rule: (request: IncomingMessage) => number | null): void;
  close(): Promise<void>;
}

/** Starts a server on a free port; `close` ends it and removes its repositories. */
export async function startGitServer(): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), 'atesor-git-server-'));
  const git = await gitHost(join(root, '.host'));
  const requests: string[] = [];
  let rule: (request: IncomingMessage) => number | null = () => null;
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const status = rule(request);
    if (status === null) return backend(root, request, response);
    request.resume();
    response.writeHead(status, status === 401 ? { 'www-authenticate': 'Basic realm="test"' } : {}).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    root,
    git,
    requests,
    async addRepository(name, folder, options = {}) {
      const tree = join(root, `.tree-${name}`);
      await copyTree(folder, tree, root);
      const commit = await commitTree(git, tree, { message: `Files of ${name}`, date: undatedSeconds });
      if (options.tag) await git.run(['-C', tree, 'tag', '--no-sign', options.tag]);
      await publish(git, tree, join(root, `${name}.git`));
      return { url: `${url}/${name}.git`, commit };
    },
    intercept(next) {
      rule = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function publish(git: GitHost, tree: string, bare: string): Promise<void> {
  await rm(bare, { recursive: true, force: true });
  await git.run(['clone', '-q', '--bare', '--', tree, bare], { env: { GIT_ALLOW_PROTOCOL: 'file' } });
  await git.run(['-C', bare, 'update-server-info']);
}

/** One request through git's CGI program. */
function backend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const length = request.headers['content-length'];
  const cgi = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      HOME: root,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      REMOTE_USER: 'local',
      REMOTE_ADDR: '127.0.0.1',
      ...(length === undefined ? {} : { CONTENT_LENGTH: length }),
    },
  });
  request.pipe(cgi.stdin);
  cgi.stdin.on('error', () => {});
  // Not `request.on('close')`: that comes when the body has been read, and the clone would be cut short.
  response.on('close', () => cgi.kill());
  let head: Buffer | null = Buffer.alloc(0);
  cgi.stdout.on('data', (chunk: Buffer) => {
    if (head === null) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const body = head.subarray(end + 4);
    writeHead(head.subarray(0, end).toString(), response);
    head = null;
    response.write(body);
  });
  cgi.stdout.on('end', () => response.end());
}

function writeHead(text: string, response: ServerResponse): void {
  let status = 200;
  for (const line of text.split('\r\n')) {
    const [name = '', ...value] = line.split(':');
    if (name.toLowerCase() === 'status') status = Number.parseInt(value.join(':'), 10);
    else response.setHeader(name, value.join(':').trim());
  }
  response.writeHead(status);
}
