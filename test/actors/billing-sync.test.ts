import { expect } from 'chai'
import { accountActor } from '#actors/account/actor.ts'
import { billingSyncActor } from '#actors/billing-sync/actor.ts'
import { addMonths, firstDay } from '#actors/billing-sync/days.ts'
import type { BillingSync } from '#actors/billing-sync/entity.ts'
import { copy } from '#engine/row.ts'
import { shown } from '#http/billing.ts'
import { accountConnected, accountPatched, accountRemoved, accountVerified } from '#streams/account.ts'
import { billingMonthSynced, billingSynced, billingSyncFailed, billingSyncRequested } from '#streams/billing-sync.ts'
import { resourceDiscovered } from '#streams/resource.ts'
import { MemoryActor, type Done } from '#test/harness/turn.ts'

const cloudAccountId = 'acct-1'
const hourMs = 3_600_000

/** One account, on 15 January 2026; its provider answers as the test says. */
class Sync {
  readonly actor = new MemoryActor<BillingSync>(billingSyncActor as never, {
    place: cloudAccountId,
    key: cloudAccountId,
  })

  get state(): BillingSync {
    return this.actor.state
  }
  get at(): string {
    return new Date(this.actor.now + 1000).toISOString()
  }
  request(runId: string, check = false, at?: number): Done {
    const delivery = at === undefined ? {} : { at }
    return this.actor.take(billingSyncRequested, { cloudAccountId, provider: 'aws', runId, check }, delivery)
  }
  month(runId: string, month: string, lines: number, through = '2026-01-14'): Done {
    return this.actor.take(billingMonthSynced, { cloudAccountId, runId, month, through, lines, at: this.at })
  }
  synced(runId: string, through = '2026-01-14'): Done {
    return this.actor.take(billingSynced, { cloudAccountId, runId, through, lines: 7, at: this.at })
  }
  fail(runId: string, message = 'The export is not there.'): Done {
    return this.actor.take(billingSyncFailed, { cloudAccountId, runId, message, at: this.at })
  }
  /** A first sync of a provider that has so many months; the months that were asked for. */
  backfill(runId: string, available: number): string[] {
    const asked: string[] = []
    let done = this.request(runId)
    while (done.calls.length > 0) {
      const { month } = done.calls[0]!.input as { month: string }
      asked.push(month)
      done = this.month(runId, month, asked.length <= available ? 30 : 0)
    }
    return asked
  }
  entry(afterHours = 0): object {
    const account = { id: cloudAccountId, provider: 'aws' }
    return shown(account as never, this.state, new Date(this.actor.now + afterHours * hourMs))
  }
}

const months = (count: number): string[] => Array.from({ length: count }, (_, i) => addMonths('2026-01', -i))

