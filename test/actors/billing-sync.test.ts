import { expect } from 'chai'
import { accountActor } from '#actors/account/actor.ts'
import { billingSyncActor } from '#actors/billing/actor.ts'
import { noBills, type OpenExport, type OpenState } from '#actors/account/bill/bills.ts'
import { firstMonth } from '#actors/billing/days.ts'
import { addMonths, monthOf, monthsBetween } from '#engine/value/day.ts'
import type { BillingSync } from '#actors/billing/entity.ts'
import { deepCopy } from '#engine/actor/row.ts'
import { shownSync } from '#http/billing/routes.ts'
import { accountConnected, accountPatched, accountRemoved, accountVerified } from '#streams/account/messages.ts'
import {
  billingExportTold,
  billingMonthSynced,
  billingSynced,
  billingSyncFailed,
  billingSyncRequested,
} from '#streams/billing/sync.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
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
  elsewhere(runId: string): Done {
    return this.actor.take(billingSyncRequested, {
      cloudAccountId,
      provider: 'aws',
      runId,
      check: false,
      history: true,
    })
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
  fail(runId: string, message = 'The export does not exist.'): Done {
    return this.actor.take(billingSyncFailed, { cloudAccountId, runId, message, at: this.at })
  }
  told(exportId: string, state: 'replaced' | 'held' | 'incomplete', message = ''): Done {
    return this.actor.take(billingExportTold, { cloudAccountId, exportId, state, message })
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
  /** What the account keeps open, as its actor writes it. */
  readonly bills = noBills()
  open(id: string, state: OpenState, periods: string[], at = '2026-01-15T02:00:00.000Z'): void {
    const lines = Object.fromEntries(periods.map((period) => [period, 4]))
    const found: OpenExport = { id, at, periods: lines, confirmed: false, state, counted: 4, since: at }
    this.bills.open = [...this.bills.open.filter((other) => other.id !== id), found]
  }
  close(...ids: string[]): void {
    this.bills.open = this.bills.open.filter(({ id }) => !ids.includes(id))
  }
  entry(afterHours = 0): object {
    const account = { id: cloudAccountId, provider: 'aws', bills: this.bills }
    return shownSync(account as never, this.state, new Date(this.actor.now + afterHours * hourMs))
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
    expect(sync.entry()).to.deep.include({
      status: 'failed',
      message: 'The export does not exist.',
      monthsBackfilled: 2,
    })
    const again = sync.request('r2', false, Date.parse('2026-01-19T02:00:00Z'))
    expect(sync.state).to.deep.include({ status: 'backfilling', message: null })
    expect(again.calls.map(({ input }) => input.month)).to.deep.equal(['2025-11'])
    sync.month('r2', '2025-11', 30)
    const last = sync.month('r2', '2025-10', 0)
    expect(sync.state.status).to.equal('backfilling')
    expect(last.calls.map(({ input }) => input.from)).to.deep.equal(['2026-01-01'])
    sync.synced('r2', '2026-01-18')
    expect(sync.state).to.include({ status: 'ok', monthsBackfilled: 3, through: '2026-01-18' })
  })

  it('begins anew when not even the newest month could be read', () => {
    sync.request('r1')
    sync.fail('r1')
    const again = sync.request('r2', false, Date.parse('2026-02-03T02:00:00Z'))
    expect(again.calls.map(({ input }) => input.month)).to.deep.equal(['2026-02'])
  })

  it('reads the newest months once the history is there: ok, syncing, failed, syncing, ok [BILL-06] [BILL-08]', () => {
    sync.backfill('r1', 24)
    const before = sync.state.lastSyncedAt!
    const begun = sync.request('r2', false, Date.parse('2026-01-16T02:00:00Z'))
    expect(sync.state.status).to.equal('syncing')
    expect(begun.calls).to.deep.equal([
      {
        name: 'sync-billing',
        key: 'billing/o1/acct-1/r2/newest',
        input: { cloudAccountId, provider: 'aws', runId: 'r2', check: false, from: '2026-01-01' },
      },
    ])
    sync.fail('r2')
    expect(sync.entry(40)).to.deep.equal({
      cloudAccountID: cloudAccountId,
      provider: 'aws',
      lastSyncedAt: before.toISOString(),
      status: 'failed',
      monthsBackfilled: 13,
      message: 'The export does not exist.',
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

  it('reads all months anew where the bills are elsewhere, and takes no word of a run under way', () => {
    const sync = new Sync()
    sync.backfill('r1', 13)
    sync.request('r2')
    const months = (done: Done) => done.calls.map(({ input }) => (input as { month?: string }).month)
    expect(months(sync.elsewhere('r3'))).to.deep.equal(['2026-01'])
    expect(sync.synced('r2').calls).to.deep.equal([])
    expect(sync.state.status).to.equal('backfilling')
    expect(months(sync.month('r3', '2026-01', 30))).to.deep.equal(['2025-12'])
  })

  it('takes no word of a run that is over, nor of a month twice', () => {
    sync.request('r1')
    sync.month('r1', '2026-01', 30)
    const before = deepCopy(sync.state)
    for (const late of [sync.month('r1', '2026-01', 30), sync.synced('r1'), sync.synced('r0'), sync.fail('r0')]) {
      expect(late.calls).to.deep.equal([])
    }
    expect(deepCopy(sync.state)).to.deep.equal(before)
  })
})

describe('bills that were not taken', () => {
  const [held, broken] = ['Bill of 2026-01: half is gone.', 'Bill of 2025-12: 20 of 21 lines came.']
  let sync: Sync
  beforeEach(() => {
    sync = new Sync()
    sync.backfill('r1', 24)
  })
  const message = (): string | undefined => (sync.entry() as { message?: string }).message

  it('are told of beside a status that stays, until the same export is taken [G-108]', () => {
    sync.open('r2-2026-01-1', 'held', ['2026-01'])
    expect(message()).to.equal(undefined)
    sync.told('r2-2026-01-1', 'held', held)
    expect(sync.entry()).to.deep.include({ status: 'ok', message: held })
    sync.open('r2-2025-12-1', 'incomplete', ['2025-12'])
    sync.told('r2-2025-12-1', 'incomplete', broken)
    expect(message()).to.equal(`${held} ${broken}`)
    sync.told('r2-2026-01-1', 'replaced')
    expect(message()).to.equal(broken)
    expect(sync.state.told).to.deep.equal([{ exportId: 'r2-2025-12-1', message: broken }])
  })

  it('are told of while they wait for people, not once a newer export of theirs is taken [G-108]', () => {
    sync.open('r2-2026-01-1', 'held', ['2026-01'])
    sync.told('r2-2026-01-1', 'held', held)
    sync.told('r3-2025-12-1', 'replaced')
    expect(message()).to.equal(held)
    sync.open('r2-2026-01-1', 'waiting', ['2026-01'])
    expect(message()).to.equal(undefined)
    sync.open('r2-2026-01-1', 'held', ['2026-01'])
    expect(message()).to.equal(held)
    sync.told('r3-2026-01-1', 'replaced')
    sync.close('r2-2026-01-1')
    expect(message()).to.equal(undefined)
  })

  it('are told of once a billing period, the newest, whichever was told of last', () => {
    const again = 'Bill of 2026-01: half is gone again.'
    sync.open('r3-2026-01-1', 'held', ['2026-01'], '2026-01-16T02:00:00.000Z')
    sync.told('r3-2026-01-1', 'held', again)
    sync.open('r2-2026-01-1', 'held', ['2026-01'])
    sync.told('r2-2026-01-1', 'held', held)
    expect(message()).to.equal(again)
    sync.open('both', 'held', ['2026-01', '2025-12'])
    sync.told('both', 'held', 'Bills of two months.')
    expect(message()).to.equal(`${again} Bills of two months.`)
    for (let n = 0; n < 20; n++) sync.told(`x${n}`, 'held', 'More.')
    expect(sync.state.told.map(({ exportId }) => exportId)).to.deep.equal(
      Array.from({ length: 16 }, (_, i) => `x${i + 4}`),
    )
  })

  it('are told of beside runs that fail, and are not forgotten by the next run [BILL-06]', () => {
    sync.open('r2-2026-01-1', 'held', ['2026-01'])
    sync.told('r2-2026-01-1', 'held', held)
    sync.request('r3')
    expect(sync.entry()).to.deep.include({ status: 'syncing', message: held })
    sync.fail('r3', 'The bucket is gone.')
    expect(sync.entry()).to.deep.include({ status: 'failed', message: `The bucket is gone. ${held}` })
    sync.told('r2-2026-01-1', 'replaced')
    expect(sync.entry()).to.deep.include({ status: 'failed', message: 'The bucket is gone.' })
    sync.request('r4')
    expect(message()).to.equal(undefined)
  })
})

describe('the months a nightly sync reads', () => {
  for (const [through, newest, months, why] of [
    ['2026-01-14', '2026-01-15', ['2026-01'], 'the month of the newest day'],
    [
      '2026-01-30',
      '2026-01-31',
      ['2026-01'],
      'on the first, the month that has just ended: no day of the new one is over',
    ],
    ['2026-02-03', '2026-02-04', ['2026-01', '2026-02'], 'on the fifth, the last one too, which is being closed'],
    ['2026-02-08', '2026-02-09', ['2026-01', '2026-02'], 'the same on the tenth'],
    ['2026-02-09', '2026-02-10', ['2026-02'], 'on the eleventh, no longer'],
    ['2026-02-10', '2026-02-10', ['2026-02'], 'the same when asked for again that day'],
    ['2026-02-09', '2026-02-09', ['2026-01', '2026-02'], 'and on the tenth, asked for again'],
    ['2025-12-30', '2025-12-31', ['2025-12'], 'on New Year’s Day, December'],
    ['2026-01-08', '2026-01-09', ['2025-12', '2026-01'], 'on 10 January, December of the year before'],
    ['2025-11-19', '2026-01-15', ['2025-11', '2025-12', '2026-01'], 'all since the last success'],
    ['2026-01-04', '2026-01-15', ['2025-12', '2026-01'], 'a month that was closed in a night that was missed'],
    ['2026-01-09', '2026-01-15', ['2026-01'], 'not one whose last night was had'],
  ] as const) {
    it(`${why}: ${months.join(', ')} up to ${newest} after ${through}`, () => {
      expect(monthsBetween(firstMonth(through, newest), monthOf(newest))).to.deep.equal(months)
    })
  }

  it('thirteen months at most', () => {
    expect([firstMonth('2020-01-01', '2026-01-15'), firstMonth('2020-01-01', '2025-12-31')]).to.deep.equal([
      '2025-01',
      '2024-12',
    ])
  })
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
