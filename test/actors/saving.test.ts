import { expect } from 'chai'
import fc from 'fast-check'
import { resourceKey, savingActor, type SavingNeeds } from '#actors/saving/actor.ts'
import type { Saving } from '#actors/saving/entity.ts'
import { dayOf } from '#engine/value/day.ts'
import { plain } from '#engine/value/decimal.ts'
import { uuidOf } from '#engine/value/id.ts'
import { actionTold, type ActionRecord } from '#streams/action/messages.ts'
import { stateSettled } from '#streams/resource/messages.ts'
import { savingDue } from '#streams/saving.ts'
import { powered } from '#test/harness/saved.ts'
import { amount } from '#test/harness/tier.ts'
import { MemoryActor, type Done } from '#test/harness/turn.ts'

const place = 'acct-1'
const uid = 'i-1'
const night = { type: 'schedule', id: 's-1' } as const

/** Rows by `<day> <source>/<id>`, as they stand after everything. */
type Rows = Record<string, string>

class Machine {
  readonly actor = new MemoryActor<Saving>(savingActor as never, { place, key: uid })
  readonly rows: Rows = {}
  rate: string | null = '0.5'

  get needs(): SavingNeeds {
    return new Map([
      [
        resourceKey('o1', place, uid),
        { rate: this.rate, instanceType: 'm5.large', isStopped: false, isDeleted: false },
      ],
    ])
  }
  get hasRow(): boolean {
    return this.actor.state.stops.length > 0
  }
  told(action: 'start' | 'stop', at: string, more: Partial<ActionRecord> = {}, now = Date.parse(at)): Done {
    const record = powered(action, at, { source: night, ...more })
    return this.written(this.actor.take(actionTold, record, { at: now, needs: this.needs }))
  }
  settled(status: 'running' | 'stopped' | 'pending', at: string, more: object = {}, now = Date.parse(at)): Done {
    const state = { cloudAccountId: place, resourceUid: uid, status, at }
    const data = { ...state, instanceType: 'm5.large', deleted: false, hourlyRateUsd: null, ...more }
    return this.written(this.actor.take(stateSettled, data, { at: now, needs: new Map() }))
  }
  /** Everything that is due by `at`. */
  pass(at: string | number): void {
    for (;;) {
      const due = this.actor.reminders.get('due')
      if (due === undefined || due > new Date(at).getTime()) return
      const data = { cloudAccountId: place, resourceUid: uid }
      this.written(this.actor.take(savingDue, data, { at: due, needs: this.needs, reminder: 'due' }))
    }
  }
  private written(done: Done): Done {
    for (const { row } of done.facts) this.rows[`${row.day} ${row.source}/${row.source_id}`] = row.saved
    return done
  }
}

