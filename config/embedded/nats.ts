/** Embedded NATS with JetStream: finds or downloads a server binary and runs it on the loopback interface. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { supervise, type Log, type SupervisedServer } from './child.ts'
import { serviceAccount, serviceAccountText, serviceUser } from './nats-accounts.ts'
import { onKeptPort, pidFileOf } from './port.ts'

export interface NatsServer {
  readonly file: string
  readonly version: string
}

export interface StartedNats {
  /** Includes the service's password. */
  readonly url: string
  readonly version: string
  /** Whether acknowledged messages survive a power cut. Servers before 2.10 cannot guarantee that. */
  readonly syncAlways: boolean
  pid(): number | undefined
  /**
   * Applies the users' accounts and disconnects removed users. @throws Error if the server refuses the configuration
   */
  setUsers: (accounts: string) => Promise<void>
  stop(): Promise<void>
}

/** Where to look for the binary: NATS_SERVER_BIN and PATH of the environment, which only the settings read. */
export interface NatsPlaces {
  readonly bin?: string | undefined
  readonly path?: string | undefined
}

export interface NatsOptions extends NatsPlaces {
  readonly cache: string
  /** Number of ingest lanes; it cannot change once there is data. */
  readonly lanes: number
  readonly log: Log
}

const run = promisify(execFile)
const FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
/** Milliseconds until a failed download is tried again: a day. Most failures are due to a missing network. */
const RETRY_MS = 24 * 60 * 60_000
const APT_LIMIT_MS = 120_000
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
const HELP = `NATS with JetStream is required. Set NATS_URL to your server, or install nats-server 2.10 or newer:
  Debian, Ubuntu  apt-get install nats-server
  macOS           brew install nats-server
  Docker          docker run -p 127.0.0.1:4222:4222 nats:2 -js   (then NATS_URL=nats://127.0.0.1:4222)
  elsewhere       download a nats-server release and set NATS_SERVER_BIN to the binary`

/**
 * Starts NATS on the folder, with ingest subjects mapped to lanes, for the service and the stored users.
 * @throws Error if no server is found or it does not start
 */
export async function startNats(dir: string, options: NatsOptions): Promise<StartedNats> {
  const { file, version } = await findNatsServer(options.cache, options.log, options)
  const syncAlways = atLeast(version, 10)
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
  moveStreams(dir)
  const password = keptPassword(dir)
  const users = path.join(dir, USERS_FILE)
  if (!fs.existsSync(users)) fs.writeFileSync(users, '', { mode: 0o600 })
  return onKeptPort(dir, async (port) => {
    const config = path.join(dir, 'nats.conf')
    fs.rmSync(config, { force: true })
    fs.writeFileSync(
      config,
      configure(dir, port, syncAlways, serviceAccountText(options.lanes, JSON.stringify(password))),
      {
        mode: 0o600,
      },
    )
    const server = await supervise({
      name: 'nats-server',
      // A low memory limit and early garbage collection are enough: messages are on disk and pass through the heap only
      // briefly.
      command: ['env', 'GOMEMLIMIT=256MiB', 'GOGC=50', file, '-c', config],
      cwd: dir,
      ready: /Server is ready/,
      pidFile: pidFileOf(dir),
      log: options.log,
    })
    const url = `nats://${serviceUser}:${password}@127.0.0.1:${port}`
    const setUsers = (accounts: string) => changeUsers(server, users, accounts)
    return { url, version, syncAlways, pid: () => server.pid(), setUsers, stop: () => server.stop() }
  })
}

const USERS_FILE = 'users.conf'
const RELOAD_MS = 10_000

/** The service's password; created once per folder. */
function keptPassword(dir: string): string {
  const file = path.join(dir, 'nats.secret')
  if (!fs.existsSync(file)) fs.writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true })
  return fs.readFileSync(file, 'utf8').trim()
}

/** In folders from before accounts were separate, the streams are in the global account. */
function moveStreams(dir: string): void {
  const [before, now] = ['$G', serviceAccount].map((account) => path.join(dir, 'jetstream', account)) as [
    string,
    string,
  ]
  if (fs.existsSync(before) && !fs.existsSync(now)) fs.renameSync(before, now)
}

let changing: Promise<unknown> = Promise.resolve()

/** Changes are applied one after the other. */
function changeUsers(server: SupervisedServer, file: string, accounts: string): Promise<void> {
  const done = changing.catch(() => {}).then(() => writeUsers(server, file, accounts))
  changing = done
  return done
}

async function writeUsers(server: SupervisedServer, file: string, accounts: string): Promise<void> {
  const before = fs.readFileSync(file, 'utf8')
  if (before === accounts) return
  fs.writeFileSync(`${file}.new`, accounts, { mode: 0o600 })
  fs.renameSync(`${file}.new`, file)
  // Changed imports only take effect at the second reload (NATS 2.10.27).
  for (const _ of ['accounts', 'imports']) {
    const line = await server.told('SIGHUP', /Reloaded server configuration|.*Failed to reload.*/i, RELOAD_MS)
    if (line.startsWith('Reloaded')) continue
    fs.writeFileSync(file, before, { mode: 0o600 })
    throw new Error(`NATS rejected the accounts of its users: ${line}`)
  }
}

/** Messages have at most 8 MB. Disk use is limited by the streams' own limits. */
function configure(dir: string, port: number, syncAlways: boolean, account: string): string {
  return `listen: "127.0.0.1:${port}"
server_name: embedded
max_payload: 8MB
jetstream {
  store_dir: ${JSON.stringify(dir)}
  max_memory_store: 1GB
  max_file_store: 1TB${syncAlways ? '\n  sync_interval: always' : ''}
}
accounts {
${account}  include "${USERS_FILE}"
}
`
}