describe('actor billing sync', () => {
  let sync: Sync
  beforeEach(() => void (sync = new Sync()))

  it('begins with the newest month, and says how many have arrived [BILL-07]', () => {
    const begun = sync.request('r1')
    expect(begun.calls).to.deep.equal([
      {
        name: 'sync-billing',
        key: 'billing/o1/acct-1/r1/2026-01',
        input: { cloudAccountId, provider: 'aws', runId: 'r1', check: false, month: '2026-01' },
      },
    ])
    const entry = { cloudAccountID: cloudAccountId, provider: 'aws', lastSyncedAt: null, status: 'backfilling' }
    expect(sync.entry()).to.deep.equal(entry)
    expect(sync.month('r1', '2026-01', 30).calls.map(({ input }) => input.month)).to.deep.equal(['2025-12'])
    expect(sync.entry()).to.deep.equal({ ...entry, monthsBackfilled: 1 })
  })

  it('reads thirteen calendar months where the provider has more [BILL-07]', () => {
    expect(sync.backfill('r1', 24)).to.deep.equal(months(13))
    expect(months(13).at(-1)).to.equal('2025-01')
    expect(sync.state).to.deep.include({ status: 'ok', monthsBackfilled: 13, runId: '', through: '2026-01-14' })
    expect(sync.entry()).to.deep.equal({
      cloudAccountID: cloudAccountId,
      provider: 'aws',
      lastSyncedAt: new Date(sync.actor.now).toISOString(),
      status: 'ok',
      monthsBackfilled: 13,
    })
  })

  it('stops behind the oldest month there is, and finds history behind months without any [BILL-07]', () => {
    expect(sync.backfill('r1', 5)).to.deep.equal(months(6))
    expect(sync.state).to.include({ status: 'ok', monthsBackfilled: 5 })
    const quiet = new Sync()
    quiet.request('r1')
    for (const [i, month] of months(13).entries()) quiet.month('r1', month, i === 3 || i === 4 ? 9 : 0)
    expect(quiet.state).to.include({ status: 'ok', monthsBackfilled: 2, nextMonth: '' })
    const empty = new Sync()
    expect(empty.backfill('r1', 0)).to.deep.equal(months(13))
    expect(empty.entry()).to.not.have.property('monthsBackfilled')
    expect(empty.state.status).to.equal('ok')
  })

  it('goes on where it stopped after a failure, and makes up for the days that went by [BILL-07]', () => {
    sync.request('r1')
    sync.month('r1', '2026-01', 30)
    sync.month('r1', '2025-12', 30)
    sync.fail('r1')
    expect(sync.entry()).to.deep.include({ status: 'failed', message: 'The export is not there.', monthsBackfilled: 2 })
    const again = sync.request('r2', false, Date.parse('2026-01-19T02:00:00Z'))
    expect(sync.state).to.deep.include({ status: 'backfilling', message: null })
    expect(again.calls.map(({ input }) => input.month)).to.deep.equal(['2025-11'])
    sync.month('r2', '2025-11', 30)
    const last = sync.month('r2', '2025-10', 0)
    expect(sync.state.status).to.equal('backfilling')
    expect(last.calls.map(({ input }) => input.from)).to.deep.equal(['2026-01-15'])
    sync.synced('r2', '2026-01-18')
    expect(sync.state).to.include({ status: 'ok', monthsBackfilled: 3, through: '2026-01-18' })
  })

  it('begins anew when not even the newest month could be read', () => {
    sync.request('r1')
    sync.fail('r1')
    const again = sync.request('r2', false, Date.parse('2026-02-03T02:00:00Z'))
    expect(again.calls.map(({ input }) => input.month)).to.deep.equal(['2026-02'])
  })

  it('reads the newest days once the history is there: ok, syncing, failed, syncing, ok [BILL-06] [BILL-08]', () => {
    sync.backfill('r1', 24)
    const before = sync.state.lastSyncedAt!
    const begun = sync.request('r2', false, Date.parse('2026-01-16T02:00:00Z'))
    expect(sync.state.status).to.equal('syncing')
    expect(begun.calls).to.deep.equal([
      {
        name: 'sync-billing',
        key: 'billing/o1/acct-1/r2/newest',
        input: { cloudAccountId, provider: 'aws', runId: 'r2', check: false, from: '2026-01-12' },
      },
    ])
    sync.fail('r2')
    expect(sync.entry(40)).to.deep.equal({
      cloudAccountID: cloudAccountId,
      provider: 'aws',
      lastSyncedAt: before.toISOString(),
      status: 'failed',
      monthsBackfilled: 13,
      message: 'The export is not there.',
    })
    sync.request('r3')
    expect(sync.state.status).to.equal('syncing')
    sync.synced('r3', '2026-01-15')
    expect(sync.entry()).to.deep.equal({
      cloudAccountID: cloudAccountId,
      provider: 'aws',
      lastSyncedAt: '2026-01-16T02:00:03.000Z',
      status: 'ok',
    })
  })

  it('is stale once its last success is more than 36 hours old, and fresh after the next [BILL-04]', () => {
    sync.backfill('r1', 24)
    expect(sync.entry(36)).to.include({ status: 'ok' })
    expect(sync.entry(36 + 1 / 60)).to.include({ status: 'stale' })
    sync.request('r2', false, sync.actor.now + 37 * hourMs)
    expect(sync.entry()).to.include({ status: 'syncing' })
    sync.synced('r2', '2026-01-15')
    expect(sync.entry()).to.include({ status: 'ok' })
  })

  it('has one run at a time; one that is to check follows one that is not, and is not doubled [BILL-02]', () => {
    sync.backfill('r1', 24)
    sync.request('r2')
    expect(sync.request('r3').calls).to.deep.equal([])
    const waiting = sync.request('v1', true)
    expect([waiting.calls, waiting.replies]).to.deep.equal([[], [{ runId: 'v1' }]])
    expect(sync.request('v2', true).replies).to.deep.equal([{ runId: 'v1' }])
    const ended = sync.synced('r2')
    expect(ended.calls.map(({ input }) => [input.runId, input.check])).to.deep.equal([['v1', true]])
    expect(sync.request('v3', true).replies).to.deep.equal([{ runId: 'v1' }])
    sync.synced('v1')
    expect(sync.state).to.deep.include({ status: 'ok', runId: '', waitingRunId: '', isCheck: false })
  })

  it('lets a run that is to check follow one that failed', () => {
    sync.request('r1')
    sync.request('v1', true)
    const ended = sync.fail('r1')
    expect(ended.calls.map(({ input }) => [input.runId, input.check, input.month])).to.deep.equal([
      ['v1', true, '2026-01'],
    ])
    expect(sync.month('v1', '2026-01', 3).calls.map(({ input }) => input.check)).to.deep.equal([false])
  })

  it('takes no word of a run that is over, nor of a month twice', () => {
    sync.request('r1')
    sync.month('r1', '2026-01', 30)
    const before = copy(sync.state)
    for (const late of [sync.month('r1', '2026-01', 30), sync.synced('r1'), sync.synced('r0'), sync.fail('r0')]) {
      expect(late.calls).to.deep.equal([])
    }
    expect(copy(sync.state)).to.deep.equal(before)
  })
})

