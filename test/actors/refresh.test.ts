import { expect } from 'chai'
import fc from 'fast-check'
import { isLive, refreshActor } from '#actors/refresh/actor.ts'
import type { Refresh, RefreshStatus } from '#actors/refresh/entity.ts'
import { deepCopy } from '#engine/actor/row.ts'
import type { Provider } from '#streams/names.ts'
import { accountScanned, refreshCancelled, refreshRequested, refreshStalled } from '#streams/refresh.ts'
import { MemoryActor, type Done } from '#test/harness/turn.ts'

const providerOf: Record<string, Provider> = { a1: 'aws', a2: 'aws', g1: 'gcp', z1: 'azure' }
const target = (id: string) => ({ cloudAccountId: id, provider: providerOf[id]! })
const refresh = () => new MemoryActor<Refresh>(refreshActor as never, { place: '-', key: 'current' })

class Refreshing {
  readonly actor = refresh()

  get status(): RefreshStatus {
    return this.actor.state.status
  }
  get shown(): object {
    const { refreshId, status, discovered, startedAt, completedAt } = this.actor.state
    return { refreshId, status, discovered, startedAt, completedAt }
  }
  request(refreshId: string, ...ids: string[]): Done {
    return this.actor.take(refreshRequested, { refreshId, accounts: ids.map(target) })
  }
  scanned(id: string, status: 'running' | 'completed' | 'failed', discovered = 0, refreshId?: string): Done {
    const scan = this.actor.state.scans.find((s) => s.cloudAccountId === id)
    const at = new Date(this.actor.now + 1000).toISOString()
    const data = { refreshId: refreshId ?? scan?.scanId ?? 'none', cloudAccountId: id, status, discovered, at }
    return this.actor.take(accountScanned, data)
  }
  cancel(): Done {
    return this.actor.take(refreshCancelled, {})
  }
  stall(refreshId: string): Done {
    const due = this.actor.reminders.get('stalled') ?? this.actor.now
    return this.actor.take(refreshStalled, { refreshId }, { at: due, reminder: 'stalled' })
  }
}

const called = ({ calls }: Done) => calls.map((call) => call.input.cloudAccountId as string)