describe('actor saving', () => {
  let machine: Machine
  beforeEach(() => void (machine = new Machine()))

  it('saves what a stopped night would have cost, to the hour on each of its days', () => {
    machine.told('stop', '2026-01-15T19:00:00.000Z')
    machine.pass('2026-01-16T06:59:00Z')
    const ended = machine.told('start', '2026-01-16T07:00:00.000Z')
    expect(machine.rows).to.deep.equal({ '2026-01-15 schedule/s-1': '2.5', '2026-01-16 schedule/s-1': '3.5' })
    const { x_Version, ...row } = ended.facts.at(-1)!.row
    expect([ended.facts.at(-1)!.table, x_Version === undefined]).to.deep.equal(['saving_daily', false])
    expect(row).to.deep.equal({
      org_id: 'o1',
      day: '2026-01-16',
      cloud_account_id: place,
      resource_uid: uid,
      source: 'schedule',
      source_id: 's-1',
      provider: 'aws',
      region: 'us-east-1',
      service_name: '',
      resource_type: 'aws-ec2',
      purchase_type: '',
      saved: '3.5',
      basis: 'observed',
      estimated: null,
      observed: '3.5',
      verified: null,
      claim_id: uuidOf('saving', 'o1', 'stop-2026-01-15T19:00:00.000Z'),
      rule_id: '',
      category: '',
      reason: '',
    })
  })

  it('writes what was saved so far every hour, and every day that a clock has jumped over', () => {
    machine.told('stop', '2026-01-15T19:00:00.000Z')
    expect(machine.rows).to.deep.equal({})
    machine.pass('2026-01-15T21:30:00Z')
    expect(machine.rows).to.deep.equal({ '2026-01-15 schedule/s-1': '1' })
    const data = { cloudAccountId: place, resourceUid: uid }
    const jump = { at: Date.parse('2026-01-18T02:00:00Z'), needs: machine.needs, reminder: 'due' }
    const { facts } = machine.actor.take(savingDue, data, jump)
    expect(facts.map(({ row }) => [row.day, row.saved])).to.deep.equal([
      ['2026-01-15', '2.5'],
      ['2026-01-16', '12'],
      ['2026-01-17', '12'],
      ['2026-01-18', '1'],
    ])
  })

  it('has no row once the last claim has been over for as long as bills may prove it, and none for a start or what changed nothing', () => {
    machine.told('start', '2026-01-15T08:00:00.000Z')
    machine.told('stop', '2026-01-15T09:00:00.000Z', { attempt: 0 })
    machine.told('stop', '2026-01-15T09:00:00.000Z', { status: 'failed' })
    machine.told('stop', '2026-01-15T09:00:00.000Z', { status: 'running', endedAt: null })
    expect([machine.hasRow, machine.actor.reminders.size]).to.deep.equal([false, 0])
    machine.told('stop', '2026-01-15T10:00:00.000Z')
    machine.told('start', '2026-01-15T12:00:00.000Z')
    machine.pass('2026-03-02T12:00:00Z')
    expect(machine.hasRow).to.equal(true)
    machine.pass('2026-03-02T12:00:01Z')
    expect([machine.hasRow, machine.actor.reminders.size]).to.deep.equal([false, 0])
    expect(machine.rows).to.deep.equal({ '2026-01-15 schedule/s-1': '1' })
  })

  it('adds up what one schedule saves twice on a day, and keeps apart what others save', () => {
    machine.told('stop', '2026-01-15T01:00:00.000Z')
    machine.told('start', '2026-01-15T02:00:00.000Z')
    machine.told('stop', '2026-01-15T03:00:00.000Z')
    machine.told('start', '2026-01-15T06:00:00.000Z')
    machine.told('stop', '2026-01-15T08:00:00.000Z', { source: { type: 'override_expired', id: 'o-1' } })
    machine.told('start', '2026-01-15T09:00:00.000Z')
    expect(machine.rows).to.deep.equal({ '2026-01-15 schedule/s-1': '2', '2026-01-15 override/o-1': '0.5' })
  })

  it('adds to a day what was saved on it before, also when the claims of then are not held any more', () => {
    machine.told('stop', '2026-01-15T01:00:00.000Z')
    machine.told('start', '2026-01-15T02:00:00.000Z')
    machine.told('stop', '2026-01-15T03:00:00.000Z')
    machine.pass('2026-01-19T12:00:00Z')
    expect([machine.actor.state.stops.length, machine.actor.state.since]).to.deep.equal([1, '2026-01-15T02:00:00.000Z'])
    machine.settled('running', '2026-01-15T05:00:00.000Z', {}, Date.parse('2026-01-19T12:30:00Z'))
    expect(machine.rows).to.deep.equal({
      '2026-01-15 schedule/s-1': '1.5',
      '2026-01-16 schedule/s-1': '0',
      '2026-01-17 schedule/s-1': '0',
      '2026-01-18 schedule/s-1': '0',
      '2026-01-19 schedule/s-1': '0',
    })
  })

  it('ends when the resource is seen to be on, gone or of another size, not when it is off or nobody sees it', () => {
    const ends = [
      ['running', {}],
      ['stopped', { deleted: true }],
      ['stopped', { instanceType: 'm5.xlarge' }],
    ] as const
    for (const [status, more] of ends) {
      machine = new Machine()
      machine.told('stop', '2026-01-15T01:00:00.000Z')
      machine.settled('stopped', '2026-01-15T01:30:00.000Z')
      machine.settled('pending', '2026-01-15T02:00:00.000Z', { instanceType: '' })
      machine.settled('running', '2026-01-15T00:59:00.000Z', {}, Date.parse('2026-01-15T02:30:00Z'))
      machine.settled(status, '2026-01-15T03:00:00.000Z', more)
      machine.pass('2026-01-15T20:00:00Z')
      expect(machine.rows, JSON.stringify([status, more])).to.deep.equal({ '2026-01-15 schedule/s-1': '1' })
    }
  })

  it('begins nothing by a stop of what is off, nor by a word that comes again', () => {
    const stop = () => machine.told('stop', '2026-01-15T01:00:00.000Z', {}, Date.parse('2026-01-15T05:00:00Z'))
    stop()
    machine.told('stop', '2026-01-15T02:00:00.000Z', { source: { type: 'manual', id: 'u-1' } })
    machine.told('start', '2026-01-15T05:00:00.000Z')
    const again = [stop(), machine.told('start', '2026-01-15T05:00:00.000Z')]
    expect(again.map(({ facts }) => facts)).to.deep.equal([[], []])
    expect(machine.rows).to.deep.equal({ '2026-01-15 schedule/s-1': '2' })
  })

  it('waits for a rate, and then tells what was saved from the beginning on', () => {
    machine.rate = null
    machine.told('stop', '2026-01-15T20:00:00.000Z')
    machine.pass('2026-01-16T03:00:00Z')
    expect(machine.rows).to.deep.equal({})
    machine.settled('stopped', '2026-01-16T04:00:00.000Z', { hourlyRateUsd: 0.25 })
    expect(machine.rows).to.deep.equal({ '2026-01-15 schedule/s-1': '1', '2026-01-16 schedule/s-1': '1' })
    machine = new Machine()
    machine.rate = null
    machine.told('stop', '2026-01-15T20:00:00.000Z')
    machine.pass('2026-01-15T22:30:00Z')
    machine.rate = '0.096'
    machine.pass('2026-01-15T23:00:00Z')
    expect(machine.rows).to.deep.equal({ '2026-01-15 schedule/s-1': '0.288' })
  })

  it('rounds a day once, to fourteen places', () => {
    machine.rate = '0.0000000000001'
    machine.told('stop', '2026-01-15T00:00:00.000Z')
    machine.told('start', '2026-01-15T00:03:00.000Z')
    machine.told('stop', '2026-01-15T01:00:00.000Z')
    machine.told('start', '2026-01-15T01:03:00.000Z')
    // Twice a twentieth of 10^-13 an hour: 10^-14, where each of them alone would be rounded up to it.
    expect(machine.rows).to.deep.equal({ '2026-01-15 schedule/s-1': '0.00000000000001' })
    machine.told('stop', '2026-01-16T00:00:00.000Z')
    machine.told('start', '2026-01-16T00:03:00.000Z')
    expect(machine.rows['2026-01-16 schedule/s-1']).to.equal('0.00000000000001')
  })

  it('has claims of stops from before there were any, with all that their rows say', () => {
    machine.told('stop', '2026-01-15T10:00:00.000Z')
    Object.assign(machine.actor.state, { claims: [], ledger: {} })
    const data = { cloudAccountId: place, resourceUid: uid }
    const due = { at: Date.parse('2026-01-15T11:00:00Z'), needs: machine.needs, reminder: 'due' }
    const { facts } = machine.actor.take(savingDue, data, due)
    expect(
      facts.map(({ row }) => [row.saved, row.provider, row.region, row.resource_type, row.claim_id]),
    ).to.deep.equal([['0.5', 'aws', 'us-east-1', 'aws-ec2', uuidOf('saving', 'o1', 'stop-2026-01-15T10:00:00.000Z')]])
  })

  it('saves for twelve months at most', () => {
    machine.told('stop', '2026-01-15T12:00:00.000Z')
    const data = { cloudAccountId: place, resourceUid: uid }
    const at = Date.parse('2027-03-01T00:00:00Z')
    const { facts } = machine.actor.take(savingDue, data, { at, needs: machine.needs, reminder: 'due' })
    expect([facts.length, facts.at(-1)!.row.day, facts.at(-1)!.row.saved]).to.deep.equal([366, '2027-01-15', '6'])
    expect(machine.actor.state.claims.map(({ until, why }) => [until, why])).to.deep.equal([
      ['2027-01-15T12:00:00.000Z', 'age'],
    ])
  })
})

