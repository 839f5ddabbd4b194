import { randomUUID } from 'node:crypto'
import { pollMs, type EffectTools } from '#engine/run/effect.ts'
import { parseJson } from '#engine/value/json.ts'
import type { Clock } from '#engine/actor/ports.ts'
import { balanceMs } from '#engine/run/engine.ts'
import type { Event } from '#engine/run/publisher.ts'
import type { Static, TSchema } from '#engine/value/schema.ts'
import type { Subject } from '#engine/actor/subject.ts'
import { serve, type Serving } from '#http/edge/serve.ts'
import { createOrganization } from '#http/identity/organization/organization.ts'
import { createToken } from '#http/identity/token/pat.ts'
import type { TokenScope } from '#http/identity/entity.ts'
import type { SystemRole } from '#http/identity/organization/role.ts'
import type { Gate } from '#config/analyst/gate.ts'
import { openAnalysts } from '#config/analyst/open-analysts.ts'
import { build } from '#config/wiring/container.ts'
import { tokens, type Product } from '#config/wiring/tokens.ts'
import type { ProductClock } from '#config/process/clock.ts'
import { connect, type Connections } from '#config/state/connect.ts'
import { waitUntilSettled } from '#config/state/wait-for-ingest.ts'
import { Sender } from '#engine/run/sender.ts'
import { urlsOf } from '#config/product/product.ts'
import { readSettings } from '#config/settings/settings.ts'
import type { Connector } from '#streams/cloud/connector.ts'
import { routes, site } from '#http/index.ts'
import { noEdge } from '#test/harness/site.ts'
import { watchCodes } from '#test/harness/declared-code.ts'
import { memberOf } from '#test/harness/member.ts'
import { testFolder, testLanes, testStores } from '#test/harness/stores.ts'

export interface TestProduct {
  connections: Connections
  product: Product
  url: string
  /** Where analysts ask ClickHouse. */
  analystsUrl: string
}

let started: Promise<TestProduct> | undefined
let serving: Serving | undefined
let gate: Gate | undefined

/** The whole product in this process, on the run's own servers, with the test hooks on; shared by all tests. */
export function testProduct(): Promise<TestProduct> {
  started ??= (async () => {
    const stores = await testStores()
    const settings = readSettings({
      TIDEMARK_DATA_DIR: testFolder(),
      TIDEMARK_LANES: String(testLanes),
      TIDEMARK_TEST_HOOKS: '1',
      ALLOW_PRIVATE_ADDRESSES: '1',
      EGRESS_CIDRS: '198.51.100.10/32,203.0.113.7/32',
      CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'),
      LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
      RATE_LIMIT: '0',
      AUTH_RATE_LIMIT: '0',
      CHANNEL_MESSAGES_PER_SECOND: '0',
      NOTIFICATIONS_PER_SECOND: '0',
      INBOUND_RATE_LIMIT: '0',
      OUTSIDE_MAILS_PER_DAY: '0',
      OUTSIDE_MAILS_PER_RECIPIENT: '0',
      EXPORTS_PER_HOUR: '0',
      ORGANIZATIONS_PER_DAY: '0',
      ...sourceSecrets,
    })
    const quiet = {
      info: () => {},
      warn: (...a: any[]) => process.env['TEST_LOG'] && console.error(a[1], a[0]?.err?.message),
      error: (...a: any[]) => process.env['TEST_LOG'] && console.error(a),
    }
    const connections = await connect(settings, urlsOf(stores), quiet)
    const product = build(connections)
    product.get(tokens.dns).txtRecords = async (name) => dnsRecords.get(name) ?? []
    withoutHistory(product)
    withOwnClouds(product)
    // The engine takes what tests put in the place of others' doors as it is made.
    lookOften(product)
    balanceRarely(product)
    product.get(tokens.engine).start()
    watchCodes(
      product.get(tokens.edge),
      site(routes, { version: '1', ready: async () => [], hooks: true, within: noEdge }),
    )
    serving = await serve(product.get(tokens.edge), { port: 0, host: '127.0.0.1' })
    product.site.publicUrl = serving.url
    gate = (await openAnalysts({ connections, product }, stores.clickhouse.url))!
    return { connections, product, url: serving.url, analystsUrl: gate.url }
  })()
  return started
}