describe('actor refresh', () => {
  let r: Refreshing
  beforeEach(() => void (r = new Refreshing()))

  it('goes from queued by running to completed, one provider after the other [DISC-07]', () => {
    const begun = r.request('r1', 'g1', 'a1', 'a2')
    expect(begun.replies).to.deep.equal([{ refreshID: 'r1', status: 'queued' }])
    expect(begun.calls).to.deep.equal(
      ['a1', 'a2'].map((id) => ({
        name: 'discover-account',
        key: `discover/o1/r1/${id}`,
        input: { refreshId: 'r1', scanId: 'r1', cloudAccountId: id, provider: 'aws' },
      })),
    )
    expect(r.status).to.equal('queued')
    expect(called(r.scanned('a1', 'running', 5))).to.deep.equal([])
    expect([r.status, r.actor.state.discovered]).to.deep.equal(['running', 5])
    expect(called(r.scanned('a1', 'completed', 7))).to.deep.equal([])
    expect(called(r.scanned('a2', 'completed', 2))).to.deep.equal(['g1'])
    r.scanned('g1', 'completed', 30)
    expect(r.shown).to.deep.equal({
      refreshId: 'r1',
      status: 'completed',
      discovered: 39,
      startedAt: new Date('2026-01-15T10:00:01Z'),
      completedAt: new Date('2026-01-15T10:00:05Z'),
    })
    expect(r.actor.reminders.size).to.equal(0)
  })

  it('ends partial when some accounts failed, and failed when all did [DISC-08] [DISC-09]', () => {
    r.request('r1', 'a1', 'g1')
    r.scanned('a1', 'failed')
    r.scanned('g1', 'completed', 3)
    expect([r.status, r.actor.state.discovered]).to.deep.equal(['partial', 3])
    r.request('r2', 'a1', 'g1')
    r.scanned('a1', 'failed')
    r.scanned('g1', 'failed')
    expect([r.status, r.actor.state.discovered]).to.deep.equal(['failed', 0])
  })

  it('has nothing to do without accounts, and is done at once', () => {
    r.request('r1')
    expect(r.shown).to.deep.include({ status: 'completed', discovered: 0, completedAt: r.actor.state.startedAt })
  })

  it('scans an account for a few types, which stands for no whole scan of it', () => {
    const rescan = { types: ['aws-rds'], attempt: 1 }
    const some = (refreshId: string) =>
      r.actor.take(refreshRequested, { refreshId, accounts: [{ ...target('a1'), rescan }] })
    const inputs = ({ calls }: Done) => calls.map(({ input }) => [input.cloudAccountId, input.rescan])
    expect(inputs(some('r1'))).to.deep.equal([['a1', rescan]])
    expect(inputs(some('r2')), 'the same again').to.deep.equal([])
    expect(inputs(r.request('r3', 'a1')), 'all of it').to.deep.equal([['a1', undefined]])
    expect(inputs(some('r4')), 'a part of what is scanned').to.deep.equal([])
  })

  it('skips a request whose accounts are all being discovered, and leaves the live one alone [DISC-10] G-112', () => {
    r.request('r1', 'a1', 'g1')
    const skipped = r.request('r2', 'g1')
    expect(skipped.replies).to.deep.equal([{ refreshID: 'r2', status: 'queued' }])
    expect(skipped.calls).to.deep.equal([])
    expect(r.actor.state).to.include({ refreshId: 'r1', status: 'queued', skippedId: 'r2' })
    expect(r.actor.state.skippedAt).to.deep.equal(new Date('2026-01-15T10:00:02Z'))
    expect(r.cancel().replies).to.deep.equal([{ id: 'r1', status: 'cancelled' }])
    r.request('r3', 'a1')
    expect(r.actor.state, 'still to be seen by its id').to.include({ refreshId: 'r3', skippedId: 'r2' })
  })

  it('takes an account that is not being discovered into the live refresh', () => {
    r.request('r1', 'a1')
    expect(r.request('r2', 'a1', 'a2').replies).to.deep.equal([{ refreshID: 'r1', status: 'queued' }])
    expect(r.actor.state.scans.map((s) => [s.cloudAccountId, s.status])).to.deep.equal([
      ['a1', 'running'],
      ['a2', 'running'],
    ])
    r.scanned('a1', 'completed', 1)
    r.scanned('a2', 'completed', 2)
    expect([r.status, r.actor.state.discovered]).to.deep.equal(['completed', 3])
  })

  it('scans an account again that is done in the live refresh, under an id of its own', () => {
    r.request('r1', 'a1', 'g1')
    r.scanned('a1', 'completed', 4)
    const again = r.request('r2', 'a1')
    expect(again.replies).to.deep.equal([{ refreshID: 'r1', status: 'queued' }])
    expect(r.actor.state.discovered).to.equal(4)
    const [call] = r.scanned('g1', 'completed', 1).calls
    const { scanId } = call!.input
    expect(scanId).to.not.equal('r1')
    expect(call).to.deep.include({ key: `discover/o1/${scanId}/a1` })
    expect(call!.input).to.include({ refreshId: 'r1', cloudAccountId: 'a1' })
    r.scanned('a1', 'completed', 9, 'r1')
    expect(r.status, 'a repeat of the first scan').to.equal('running')
    r.scanned('a1', 'completed', 5)
    expect([r.status, r.actor.state.discovered]).to.deep.equal(['completed', 6])
  })

  it('cancels what is queued at once, and what runs after its provider [DISC-06]', () => {
    r.request('r1', 'a1', 'g1')
    expect(r.cancel().replies).to.deep.equal([{ id: 'r1', status: 'cancelled' }])
    r.request('r2', 'a1', 'a2', 'g1')
    r.scanned('a1', 'running')
    expect(r.cancel().replies).to.deep.equal([{ id: 'r2', status: 'canceling' }])
    expect(r.cancel().refused).to.equal('invalid_transition')
    expect(r.request('r3', 'z1').calls).to.deep.equal([])
    expect(r.actor.state).to.include({ refreshId: 'r2', status: 'canceling', skippedId: 'r3', completedAt: null })
    r.scanned('a1', 'completed', 1)
    expect(r.status).to.equal('canceling')
    expect(r.scanned('a2', 'completed', 2).calls).to.deep.equal([])
    expect(r.shown).to.deep.include({ status: 'cancelled', discovered: 3 })
    expect(r.actor.state.scans.map((s) => s.status)).to.deep.equal(['completed', 'completed', 'cancelled'])
    expect(r.cancel().refused).to.equal('invalid_transition')
  })

  it('fails when nothing is heard of it for ten minutes, counted from the last word', () => {
    r.request('r1', 'a1')
    expect(r.actor.reminders.get('stalled')).to.equal(Date.parse('2026-01-15T10:10:01Z'))
    r.scanned('a1', 'running', 3)
    expect(r.actor.reminders.get('stalled')).to.equal(Date.parse('2026-01-15T10:10:02Z'))
    r.stall('r0')
    expect(r.status, 'the reminder of an older refresh').to.equal('running')
    r.scanned('a1', 'running', 4)
    r.stall('r1')
    expect(r.shown).to.deep.include({ status: 'failed', discovered: 4 })
    expect(r.actor.state.completedAt).to.deep.equal(new Date(r.actor.now))
    r.scanned('a1', 'completed', 9)
    expect(r.shown).to.deep.include({ status: 'failed', discovered: 4 })
  })

  it('ignores scans of other refreshes, other accounts and those that are over', () => {
    r.request('r1', 'a1', 'g1')
    r.scanned('a1', 'completed', 4)
    const before = deepCopy(r.actor.state)
    r.scanned('a1', 'failed', 9)
    r.scanned('g1', 'completed', 9, 'r0')
    r.scanned('z1', 'completed', 9, 'r1')
    expect(deepCopy(r.actor.state)).to.deep.equal(before)
  })
})