describe('the days a nightly sync reads', () => {
  for (const [through, newest, from, why] of [
    ['2026-01-14', '2026-01-15', '2026-01-12', 'four days, for lines that come late'],
    ['2026-01-05', '2026-01-15', '2026-01-06', 'all since the last success'],
    ['2026-01-31', '2026-02-01', '2026-01-01', 'the month before, while it is being closed'],
    ['2026-02-03', '2026-02-04', '2026-01-01', 'the same on the fifth'],
    ['2026-02-04', '2026-02-05', '2026-02-02', 'four days on the sixth'],
    ['2025-12-31', '2025-12-31', '2025-12-01', 'the old month on the first of the new one'],
    ['2020-01-01', '2026-01-15', '2025-01-01', 'thirteen months at most'],
  ] as const) {
    it(`${why}: from ${from} to ${newest} after ${through}`, () => {
      expect(firstDay(through, newest)).to.equal(from)
    })
  }
})

describe('the first sync of an account', () => {
  const id = cloudAccountId
  const needs = { lines: new Map(), gone: new Map() }
  const make = () => new MemoryActor(accountActor as never, { place: id, key: id })
  const connection = {
    id,
    name: 'Production',
    provider: 'aws' as const,
    externalId: '123456789012',
    credentials: null,
    regions: [],
    billingExport: null,
  }
  const firstSyncs = (done: Done) => done.emitted.filter(({ type }) => type === 'billing.sync_requested')
  const verify = (account: MemoryActor<object>, verdict: 'unknown' | 'none' | 'read_only' | 'read_write') =>
    firstSyncs(account.take(accountVerified, { id, verdict, missingPermissions: [], message: null }, { needs }))

  it('begins with the first verification that succeeds, once a connection [BILL-07]', () => {
    const account = make()
    account.take(accountConnected, connection, { needs })
    expect([verify(account, 'unknown'), verify(account, 'none')]).to.deep.equal([[], []])
    const [first, ...more] = verify(account, 'read_only')
    const { runId } = first!.data
    expect(first!.data).to.deep.equal({ cloudAccountId: id, provider: 'aws', runId, check: false })
    expect(more).to.deep.equal([])
    account.take(accountPatched, { id, enabled: false }, { needs })
    account.take(accountPatched, { id, enabled: true }, { needs })
    expect(verify(account, 'read_write')).to.deep.equal([])
    account.take(accountRemoved, { id }, { needs })
    account.take(accountConnected, connection, { needs })
    expect(verify(account, 'read_write')).to.have.length(1)
  })

  it('is left to the night for an account that producers name', () => {
    const account = make()
    const found = { resourceUid: 'i-1', name: 'web', type: 'aws-ec2', provider: 'aws', region: 'eu' } as const
    account.take(resourceDiscovered, { ...found, cloudAccountId: id }, { needs })
    expect(verify(account, 'read_write')).to.deep.equal([])
  })
})
