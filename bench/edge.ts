/**
 * Requests a second of the edge, a process with that role alone, for a list of 20, one resource, a report and a write,
 * against a bare node:http process that answers the same bytes, and against one that asks PostgreSQL the same statements first,
 * prepared, through one pool (of a write also one INSERT of its own); 32 keep-alive connections from a process of their own.
 * The engine runs in this process and the stores on the same machine, so their work takes from the edge's share: the processor
 * time of the serving process alone is told too. Then p99 at half the edge's peak, what authentication takes of a request, and
 * how soon another process refuses what was taken back.
 * Usage: npm run -s bench -- edge [--seconds 2] [--rounds 3] [--resources 5000] [--only list]
 *        [--profile FOLDER]   writes a processor profile of the edge there
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createOrganization } from '#http/identity/organization/organization.ts'
import { createToken } from '#http/identity/token/pat.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { hearing } from './harness/asked.ts'
import type { Stored } from './harness/bare-store-server.ts'
import { costOf, revocationOf } from './harness/authentication.ts'
import { load, loadInventory } from './harness/bill.ts'
import { startProduct } from './harness/engine-process.ts'
import type { Hits, Shots } from './harness/requests.ts'
import { figure, goal, quantile, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    resources: { type: 'string', default: '5000' },
    only: { type: 'string', default: '' },
    profile: { type: 'string' },
  },
})
const [ms, rounds] = [Number(values.seconds) * 1000, Number(values.rounds)]
const connections = 32

interface Call {
  method: 'GET' | 'PATCH'
  path: string
  body?: string
}

interface Round {
  perSecond: number
  /** Microseconds of the serving process, a request. */
  cpu: number
}

const credentialsKey = Buffer.alloc(32).toString('base64')
const set = await stage({ env: { LOG_LEVEL: 'silent', RATE_LIMIT: '0', CREDENTIALS_KEY: credentialsKey } })
const { connections: stores, product, end } = await set.product()
product.get(tokens.engine).start()
const { id: orgId } = await createOrganization(stores.orm.em.fork(), 'bench')
const { secret } = await createToken(stores.orm.em.fork(), orgId, { role: 'owner', name: 'bench' })
await load(stores.clickhouse, { orgId, facts: 100_000, perResourceDay: 24 })
await loadInventory(stores.store.pool, orgId, Number(values.resources))
const routes = await calls()

const edgePort = await freePort()
const edgeUrl = `http://127.0.0.1:${edgePort}`
const edge = await startProduct(edgeSettings(), 'Listening at')
const generator = child('requests')
const bare = child('bare-server')
const stored = await answers()
bare.send(stored)
const [barePort] = (await once(bare, 'message')) as [number]
const bareStore = child('bare-store-server')
bareStore.send({ url: set.stores.postgres.url, stored })
const [bareStorePort] = (await once(bareStore, 'message')) as [number]

say(
  '                       requests/s                         CPU us a request                   of the one with stores   p99 ms at half load',
)
say('                        node:http with stores       edge  node:http with stores       edge       rate        CPU')
const cpuOf = new Map<string, number>()
for (const [name, own] of Object.entries(routes)) if (name.includes(values.only)) await measure(name, own)
await authentication()
await edge.end('SIGTERM')
for (const process of [generator, bare, bareStore]) process.disconnect()
await end()
await set.close()
process.exit(0)

