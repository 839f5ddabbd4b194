/** What route handlers can use, for one organization. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { areSummedSince, countBills, countOldBills } from '#analytics/billing/bill.ts'
import { repeatedBill } from '#analytics/billing/repeated-bill.ts'
import { readKeptFrom } from '#actors/cost/kept-from.ts'
import { LineStore } from '#actors/billing/line-store.ts'
import type { BillTools } from '#actors/billing/upload-tools.ts'
import { noneDue, runJobs } from '#actors/job/drive.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Reads } from '#engine/actor/ports.ts'
import { Sender } from '#engine/run/sender.ts'
import { tokenId } from '#engine/actor/subject.ts'
import { change, tellKey } from '#engine/run/tell.ts'
import type { Incoming } from '#http/edge/edge.ts'
import { personOf, type Caller } from '#http/identity/organization/caller.ts'
import type { Hooks, Services } from '#http/edge/services.ts'
import { inputFault } from '#http/edge/problem.ts'
import { transaction } from '#http/store/keyed-transaction.ts'
import { externalIdOf } from '#streams/cloud/aws/permission/role.ts'
import type { FaultPlan } from '#streams/cloud/simulated/state/faults.ts'
import type { Mail } from '#streams/delivery/email.ts'
import { ownIdentities, principalBy } from './clouds.ts'
import { linePorts } from './line-ports.ts'
import type { Connections } from '#config/state/connect.ts'
import { havePassed, isSummed, laneEnds } from '#config/state/wait-for-ingest.ts'
import { lagOf } from '#config/state/lane-lag.ts'
import { questionsOf } from './questions.ts'
import { deriveKey } from '#config/secrets/seal.ts'
import { settle } from '#config/state/settle.ts'
import { tokens, type Product, type Site } from './tokens.ts'

/** Tools for storing an organization's bills. */
function bills(c: Connections, get: Product['get'], orgId: string): BillTools {
  return {
    store(bill) {
      const sender = new Sender(get(tokens.publisher), randomUUID)
      const lines = new LineStore(
        linePorts(c, orgId, (event) => sender.last(event)),
        { ...bill, orgId },
      )
      return {
        lines,
        async end() {
          await lines.flush()
          return sender.lanes
        },
      }
    },
    hasRead: (lanes, waitMs) => havePassed(c, orgId, lanes, waitMs),
    async endsAfter(ids) {
      const keys = ids.map(tellKey)
      const { rows } = await c.store.pool.query('select from effect where key = any($1) and org_id = $2', [keys, orgId])
      return rows.length > 0 ? undefined : laneEnds(c)
    },
    async deadLettered(ids) {
      const { rows } = await c.store.pool.query<{ reason: string }>(
        'select reason from dead_letter where org_id = $1 and message_id = any($2) order by at desc limit 1',
        [orgId, ids],
      )
      return rows[0]?.reason
    },
    async generation() {
      const { rows } = await c.store.pool.query<{ last: string }>('select last_value::text as last from generation')
      return rows[0]!.last
    },
    isSummed: (account, since) =>
      isSummed(c, orgId, account, 0, async (days) =>
        since === undefined ? false : areSummedSince(get(tokens.reads), orgId, account, { days, since }),
      ),
    count: (account, wanted) => countBills(get(tokens.reads), orgId, account, wanted),
    countOld: (account, periods) => countOldBills(get(tokens.reads), orgId, account, periods),
    repeated: (bill) => repeatedBill(get(tokens.reads), orgId, bill),
    bytesMax: c.settings.billUploadBytes,
  }
}