/** Looks again soon: what was published takes a few hundred milliseconds, of which pauses of a tenth of a second would be a part. */
const impatient = (clock: ProductClock): ProductClock => ({
  ...clock,
  sleep: (ms, signal) => clock.sleep(Math.min(ms, 20), signal),
})

/** What hosts of sources and builders share with the test product: to be found nowhere but where it is given. */
export const sourceSecrets = {
  SOURCE_APP_WEBHOOK_SECRET: 'whsec-test-1',
  SOURCE_APP_WEBHOOK_SECRET_PREVIOUS: 'whsec-before-1',
  GITLAB_WEBHOOK_SECRET: 'gitlab-planted-1',
  BITBUCKET_WEBHOOK_SECRET: 'bitbucket-planted-1',
  AZURE_DEVOPS_WEBHOOK_SECRET: 'azure-planted-1',
  SOURCE_API_TOKEN: 'status-token-planted-1',
  BUILD_CALLBACK_SECRET: 'callback-planted-1',
} as const

/** The TXT records that the product finds in the DNS, by their names. */
export const dnsRecords = new Map<string, string[]>()

/**
 * Mails and messages that a request leaves to the engine are looked for twice a second: most of what such a test would take. Here they are
 * looked for when a request has been answered, and ten times a second.
 */
function lookOften(product: Product): void {
  const effects = product.get(tokens.engine)['effects']
  const { tools } = effects as unknown as { tools: EffectTools }
  const { clock } = tools
  tools.clock = { ...clock, sleep: (ms, signal) => clock.sleep(ms === pollMs ? 100 : ms, signal) }
  product.get(tokens.edge).middleware.unshift(async (ctx, next) => {
    await next()
    if (ctx.method !== 'GET') effects.tell()
  })
}

/** One process has all lanes: to look twenty times a second whether another one wants some is 3% of all that a run computes. */
function balanceRarely(product: Product): void {
  const { options } = product.get(tokens.engine) as unknown as { options: { clock: Clock } }
  const { clock } = options
  options.clock = { ...clock, sleep: (ms, signal) => clock.sleep(ms === balanceMs ? 1000 : ms, signal) }
}

/**
 * A test that connects an account of the simulated cloud says itself what is billed, unless it switches this on: a year of bills takes its
 * time. Those before the day `since` are left out.
 */
export const simulatedBills = { areOn: false, since: '' }

function withoutHistory(product: Product): void {
  const cloud = product.get(tokens.clouds).simulated
  const bill = cloud.bill.bind(cloud)
  // Beyond the last day there are no lines, but planned faults strike all the same.
  cloud.bill = (account, from, to) => {
    const { areOn, since } = simulatedBills
    return bill(account, areOn ? (from < since ? since : from) : '2999-01-01', to)
  }
}

/** Clouds of tests, by the externalId of the accounts that are in them; all other accounts are simulated. */
export const ownClouds = new Map<string, Connector>()

function withOwnClouds(product: Product): void {
  const clouds = product.get(tokens.clouds)
  const { of } = clouds
  clouds.of = (account) => ownClouds.get(account.externalId) ?? of(account)
}

/**
 * Removes the timers of all jobs, since otherwise each file that moves the clock would run the jobs of all files before it. Where this
 * file moved the clock it also sets it back, and drops the runs that wait: years of them would keep the next files' jobs waiting.
 */
export async function endTestFile(): Promise<void> {
  // What kept it from starting has failed its tests.
  const world = await started?.catch(() => undefined)
  if (!world) return
  const { clock, store } = world.connections
  await store.rows(`delete from reminder where subject = 'job.due'`, [])
  if (clock.shift() === 0) return
  await clock.set(new Date())
  await store.rows(`delete from effect where name = 'run-job' and claimed_by is null`, [])
}

export async function stopTestProduct(): Promise<void> {
  if (!started) return
  const { connections, product } = await started
  await product.get(tokens.streams).close()
  await serving?.close()
  await gate?.close()
  await product.get(tokens.engine).drain()
  product.get(tokens.asker).close()
  await connections.store.leave()
  await connections.close()
}

