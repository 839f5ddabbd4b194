import { expect } from 'chai'
import { resourceKey, savingActor, type SavingNeed } from '#actors/saving/actor.ts'
import type { Saving } from '#actors/saving/entity.ts'
import type { Static } from '#engine/value/schema.ts'
import { actionTold } from '#streams/action/messages.ts'
import { stateSettled } from '#streams/resource/messages.ts'
import { savingClaimed, savingDue, savingMeasured } from '#streams/saving.ts'
import { appliedAt, powered } from '#test/harness/saved.ts'
import { MemoryActor, type Done } from '#test/harness/turn.ts'

const place = 'acct-1'
const uid = 'i-1'
const at = { cloudAccountId: place, resourceUid: uid }

/** Estimated, observed, verified and what counts, by `<day> <source>/<id>`, as they stand after everything. */
class Machine {
  readonly actor = new MemoryActor<Saving>(savingActor as never, { place, key: uid })
  readonly rows: Record<string, (string | null)[]> = {}
  need: SavingNeed = { rate: '0.5', instanceType: 'm5.large', isStopped: false, isDeleted: false }

  private get needs() {
    return new Map([[resourceKey('o1', place, uid), this.need]])
  }
  applied(time: string, more: Partial<Static<typeof savingClaimed.schema>> = {}): Done {
    return this.take(savingClaimed, appliedAt(time, more), time)
  }
  told(action: 'start' | 'stop', time: string, source: object = { type: 'manual', id: 'u-1' }): Done {
    return this.take(actionTold, powered(action, time, { source: source as never }), time)
  }
  settled(status: 'running' | 'stopped', time: string, more: object = {}): Done {
    const state = { ...at, status, at: time, instanceType: 'm5.large', deleted: false, hourlyRateUsd: 0.5, ...more }
    return this.take(stateSettled, state as never, time)
  }
  pass(until: string): void {
    for (;;) {
      const due = this.actor.reminders.get('due')
      if (due === undefined || due > Date.parse(until)) return
      this.keep(this.actor.take(savingDue, at, { at: due, needs: this.needs, reminder: 'due' }))
    }
  }
  take(subject: any, data: any, time: string): Done {
    return this.keep(this.actor.take(subject, data, { at: Date.parse(time), needs: this.needs }))
  }
  private keep(done: Done): Done {
    for (const { row } of done.facts)
      this.rows[`${row.day} ${row.source}/${row.source_id}`] = [row.estimated, row.observed, row.verified, row.saved]
    return done
  }
  total(): number {
    return Object.values(this.rows).reduce((sum, row) => sum + Number(row[3]), 0)
  }
}