export function services(
  c: Connections,
  get: Product['get'],
  here: Site,
  caller: Pick<Caller, 'orgId'> & Partial<Pick<Caller, 'kind' | 'userId'>>,
  incoming?: Pick<Incoming, 'idempotent'>,
): Services {
  const { settings, clock, orm } = c
  const { orgId, kind = 'internal', userId = '' } = caller
  // A request repeated after a crash uses the same ids, so the actors give the same answers.
  const askId = ids('ask', incoming?.idempotent)
  const newId = ids('new', incoming?.idempotent)
  const { seal, open } = get(tokens.seal)
  const em = orm.em.fork()
  const now = () => new Date(clock.now())
  const { changed, ...questions } = questionsOf(c, get, { orgId, person: personOf({ kind, userId }) })
  return {
    em,
    ...questions,
    ask: (subject, data, id = askId()) => get(tokens.asker).ask(subject, orgId, data, id).finally(changed),
    change: (work) =>
      change({ em, orgId, asker: get(tokens.asker), now, transaction }, work)
        .catch((error: unknown) => {
          throw inputFault(error, 'body')
        })
        .finally(changed),
    publish: (subject, body) => publish(c, orgId, subject, { id: newId(), body }),
    newId,
    listen: (listener) => get(tokens.streams).open(listener),
    lag: (accounts) => lagOf(c, orgId, accounts),
    keptFrom: (data) => readKeptFrom((sql, params) => c.store.rows(sql, params), data),
    identity: get(tokens.identity),
    cloudOf: (account) => get(tokens.clouds).of(account),
    externalIds: () => get(tokens.keys)().map((key) => externalIdOf(orgId, deriveKey(key, 'aws-external-id'))),
    awsPrincipal: () => principalBy(settings),
    seal,
    open,
    now,
    settings: {
      reportCost: settings.reportCost,
      reportSavings: settings.reportSavings,
      egressCidrs: settings.egressCidrs,
      allowPrivateAddresses: settings.allowPrivateAddresses,
      ...ownIdentities(settings, orgId),
      publicUrl: here.publicUrl,
      securityContacts: settings.securityContacts,
      corsOrigins: settings.corsOrigins,
    },
    channels: get(tokens.channels),
    ...get(tokens.notices),
    exports: get(tokens.exports),
    bills: bills(c, get, orgId),
    source: get(tokens.source),
    actingFor: (named) => {
      if (orgId !== '') throw Fault.defect(new Error('a caller can only act for its own organization'))
      return services(c, get, here, { orgId: named }, incoming)
    },
    ...(settings.testHooks && { hooks: hooks(c, get) }),
  }
}

/** Test hooks that control time and the simulated cloud. */
function hooks(c: Connections, get: Product['get']): Hooks {
  const { clock, settings } = c
  const now = () => new Date(clock.now())
  return {
    setClock: (at: Date) => clock.set(at),
    faults: async (plan: FaultPlan) => get(tokens.clouds).simulated.faults.set(plan),
    calls: async (since?: string | Date) => get(tokens.clouds).simulated.callsSince(since),
    tick: () => noneDue({ reads: get(tokens.reads), clock, now }),
    runJob: (job, of) => runJobs({ reads: get(tokens.reads), clock, asker: get(tokens.asker) }, job, of),
    mails: () => mailsIn(outboxFile(settings.dataDir)),
    settle: (orgId, waitMs) => settle(c, orgId, waitMs),
  }
}

/** @throws Fault `forbidden` for a subject of another organization */
async function publish(
  { log }: Connections,
  orgId: string,
  subject: string,
  { id, body }: { id: string; body: Uint8Array },
): Promise<void> {
  const [root, , org] = subject.split('.')
  if (root !== 'ingest' || tokenId(org ?? '') !== orgId)
    throw Fault.forbidden('forbidden', 'This does not belong to the organization.')
  await log.publish({ subject, id, body: Buffer.from(body).toString('utf8') })
}

/**
 * Returns a new id at each call. For the same name it returns the same ids in the same order; without a name they are
 * random.
 */
function ids(what: string, name: string | undefined): () => string {
  let drawn = 0
  return () => (name === undefined ? randomUUID() : uuidOf(what, name, String(drawn++)))
}

/** File for mails if there is no mail server. */
export const outboxFile = (dataDir: string): string => path.join(dataDir, 'outbox', 'mails.jsonl')

async function mailsIn(file: string): Promise<(Mail & { at: string })[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  // A line without a line end is still being written.
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Mail & { at: string })
}

/** The organization that a query to ClickHouse is about: its parameter `org`. */
export function orgIn(params: object): string {
  const { org } = params as { org?: unknown }
  if (typeof org !== 'string') throw new Error('a query to ClickHouse must name its organization')
  return org
}

/** Reads of both stores for any organization, for the engine. */
export function reads({ store, shards }: Connections): Reads {
  return {
    rows: (sql, params) => store.rows(sql, params),
    facts: async <T extends object>(sql: string, params: Readonly<Record<string, unknown>>) => {
      const ch = await shards.of(orgIn(params))
      const result = await ch.query({ query: sql, query_params: params, format: 'JSONEachRow' })
      return result.json<T>()
    },
  }
}