/**
 * Finds a server, preferably 2.10 or newer (the first that syncs every publish): the given file, PATH, the usual
 * folders, our cache, then a package unpacked into our cache, without root and without installing a service.
 * @throws Error that says what to install
 */
export async function findNatsServer(cache: string, log: Log, places: NatsPlaces = {}): Promise<NatsServer> {
  const cached = path.join(cache, 'nats', 'nats-server')
  const folders = [...(places.path ?? '').split(path.delimiter), ...FOLDERS].filter((folder) => folder !== '')
  const files = [places.bin ?? '', ...folders.map((folder) => path.join(folder, 'nats-server')), cached]
  let older: NatsServer | undefined
  for (const file of new Set(files)) {
    const found = await probe(file)
    if (found && atLeast(found.version, 10)) return found
    older ??= found
  }
  const fetched = await fetchServer(path.dirname(cached), log, older === undefined)
  if (fetched && atLeast(fetched.version, 10)) return fetched
  const best = older ?? fetched
  if (!best) throw new Error(HELP)
  log(
    `nats-server ${best.version} cannot sync every publish, so a power failure may lose acknowledged events. Use 2.10 or newer.`,
  )
  return best
}

/**
 * Accepts every release from 2.9 on. Undefined for a binary that does not run here, for example one for another
 * platform.
 */
async function probe(file: string): Promise<NatsServer | undefined> {
  if (file === '' || !fs.existsSync(file)) return undefined
  const { stdout } = await run(file, ['--version']).catch(() => ({ stdout: '' }))
  const version = /v(\d+\.\d+\.\d+)/.exec(stdout)?.[1]
  return version && atLeast(version, 9) ? { file, version } : undefined
}

function atLeast(version: string, minor: number): boolean {
  const [major = 0, second = 0] = version.split('.').map(Number)
  return major > 2 || (major === 2 && second >= minor)
}

/**
 * Without `urgent` (an older server exists), a failed download is not repeated within a day, so that a machine without
 * a network does not wait at every start.
 */
async function fetchServer(folder: string, log: Log, urgent: boolean): Promise<NatsServer | undefined> {
  const failed = path.join(folder, 'fetch-failed')
  const recent = fs.existsSync(failed) && Date.now() - fs.statSync(failed).mtimeMs < RETRY_MS
  if ((recent && !urgent) || !fs.existsSync('/usr/bin/apt-get')) return undefined
  log('downloading nats-server (4 MB, once) ...')
  fs.mkdirSync(folder, { recursive: true })
  const source = debianSource()
  // The machine's own release may have no package or an older one, but outside Debian it is the only source.
  const newer = source ? await fetchPackage(folder, `${source} trixie main\n`, log) : undefined
  const best = newer ?? (await fetchPackage(folder, undefined, log))
  if (!best) fs.writeFileSync(failed, '')
  return best
}

/**
 * The first Debian mirror in the machine's sources, as a line of a sources list without the suite; undefined if the
 * machine has no Debian keyring.
 */
function debianSource(): string | undefined {
  const parts = '/etc/apt/sources.list.d'
  const files = fs.existsSync(parts) ? fs.readdirSync(parts).map((name) => path.join(parts, name)) : []
  const text = ['/etc/apt/sources.list', ...files]
    .filter((file) => /\.(list|sources)$/.test(file) && fs.existsSync(file))
    .map((file) => fs.readFileSync(file, 'utf8').replace(/^#.*$/gm, ''))
    .join('\n')
  const mirror = text.match(/\b(?:https?|mirror\+file|file):\S+/g)?.find((uri) => /\/debian\/?$/.test(uri))
  return mirror && fs.existsSync(KEYRING) ? `deb [signed-by=${KEYRING}] ${mirror}` : undefined
}

/**
 * Downloads the package with apt, which verifies signatures, and unpacks its binary into the folder. `sources` replaces
 * the machine's sources list. Lists and archives are in a private folder, so root is not needed.
 */
async function fetchPackage(folder: string, sources: string | undefined, log: Log): Promise<NatsServer | undefined> {
  const dir = fs.mkdtempSync(path.join(folder, 'apt-'))
  const list = path.join(dir, 'sources.list')
  const own = sources ? [`Dir::Etc::SourceList=${list}`, 'Dir::Etc::SourceParts=/dev/null'] : []
  const lists = [`Dir::State::Lists=${dir}/lists`, `Dir::Cache=${dir}/cache`]
  const limits = [
    'APT::Sandbox::User=',
    'Acquire::http::Timeout=15',
    'Acquire::https::Timeout=15',
    'Acquire::Retries=1',
  ]
  const options = [...own, ...lists, ...limits].flatMap((option) => ['-o', option])
  const apt = (...args: string[]) => run('apt-get', ['-qq', ...options, ...args], { cwd: dir, timeout: APT_LIMIT_MS })
  try {
    fs.mkdirSync(path.join(dir, 'lists', 'partial'), { recursive: true })
    fs.mkdirSync(path.join(dir, 'cache', 'archives', 'partial'), { recursive: true })
    if (sources) fs.writeFileSync(list, sources)
    await apt('update')
    await apt('download', 'nats-server')
    const deb = fs.readdirSync(dir).find((name) => name.endsWith('.deb')) ?? ''
    await run('dpkg-deb', ['-x', path.join(dir, deb), path.join(dir, 'root')])
    // Renamed into place, so that two simultaneous starts both end with a complete file.
    fs.renameSync(path.join(dir, 'root', 'usr', 'sbin', 'nats-server'), path.join(folder, 'nats-server'))
    return await probe(path.join(folder, 'nats-server'))
  } catch (error) {
    log(`nats-server could not be downloaded: ${String(error).trim().split('\n').at(-1)}`)
    return undefined
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
}