describe('savings of recommendations that people have applied', () => {
  let machine: Machine
  beforeEach(() => void (machine = new Machine()))

  it('are a thirtieth of what it said for each whole day: 12.40 of 12.00 in January [S-14]', () => {
    machine.applied('2026-01-01T09:00:00.000Z')
    expect(machine.rows).to.deep.equal({ '2026-01-01 recommendation/r-1': ['0.4', null, null, '0.4'] })
    machine.pass('2026-01-31T12:00:00Z')
    expect(machine.total()).to.be.closeTo(12.4, 1e-9)
    machine.applied('2026-02-01T08:00:00.000Z', { isApplied: false })
    expect(machine.rows['2026-02-01 recommendation/r-1']).to.deep.equal(undefined)
    expect(machine.actor.state.claims.map(({ until, why }) => [until, why])).to.deep.equal([
      ['2026-02-01T08:00:00.000Z', 'reopened'],
    ])
  })

  it('give way to what is seen: the hours that it is off replace the estimate from then on', () => {
    machine.applied('2026-01-01T09:00:00.000Z')
    machine.pass('2026-01-03T11:00:00Z')
    machine.settled('stopped', '2026-01-03T12:00:00.000Z')
    machine.pass('2026-01-05T00:30:00Z')
    expect(machine.rows).to.deep.equal({
      '2026-01-01 recommendation/r-1': ['0.4', null, null, '0.4'],
      '2026-01-02 recommendation/r-1': ['0.4', null, null, '0.4'],
      '2026-01-03 recommendation/r-1': ['0.4', '6', null, '6'],
      '2026-01-04 recommendation/r-1': ['0.4', '12', null, '12'],
      '2026-01-05 recommendation/r-1': ['0.4', '0', null, '0'],
    })
    machine.settled('running', '2026-01-05T02:00:00.000Z')
    machine.pass('2026-01-07T00:00:00Z')
    expect(machine.rows['2026-01-05 recommendation/r-1']).to.deep.equal([null, '1', null, '1'])
    expect(machine.rows['2026-01-06 recommendation/r-1']).to.equal(undefined)
  })

  it('are one with the stop of the workflow that carried it out, whichever is told first', () => {
    const source = { type: 'manual', id: 'u-1', workflow: { jobId: 'j-1', call: 'c' } }
    machine.told('stop', '2026-01-01T20:00:00.000Z', source)
    machine.pass('2026-01-01T21:30:00Z')
    expect(machine.rows).to.deep.equal({ '2026-01-01 manual/u-1': [null, '0.5', null, '0.5'] })
    machine.applied('2026-01-01T22:00:00.000Z', { jobId: 'j-1' })
    machine.pass('2026-01-02T00:30:00Z')
    expect(machine.rows).to.deep.equal({
      '2026-01-01 manual/u-1': [null, null, null, '0'],
      '2026-01-01 recommendation/r-1': ['0.4', '2', null, '2'],
      '2026-01-02 recommendation/r-1': ['0.4', '0', null, '0'],
    })
  })

  it('leave to a schedule what it had stopped before, and take the nights of one that was made for it', () => {
    const night = { type: 'schedule', id: 's-1' }
    machine.told('stop', '2026-01-01T20:00:00.000Z', night)
    machine.told('start', '2026-01-02T06:00:00.000Z', night)
    machine.applied('2026-01-02T09:00:00.000Z', { actionType: 'schedule' })
    machine.told('stop', '2026-01-02T20:00:00.000Z', night)
    machine.told('start', '2026-01-03T06:00:00.000Z', night)
    machine.told('stop', '2026-01-03T10:00:00.000Z', { type: 'schedule', id: 's-2' })
    machine.told('start', '2026-01-03T12:00:00.000Z', { type: 'schedule', id: 's-2' })
    machine.pass('2026-01-04T00:00:00Z')
    expect(machine.rows['2026-01-02 schedule/s-1']).to.deep.equal([null, '5', null, '5'])
    expect(machine.rows['2026-01-03 schedule/s-1']).to.deep.equal([null, '3', null, '3'])
    expect(machine.rows['2026-01-03 recommendation/r-1']).to.deep.equal(['0.4', '1', null, '1'])
  })

  it('are the cheaper hours of the new size from when it is seen, less those that it is off', () => {
    machine.applied('2026-01-01T09:00:00.000Z', { actionType: 'resize', size: 'm5a.large', savingsUsd: '144.00' })
    machine.settled('running', '2026-01-02T12:00:00.000Z', { instanceType: 'm5a.large', hourlyRateUsd: 0.3 })
    machine.need = { ...machine.need, rate: '0.3', instanceType: 'm5a.large' }
    machine.told('stop', '2026-01-03T00:00:00.000Z')
    machine.told('start', '2026-01-03T10:00:00.000Z')
    machine.pass('2026-01-04T00:00:00Z')
    expect(machine.rows['2026-01-01 recommendation/r-1']).to.deep.equal(['4.8', null, null, '4.8'])
    expect(machine.rows['2026-01-02 recommendation/r-1']).to.deep.equal(['4.8', '2.4', null, '2.4'])
    expect(machine.rows['2026-01-03 recommendation/r-1']).to.deep.equal(['4.8', '2.8', null, '2.8'])
    expect(machine.rows['2026-01-03 manual/u-1']).to.deep.equal([null, '3', null, '3'])
    machine.settled('running', '2026-01-04T06:00:00.000Z', { instanceType: 'm5.large' })
    machine.pass('2026-01-05T12:00:00Z')
    expect(machine.rows['2026-01-04 recommendation/r-1']).to.deep.equal([null, '1.2', null, '1.2'])
  })

  it('go on when the resource is gone as it should be, and end when one of its uid is there again', () => {
    machine.applied('2026-01-01T09:00:00.000Z', { actionType: 'delete' })
    machine.settled('stopped', '2026-01-01T12:00:00.000Z', { deleted: true })
    machine.pass('2026-01-02T12:00:00Z')
    machine.settled('running', '2026-01-02T12:00:00.000Z')
    machine.pass('2026-01-04T00:00:00Z')
    expect(machine.rows).to.deep.equal({
      '2026-01-01 recommendation/r-1': ['0.4', '6', null, '6'],
      '2026-01-02 recommendation/r-1': [null, '6', null, '6'],
    })
  })

  it('keep what bills prove beside them, of the newest run, and count what was seen', () => {
    machine.applied('2026-01-01T09:00:00.000Z')
    machine.pass('2026-01-04T01:00:00Z')
    const proof = { day: '2026-01-02', source: 'recommendation', sourceId: 'r-1' }
    const run = (time: string, verified: string | null, reason = '') =>
      machine.take(
        savingMeasured,
        { ...at, at: time, proofs: [{ ...proof, verified, reason }] },
        '2026-01-04T05:15:00Z',
      )
    run('2026-01-04T05:15:00.000Z', '0.38')
    run('2026-01-03T05:15:00.000Z', '9')
    expect(machine.rows['2026-01-02 recommendation/r-1']).to.deep.equal(['0.4', null, '0.38', '0.4'])
    expect(run('2026-01-05T05:15:00.000Z', '0.38').facts).to.deep.equal([])
    run('2026-01-06T05:15:00.000Z', null, 'not_closed')
    expect(machine.rows['2026-01-02 recommendation/r-1']).to.deep.equal(['0.4', null, null, '0.4'])
  })

  it('take over a stop by hand whenever it was, and estimate nothing of the days before people applied them', () => {
    machine.need = { ...machine.need, rate: null }
    machine.told('stop', '2026-01-01T12:00:00.000Z')
    machine.pass('2026-01-05T00:00:00Z')
    machine.applied('2026-01-05T09:00:00.000Z')
    expect(machine.rows).to.deep.equal({ '2026-01-05 recommendation/r-1': ['0.4', null, null, '0.4'] })
  })

  it('leave alone what was seen on days of which nobody knows any more what was off', () => {
    const weekend = { type: 'schedule', id: 's-1' }
    machine.told('stop', '2026-01-03T00:00:00.000Z', weekend)
    machine.told('start', '2026-01-05T07:00:00.000Z', weekend)
    machine.told('stop', '2026-01-06T10:00:00.000Z')
    machine.told('start', '2026-01-06T12:00:00.000Z')
    machine.told('stop', '2026-01-07T10:00:00.000Z')
    machine.told('start', '2026-01-07T11:00:00.000Z')
    machine.pass('2026-01-09T23:00:00Z')
    const before = { ...machine.rows }
    machine.told('stop', '2026-01-10T00:00:00.000Z', weekend)
    machine.pass('2026-01-10T02:30:00Z')
    expect(machine.rows).to.deep.equal({ ...before, '2026-01-10 schedule/s-1': [null, '1', null, '1'] })
    expect(before).to.deep.equal({
      '2026-01-03 schedule/s-1': [null, '12', null, '12'],
      '2026-01-04 schedule/s-1': [null, '12', null, '12'],
      '2026-01-05 schedule/s-1': [null, '3.5', null, '3.5'],
      '2026-01-06 manual/u-1': [null, '1', null, '1'],
      '2026-01-07 manual/u-1': [null, '0.5', null, '0.5'],
    })
  })

  it('begin once however often it is told, and anew when it is applied again', () => {
    machine.applied('2026-01-01T09:00:00.000Z')
    expect(machine.applied('2026-01-01T09:00:00.000Z').facts).to.deep.equal([])
    machine.applied('2026-01-02T09:00:00.000Z', { isApplied: false })
    machine.applied('2026-01-04T09:00:00.000Z', {})
    machine.pass('2026-01-05T00:00:00Z')
    expect(Object.keys(machine.rows).toSorted()).to.deep.equal([
      '2026-01-01 recommendation/r-1',
      '2026-01-04 recommendation/r-1',
      '2026-01-05 recommendation/r-1',
    ])
    expect(machine.actor.state.claims[1]!.notBefore).to.equal('2026-01-03')
  })
})