interface Happened {
  kind: 'stop' | 'start' | 'seen'
  minute: number
  source: 'a' | 'b'
  /** Minutes until each time it is told. */
  delays: number[]
}

const epoch = Date.parse('2026-01-15T00:00:00Z')
const isoOf = (minute: number) => new Date(epoch + minute * 60_000).toISOString()

/** One of the two is a schedule, whose claim goes on from stop to stop. */
const typeOf = (source: string): 'manual' | 'schedule' => (source === 'b' ? 'schedule' : 'manual')

/** Minute by minute: what is off and who stopped it. Of one minute what is on comes first. */
function byTheMinute(taken: readonly Happened[], until: number): Rows {
  const minutes = new Map<string, number>()
  let off: string | undefined
  for (let minute = 0; minute < until; minute += 1) {
    const now = taken.filter((one) => one.minute === minute)
    if (now.some(({ kind }) => kind !== 'stop')) off = undefined
    const stops = now.filter(({ kind }) => kind === 'stop').map(({ source }) => source)
    off ??= stops.toSorted()[0]
    const key = off && `${dayOf(epoch + minute * 60_000)} ${typeOf(off)}/${off}`
    if (key) minutes.set(key, (minutes.get(key) ?? 0) + 1)
  }
  // 0.096 dollars an hour are 160,000,000,000 x 10^-14 a minute.
  return Object.fromEntries([...minutes].map(([key, count]) => [key, plain(160_000_000_000n * BigInt(count), 14)]))
}