const ids = Object.keys(providerOf)
const step = fc.oneof(
  fc.record({ kind: fc.constant('request' as const), of: fc.subarray(ids) }),
  fc.record({
    kind: fc.constant('scanned' as const),
    id: fc.constantFrom(...ids),
    status: fc.constantFrom('running' as const, 'completed' as const, 'failed' as const),
    discovered: fc.nat(50),
    isStale: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('cancel' as const) }),
  fc.record({ kind: fc.constant('stall' as const) }),
)

/** Section 9 of the decisions, with the states that one message may pass through in between taken together. */
const over = ['completed', 'partial', 'failed', 'cancelled'] as const
const moves: Record<string, readonly RefreshStatus[]> = {
  idle: ['queued', 'completed'],
  queued: ['running', ...over],
  running: ['canceling', ...over],
  canceling: ['cancelled', 'failed'],
  ...Object.fromEntries(over.map((status) => [status, ['queued', 'completed']])),
}

describe('actor refresh, whatever comes', () => {
  it('never leaves the listed transitions, nor its own invariants', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const r = new Refreshing()
        const calls = new Set<string>()
        steps.forEach((one, i) => {
          const before = deepCopy(r.actor.state)
          const done = take(r, one, i)
          const { status, refreshId, scans, discovered, completedAt } = r.actor.state
          if (status !== before.status) expect(moves[before.status], `${before.status} -> ${status}`).to.include(status)
          if (refreshId === before.refreshId) expect(discovered).to.be.at.least(before.discovered)
          expect(completedAt === null, status).to.equal(isLive(status) || status === 'idle')
          expect(r.actor.reminders.has('stalled')).to.equal(isLive(status))
          const running = scans.filter((s) => s.status === 'running')
          if (isLive(status)) {
            expect(running).to.have.length.above(0)
            expect(new Set(running.map((s) => s.provider)).size).to.equal(1)
          }
          for (const { key } of done?.calls ?? []) {
            expect(calls.has(key), `${key} is asked for twice`).to.equal(false)
            calls.add(key)
          }
        })
      }),
      { numRuns: 500 },
    )
  })
})

function take(r: Refreshing, one: typeof step extends fc.Arbitrary<infer S> ? S : never, i: number): Done | undefined {
  if (one.kind === 'request') return r.request(`r${i}`, ...one.of)
  if (one.kind === 'cancel') return r.cancel()
  if (one.kind === 'scanned') return r.scanned(one.id, one.status, one.discovered, one.isStale ? 'r0' : undefined)
  return r.actor.reminders.has('stalled') ? r.stall(r.actor.state.refreshId) : undefined
}
