import { expect } from 'chai'
import { resourceActor } from '#actors/resource/actor.ts'
import type { Resource } from '#actors/resource/entity.ts'
import { accountBlinded } from '#streams/account/messages.ts'
import { powerTold, powerUnheard } from '#streams/action/messages.ts'
import { resourceDeleted, resourceDiscovered, type ResourceStatus } from '#streams/resource/messages.ts'
import { MemoryActor, type Done } from '#test/harness/turn.ts'

const place = { cloudAccountId: 'acct-1', resourceUid: 'i-1' }
const at = (seconds: number) => Date.parse('2026-01-15T10:00:00Z') + seconds * 1000
const iso = (seconds: number) => new Date(at(seconds)).toISOString()

/** A resource that was seen running at second 0. Where nothing else is said, what is told comes when it is of. */
class World {
  readonly actor = new MemoryActor<Resource>(resourceActor as never, { key: 'i-1' })

  constructor(fields: object = {}) {
    this.actor.now = at(-1)
    this.scan('running', 0, 0, fields)
  }

  scan(status: ResourceStatus | undefined, time: number, now = Math.max(time, this.now), fields: object = {}): Done {
    const found = { ...place, name: 'web', type: 'aws-ec2', provider: 'aws' as const, region: 'us-east-1', ...fields }
    return this.actor.take(resourceDiscovered, { ...found, ...(status && { status }) }, { at: at(now), time: at(time) })
  }

  show(shows: 'starting' | 'stopping', time: number, now = Math.max(time, this.now), n = 1): Done {
    const told = { ...place, actionId: 'a-1', at: iso(time), n, shows, until: iso(time + 900) }
    return this.actor.take(powerTold, told, { at: at(now), time: at(time) })
  }

  end(observed: 'running' | 'stopped' | undefined, time: number, now = Math.max(time, this.now), n = 2): Done {
    const told = { ...place, actionId: 'a-1', at: iso(time), n, shows: null, ...(observed && { observed }) }
    return this.actor.take(powerTold, told, { at: at(now), time: at(time) })
  }

  blind(time: number): Done {
    return this.actor.take(accountBlinded, { id: 'acct-1', resourceUid: 'i-1' }, { at: at(time), time: at(time) })
  }

  /** The quarter of an hour passes, where one is waited for. */
  wait(now: number): Done | undefined {
    const due = this.actor.reminders.get('unheard')
    if (due === undefined || due > at(now)) return undefined
    this.actor.reminders.delete('unheard')
    return this.actor.take(powerUnheard, { ...place, actionId: 'a-1' }, { at: at(now), time: due, reminder: 'unheard' })
  }

  get shown(): string {
    return this.actor.state.status
  }

  private get now(): number {
    return (this.actor.now - at(0)) / 1000
  }
}

const settled = (done: Done | undefined) =>
  done?.emitted.filter(({ type }) => type === 'state.settled').map(({ data }) => data)
const changes = (done: Done | undefined) =>
  done?.facts
    .filter(({ table }) => table === 'resource_change')
    .map(({ row }) => `${row.actor}: ${Object.values(JSON.parse(row.details) as object).join(' to ')}`)

function orders<T>(list: readonly T[]): T[][] {
  if (list.length <= 1) return [[...list]]
  return list.flatMap((first, i) => orders(list.toSpliced(i, 1)).map((rest) => [first, ...rest]))
}

type Event = 'told stopping' | 'scan running' | 'report ended' | 'scan stopped' | '15 min'

/** What decision G-31 lets a resource show that ran, behind these events. */
function expected(seen: readonly Event[]): string {
  if (seen.includes('report ended') || seen.includes('scan stopped')) return 'stopped'
  const begun = seen.indexOf('told stopping')
  if (begun < 0) return 'running'
  const late = seen.indexOf('15 min')
  if (late < 0) return 'stopping'
  return seen.indexOf('scan running') > Math.max(begun, late) ? 'running' : 'pending'
}