describe('actor saving, whatever comes and in whatever order', () => {
  for (const [span, numRuns] of [
    [5000, amount(25, 300, 3000)],
    [20_000, amount(6, 80, 800)],
  ] as const)
    it(`has saved what a clerk who notes every minute finds, of ${span} minutes`, () => {
      const happened = fc.record({
        kind: fc.constantFrom('stop', 'start', 'seen'),
        minute: fc.integer({ min: 0, max: span }),
        source: fc.constantFrom('a', 'b'),
        delays: fc.array(fc.integer({ min: 0, max: 600 }), { minLength: 1, maxLength: 3 }),
      })
      fc.assert(
        fc.property(fc.array(happened, { maxLength: 25 }), (history) => {
          const machine = new Machine()
          machine.rate = '0.096'
          const tellings = (history as Happened[])
            .flatMap((one) => one.delays.map((delay) => ({ one, at: one.minute + delay })))
            .toSorted((a, b) => a.at - b.at)
          const taken = new Set<Happened>()
          for (const { one, at } of tellings) {
            const now = epoch + at * 60_000
            machine.pass(now)
            // Without a claim nothing is kept of what is on.
            if (one.kind !== 'stop' && !machine.hasRow) continue
            taken.add(one)
            const actionId = `${one.source}/${one.kind}/${one.minute}`
            const source = { type: typeOf(one.source), id: one.source } as ActionRecord['source']
            if (one.kind === 'seen') machine.settled('running', isoOf(one.minute), {}, now)
            else machine.told(one.kind, isoOf(one.minute), { actionId, source }, now)
          }
          const until = span + 4000
          machine.pass(epoch + until * 60_000)
          const rows = Object.entries(machine.rows).filter(([, saved]) => saved !== '0')
          const found = byTheMinute([...taken], until)
          // The last hour is not written yet.
          const isDone = ([key]: [string, string]) => key < dayOf(epoch + until * 60_000)
          expect(Object.fromEntries(rows.filter(isDone))).to.deep.equal(
            Object.fromEntries(Object.entries(found).filter(isDone)),
          )
        }),
        { numRuns },
      )
    })
})