function edgeSettings(): Record<string, string> {
  const { postgres, nats, clickhouse } = set.stores
  return {
    TIDEMARK_ROLE: 'edge',
    TIDEMARK_DATA_DIR: mkdtempSync(path.join(set.settings.dataDir, 'edge-')),
    TIDEMARK_LANES: String(set.settings.lanes),
    CLOUD_DRIVER: 'simulated',
    PORT: String(edgePort),
    CREDENTIALS_KEY: credentialsKey,
    RATE_LIMIT: '0',
    AUTH_RATE_LIMIT: '0',
    POSTGRES_URL: postgres.url,
    NATS_URL: nats.url,
    CLICKHOUSE_URL: `${clickhouse.url}/${clickhouse.database}`,
    ...(values.profile && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${values.profile}` }),
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

function child(name: string): ChildProcess {
  return fork(path.join(import.meta.dirname, `harness/${name}.ts`), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
}

async function calls(): Promise<Record<string, Call[]>> {
  const { rows } = await stores.store.pool.query<{ id: string }>(
    'select id from resource where org_id = $1 limit 200',
    [orgId],
  )
  return {
    'list of 20': [{ method: 'GET', path: '/resources?limit=20' }],
    detail: rows.map(({ id }) => ({ method: 'GET', path: `/resources/${id}` })),
    report: [{ method: 'GET', path: '/reports/summary?period=2025-12' }],
    write: Array.from({ length: 8 }, (_, a) => ({
      method: 'PATCH',
      path: `/cloud-accounts/acct-${a}`,
      body: JSON.stringify({ name: `Account ${a}` }),
    })),
  }
}

/** What the edge answers to each call and asks for it, for the bare servers to do again. */
async function answers(): Promise<Record<string, Stored>> {
  const given: Record<string, Stored> = {}
  // In its first ten seconds an edge keeps no answer, and would be heard to count for every page.
  await sleep(Math.max(0, 10_500 - performance.now()))
  const own = await hearing(product.get(tokens.edge).callback(), orgId)
  await stores.store.pool.query('create table bench_write (body jsonb not null)')
  for (const { method, path: at, body } of Object.values(routes).flat()) {
    const headers = { Authorization: `Bearer ${secret}`, ...(body && { 'Content-Type': 'application/json' }) }
    const ask = (url: string) => fetch(url + at, { method, headers, ...(body && { body }) })
    // What is asked once in seconds, as who calls, is asked before.
    await ask(own.url)
    const [, asked] = await own.heard(() => ask(own.url).then((answer) => answer.text()))
    if (asked.length === 0) throw new Error(`${method} ${at} was not heard to ask anything`)
    const response = await ask(edgeUrl)
    if (!response.ok) throw new Error(`${method} ${at}: ${await response.text()}`)
    const said = [...response.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name))
    const written = body ? [{ text: 'insert into bench_write (body) values ($1)', values: [body] }] : []
    given[`${method} ${at}`] = {
      status: response.status,
      headers: Object.fromEntries(said),
      body: await response.text(),
      asked: [...asked, ...written],
    }
  }
  await own.close()
  return given
}

async function measure(name: string, own: Call[]): Promise<void> {
  const ports = { plain: barePort, stores: bareStorePort, ours: edgePort }
  const pids = { plain: bare.pid!, stores: bareStore.pid!, ours: edge.pid }
  const measured: Record<keyof typeof ports, Round[]> = { plain: [], stores: [], ours: [] }
  const all = Object.keys(ports) as (keyof typeof ports)[]
  const requests = own.map(text)
  for (const one of all) await shoot({ port: ports[one], requests, connections, ms: 2 * ms })
  for (let round = 0; round < rounds; round++)
    for (const one of all) measured[one].push(await timed(pids[one], { port: ports[one], requests, connections, ms }))
  const of = (one: keyof typeof ports, key: keyof Round) =>
    quantile(
      measured[one].map((round) => round[key]),
      0.5,
    )
  const half = await shoot({ port: edgePort, requests, connections, ms, rate: of('ours', 'perSecond') / 2 })
  const p99 = quantile(half.latencies, 0.99)
  const rate = of('ours', 'perSecond') / of('stores', 'perSecond')
  const cpu = of('stores', 'cpu') / of('ours', 'cpu')
  const cells = [...all.map((one) => of(one, 'perSecond')), ...all.map((one) => of(one, 'cpu')), rate, cpu, p99]
  say(`${name.padEnd(22)} ${cells.map((cell) => figure(cell).padStart(11)).join('')}`)
  cpuOf.set(name, of('ours', 'cpu'))
  goal('P7', `${name}, requests a second of node:http with the same statements`, rate, { min: 0.5 })
  goal('P7', `${name}, p99 at half load`, p99, { max: 25 }, ' ms')
}

async function authentication(): Promise<void> {
  product.site.publicUrl = edgeUrl
  const identity = product.get(tokens.identity)
  const cost = await costOf(identity, orgId, secret)
  say(
    `\nwho calls, CPU us: personal access token ${figure(cost.token)}, session ${figure(cost.session)}, its first request ${figure(cost.first)}`,
  )
  for (const [name, cpu] of cpuOf) {
    say(`${name.padEnd(22)} authentication is ${figure((100 * cost.session) / cpu)} % of a request`)
  }
  say(
    `refused by another process after ${figure(await revocationOf(identity, orgId, edgeUrl))} ms at most (promise 5,000)`,
  )
}

async function timed(pid: number, shots: Shots): Promise<Round> {
  const before = cpuSeconds(pid)
  const { perSecond, latencies } = await shoot(shots)
  return { perSecond, cpu: ((cpuSeconds(pid) - before) / latencies.length) * 1e6 }
}

async function shoot(shots: Shots): Promise<Hits> {
  generator.send(shots)
  const [hits] = (await once(generator, 'message')) as [Hits]
  if (hits.refused > 0) throw new Error(`${hits.refused} requests were refused`)
  return hits
}

function text({ method, path: at, body }: Call): string {
  const head = [`${method} ${at} HTTP/1.1`, 'Host: here', `Authorization: Bearer ${secret}`]
  const more = body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`] : []
  return [...head, ...more, '', body ?? ''].join('\r\n')
}

/** Of all threads, from Linux's books in hundredths; not a number elsewhere. */
function cpuSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return Number.NaN
  }
}