describe('actor resource, while an action is in flight', () => {
  const events: Event[] = ['told stopping', 'scan running', 'report ended', 'scan stopped', '15 min']
  for (const scanned of [95, 105])
    it(`shows what it should in every order of what is told, where a scan of second ${scanned} still saw it running [G-31]`, () => {
      for (const order of orders(events)) {
        const w = new World()
        let now = 121
        for (const [i, event] of order.entries()) {
          if (event === '15 min') now = 1000
          else now += 1
          if (event === 'told stopping') w.show('stopping', 100, now)
          else if (event === 'scan running') w.scan('running', scanned, now)
          else if (event === 'report ended') w.end('stopped', 110, now)
          else if (event === 'scan stopped') w.scan('stopped', 120, now)
          w.wait(now)
          expect(w.shown, order.slice(0, i + 1).join(', ')).to.equal(expected(order.slice(0, i + 1)))
        }
        expect(w.actor.reminders.size, order.join(', ')).to.equal(0)
      }
    })

  it('goes through starting to running, with a row and a change each, and says when it has settled [ACT-15]', () => {
    const w = new World()
    w.scan('stopped', 10)
    const begun = w.show('starting', 100)
    expect([w.shown, w.actor.state.observedStatus]).to.deep.equal(['starting', 'stopped'])
    expect(begun.facts.map(({ table }) => table)).to.deep.equal(['resource_state', 'resource_change'])
    expect([begun.facts[0]!.row.status, changes(begun), settled(begun)]).to.deep.equal([
      'starting',
      ['action: stopped to starting'],
      [],
    ])
    const done = w.end('running', 110)
    expect([done.facts[0]!.row.status, changes(done)]).to.deep.equal(['running', ['action: starting to running']])
    expect(settled(done)).to.deep.equal([
      { ...place, status: 'running', instanceType: '', deleted: false, hourlyRateUsd: null, at: iso(110) },
    ])
    expect([...w.actor.reminders]).to.deep.equal([])
  })

  it('shows what was observed when the action came to nothing, also what was observed meanwhile [G-31]', () => {
    const w = new World()
    w.show('stopping', 100)
    expect(changes(w.end(undefined, 110))).to.deep.equal(['action: stopping to running'])
    w.show('stopping', 200, 200, 3)
    expect(w.scan('pending', 205).facts.map(({ row }) => row.status)).to.deep.equal(['stopping'])
    w.end(undefined, 210, 210, 4)
    expect(w.shown).to.equal('pending')
  })

  it('does not take what a scan saw before the end for newer than it, nor the end for newer than a later scan [G-31]', () => {
    const w = new World()
    w.show('stopping', 100)
    w.end('stopped', 110)
    expect(w.scan('running', 105, 115).facts).to.deep.equal([])
    expect(w.shown).to.equal('stopped')
    w.scan('running', 130)
    expect(w.shown).to.equal('running')

    const other = new World()
    other.show('stopping', 100)
    other.scan('running', 115, 115, { name: 'renamed' })
    expect(other.shown).to.equal('stopping')
    const late = other.end('stopped', 110, 116)
    expect([other.shown, other.actor.state.observedStatus]).to.deep.equal(['running', 'running'])
    expect(BigInt(late.facts[0]!.row.x_Version) >> 80n).to.equal(BigInt(at(115)))
  })

  it('drops a word of its power that is older than one it has taken, of one moment by its number', () => {
    const w = new World()
    w.end('stopped', 110, 110, 2)
    expect(w.show('starting', 110, 111, 1).facts).to.deep.equal([])
    expect(w.show('starting', 109, 112, 7).facts).to.deep.equal([])
    expect(w.shown).to.equal('stopped')
    w.show('starting', 110, 113, 3)
    expect(w.shown).to.equal('starting')
  })

  it('shows pending when nothing was heard for a quarter of an hour, until somebody sees it; a failure is no sight [G-31]', () => {
    const w = new World()
    w.show('stopping', 100)
    expect(w.wait(999)).to.equal(undefined)
    expect(changes(w.wait(1000))).to.deep.equal(['action: stopping to pending'])
    expect(w.end(undefined, 1100).facts).to.deep.equal([])
    expect(w.shown).to.equal('pending')
    w.scan(undefined, 1200)
    expect(w.shown).to.equal('pending')
    expect(changes(w.scan('running', 1300))).to.deep.equal(['discovery: pending to running'])
    expect(w.show('stopping', 1400, 1400, 3).facts).to.have.length(2)
  })

  it('shows what a scan sees once it is time, though nobody has said so yet', () => {
    const w = new World()
    w.show('stopping', 100)
    expect(changes(w.scan('running', 1000))).to.deep.equal(['discovery: stopping to running'])
    expect(w.actor.reminders.size).to.equal(0)
  })

  it('shows another try for a quarter of an hour of its own', () => {
    const w = new World()
    w.show('stopping', 100)
    w.show('stopping', 700, 700, 2)
    expect(w.wait(1000)).to.equal(undefined)
    expect([w.shown, [...w.actor.reminders]]).to.deep.equal(['stopping', [['unheard', at(1600)]]])
  })

  it('shows nothing of an action once it is gone, and what was seen when it is back', () => {
    const w = new World()
    w.show('stopping', 100)
    const gone = w.actor.take(resourceDeleted, { ...place, provider: 'aws' }, { at: at(120) })
    expect([changes(gone), w.actor.reminders.size]).to.deep.equal([['discovery: stopping to '], 0])
    expect(settled(gone)).to.deep.equal([
      { ...place, status: 'running', instanceType: '', deleted: true, hourlyRateUsd: null, at: iso(120) },
    ])
    expect(w.end('stopped', 130, 130, 2).facts).to.deep.equal([])
    w.scan('running', 200)
    expect([w.shown, w.actor.state.observedStatus, w.actor.state.deletedAt]).to.deep.equal(['running', 'running', null])
  })

  it('shows pending while its account cannot be looked into, until the next scan [G-31]', () => {
    const w = new World()
    w.show('stopping', 100)
    const blind = w.blind(110)
    expect([changes(blind), settled(blind)?.map(({ status }) => status)]).to.deep.equal([
      ['discovery: stopping to pending'],
      ['pending'],
    ])
    expect(w.actor.reminders.size).to.equal(0)
    expect(w.blind(120).facts).to.deep.equal([])
    expect(changes(w.scan('running', 130))).to.deep.equal(['discovery: pending to running'])
    expect(
      w.actor.take(accountBlinded, { id: 'acct-1', resourceUid: 'i-1' }, { at: at(140), time: at(125) }).facts,
    ).to.deep.equal([])
  })

  it('says when it has settled as something else, not at first sight, nor of what cannot be started', () => {
    const w = new World({ hourlyRateUSD: 0.1 })
    expect(settled(w.scan('starting', 10))).to.deep.equal([])
    expect(settled(w.scan('stopped', 20, 20, { instanceType: 'm5.large' }))).to.deep.equal([
      { ...place, status: 'stopped', instanceType: 'm5.large', deleted: false, hourlyRateUsd: 0.1, at: iso(20) },
    ])
    expect(settled(w.scan('stopped', 30, 30, { instanceType: 'm5.large', name: 'other' }))).to.deep.equal([])
    expect(settled(w.scan('stopped', 40, 40, { instanceType: 'm5.xlarge' }))).to.have.length(1)
    const fixed = new World({ schedulable: false })
    expect(settled(fixed.scan('stopped', 10, 10, { schedulable: false }))).to.deep.equal([])
    const fresh = new MemoryActor<Resource>(resourceActor as never, { key: 'i-1' })
    const found = {
      ...place,
      name: 'web',
      type: 'aws-ec2',
      provider: 'aws' as const,
      region: 'x',
      status: 'running' as const,
    }
    expect(settled(fresh.take(resourceDiscovered, found))).to.deep.equal([])
  })

  it('was found by a scan whose word is older than that of the action: the end of the scan does not miss it', () => {
    const w = new World({ refreshId: 'r1' })
    w.show('stopping', 98)
    w.end('stopped', 100)
    w.scan('running', 99, 101, { refreshId: 'r2' })
    const { refreshId, seenAt, observedStatus } = w.actor.state
    expect([refreshId, seenAt.toISOString(), observedStatus, w.shown]).to.deep.equal([
      'r2',
      iso(99),
      'stopped',
      'stopped',
    ])
    w.scan('running', 50, 102, { refreshId: 'r1' })
    expect(w.actor.state.refreshId).to.equal('r2')
  })

  it('does nothing when a scan sees what it saw before, an action in flight or not', () => {
    const w = new World()
    expect(w.scan('running', 10).facts).to.deep.equal([])
    w.show('stopping', 100)
    const again = w.scan('running', 110)
    expect([again.facts, again.emitted, w.actor.state.updatedAt.toISOString()]).to.deep.equal([[], [], iso(100)])
  })
})
