/** What came of starting and stopping, seen from outside: the cloud's own record of calls, the stream of events, the history. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { expect } from 'chai'
import { metricSample } from '#streams/metric/messages.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { resetClock, setClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'

/** A call that starts or stops, as the cloud has it on record. */
export interface PowerCall {
  at: string
  call: 'start' | 'stop'
  cloudAccountId: string
  resourceUid: string
  id: string
  outcome: string
  repeated?: true
}

export interface HistoryItem {
  id: string
  resourceUid: string
  state: string
  changedAt: string
  changedBy: string
  scheduleId: string | null
  executionState: { step: string; status: string }
  errorMessage: string | null
}

/** Every starting and stopping of these accounts, in the order of the cloud. */
export async function callsOf(f: Fleet, accounts: readonly string[] = [f.accountId]): Promise<PowerCall[]> {
  const { calls } = (await f.get<{ data: { calls: PowerCall[] } }>('/internal/sim/calls')).body.data
  return calls.filter((one) => ['start', 'stop'].includes(one.call) && accounts.includes(one.cloudAccountId))
}

export const spelled = (calls: readonly PowerCall[]): string[] =>
  calls.map(({ call, resourceUid }) => `${call} ${resourceUid}`)

/** All events of resources, as a consumer of the stream reads them from its beginning. */
export async function eventsOf({ connections: { nats }, orgId }: Fleet): Promise<{ type: string; data: any }[]> {
  const filter = `event.resource.${orgId}.>`
  const { streams } = await jetstreamManager(nats)
  const { state } = await streams.info('EVENTS', { subjects_filter: filter })
  const count = Object.values(state.subjects ?? {}).reduce((sum, of) => sum + of, 0)
  if (count === 0) return []
  const consumer = await jetstream(nats).consumers.get('EVENTS', { filter_subjects: [filter] })
  const found: { type: string; data: any }[] = []
  const messages = await consumer.fetch({ max_messages: count, expires: 5000 })
  for await (const message of messages) found.push(message.json())
  return found
}

/** `<type> <id of the scope>`, in alphabetical order. */
export const told = async (f: Fleet): Promise<string[]> =>
  (await eventsOf(f)).map(({ type, data }) => `${type} ${data.scope.id}`).toSorted()

/** The whole history, newest first. */
export async function historyOf(f: Fleet, query = ''): Promise<HistoryItem[]> {
  const items: HistoryItem[] = []
  for (let page = 1; ; page++) {
    const { data } = (await f.get(`/state-history?limit=100&page=${page}${query}`)).body
    items.push(...data.items)
    if (items.length >= data.total) return items
  }
}

export const statusOf = async (f: Fleet, uid: string): Promise<string> =>
  (await f.get(`/resources/by-uids?uids=${encodeURIComponent(uid)}`)).body.data[0].status

/**
 * Nothing is carried out or about to be, and nothing is on its way any more. What waits for the clock alone is left out: a
 * pause between two tries, and with it the bulk action that waits for its end.
 */
export async function atRest(f: Fleet, accounts: readonly string[] = [f.accountId]): Promise<void> {
  const { pool } = f.connections.store
  const left = async () => {
    const { rows } = await pool.query<{ n: number }>(
      `with acting as (select live_id, waiting_id, live -> 'record' ->> 'nextAttemptAt' is not null as pauses
                       from power where org_id = $1)
       select ((select count(*) from acting where live_id is not null and not pauses or waiting_id is not null and not pauses)
             + (select count(*) from bulk_action where org_id = $1 and ended_at is null
                and not exists (select from acting where live_id is not null and pauses))
             + (select count(*) from effect where org_id = $1)
             + (select count(*) from outbox where subject like '%.' || $1 || '.%'))::int as n`,
      [f.orgId],
    )
    return rows[0]!.n
  }
  const samples = [{ metric: 'cpu_percent' as const, value: 1, ts: '2026-01-01T00:00:00Z' }]
  for (let calm = 0; calm < 2;) {
    await until('rest', async () => (await left()) === 0)
    // Whatever was told before has been taken once this has.
    for (const place of accounts) await f.publish(metricSample, [{ resourceUid: 'nobody', samples }], { place })
    calm = (await left()) === 0 ? calm + 1 : 0
  }
}

/** What holds whatever has happened: a call has its effect once, each action that was carried out has one row, nothing was set aside. */
export async function expectSound(f: Fleet, accounts: readonly string[] = [f.accountId]): Promise<void> {
  const calls = await callsOf(f, accounts)
  const ids = calls.map(({ cloudAccountId, id }) => `${cloudAccountId} ${id}`)
  expect(ids.toSorted(), 'each call once').to.deep.equal([...new Set(ids)].toSorted())
  expect(calls.filter(({ repeated }) => repeated)).to.deep.equal([])
  const { rows } = await f.connections.store.pool.query<{ id: string }>(
    `select id from action where org_id = $1 and attempt > 0 and ended_at is not null`,
    [f.orgId],
  )
  const history = await historyOf(f)
  expect(history.map(({ id }) => id).toSorted(), 'one row an action').to.deep.equal(rows.map(({ id }) => id).toSorted())
  const letters = (await f.get('/dead-letters')).body.data.items
  expect(letters.map(({ type, reason }: any) => `${type}: ${reason}`)).to.deep.equal([])
}

/** An organization at a time of its own; `end` brings the clock back, and nothing of it fires in the time of others. */
export async function fleetAt(now: string): Promise<Fleet> {
  await setClock(new Date(now))
  const f = await fleet()
  const end = f.end.bind(f)
  return Object.assign(f, {
    end: async () => {
      await f.connections.store.pool.query('delete from reminder where org_id = $1', [f.orgId])
      await end()
      await resetClock()
    },
  })
}