export interface Answer<T = any> {
  status: number
  headers: Headers
  body: T
}

/** The text of an answer; of a stream of events what it says first, for it has no end to wait for. */
export async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  const reader = response.body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}

/** Reads an answer: JSON where it says so, else text. */
export async function answerOf<T>(response: Response): Promise<Answer<T>> {
  const { status, headers } = response
  const text = await textOf(response)
  const isJson = headers.get('content-type')?.includes('json')
  return { status, headers, body: (text === '' ? undefined : isJson ? parseJson(text) : text) as T }
}

/** One fresh organization, its owner's token and everything a test does with it. */
export interface Tenant extends TestProduct {
  orgId: string
  token: string
  get<T = any>(path: string): Promise<Answer<T>>
  send<T = any>(method: string, path: string, body?: unknown): Promise<Answer<T>>
  /** Publishes events of one account and waits until their effect shows in every report. */
  publish<S extends TSchema>(
    subject: Subject<S>,
    list: readonly Static<S>[],
    options?: { place?: string; time?: Date },
  ): Promise<void>
  /** The same organization, asked by an owner who is signed in instead of by a token of a machine. */
  signedIn(): Promise<Tenant>
  /** Another token of the organization. */
  tokenFor(role: SystemRole, scope?: TokenScope): Promise<string>
  /** Rows of ClickHouse that no message leads to; counted as a commit counts its own. */
  put(table: string, rows: readonly object[]): Promise<void>
  /** A read of ClickHouse; decimals and 64-bit integers come as text. */
  facts<T = any>(sql: string, params?: Record<string, unknown>): Promise<T[]>
}

export async function tenant(): Promise<Tenant> {
  const { connections } = await testProduct()
  const { id } = await createOrganization(connections.orm.em.fork(), `test ${randomUUID()}`)
  return tenantOf(id)
}

/** The same of an organization that there is. */
export const tenantOf = async (orgId: string): Promise<Tenant> => tenantIn(await testProduct(), orgId)

/** The same of another product. */
export async function tenantIn(world: Omit<TestProduct, 'analystsUrl'>, orgId: string): Promise<Tenant> {
  const { connections } = world
  const tokenFor = async (role: SystemRole, scope: TokenScope = 'api') =>
    (await createToken(connections.orm.em.fork(), orgId, { role, scope, name: 'test' })).secret
  return withToken({ analystsUrl: '', ...world }, orgId, await tokenFor('owner'), tokenFor)
}

async function ownerToken({ product }: TestProduct, orgId: string): Promise<string> {
  const identity = product.get(tokens.identity)
  const { signIn } = await memberOf(identity, orgId)
  return (await signIn()).accessToken
}

function withToken(world: TestProduct, orgId: string, token: string, tokenFor: Tenant['tokenFor']): Tenant {
  const { connections, product, url } = world
  const send = async <T>(method: string, path: string, body?: unknown): Promise<Answer<T>> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return answerOf<T>(response)
  }
  return {
    ...world,
    orgId,
    token,
    tokenFor,
    signedIn: async () => withToken(world, orgId, await ownerToken(world, orgId), tokenFor),
    send,
    get: (path) => send('GET', path),
    async publish(subject, list, { place, time } = {}) {
      const sender = new Sender(product.get(tokens.publisher), randomUUID)
      for (const data of list)
        await sender.add({ subject, orgId, data, ...(place && { place }), ...(time && { time }) } as unknown as Event)
      await sender.end()
      await waitUntilSettled({ ...connections, clock: impatient(connections.clock) }, orgId, sender.lanes, () => {})
    },
    async put(table, rows) {
      const ch = await connections.shards.of(orgId)
      await ch.insert({ table, values: [...rows], format: 'JSONEachRow' })
      await connections.store.countWritten([orgId], table)
    },
    async facts(sql, params = {}) {
      const ch = await connections.shards.of(orgId)
      const result = await ch.query({
        query: sql,
        query_params: { org: orgId, ...params },
        format: 'JSONEachRow',
        clickhouse_settings: { output_format_json_quote_decimals: 1 },
      })
      return result.json()
    },
  }
}

export { until } from '#test/harness/toy.ts'
