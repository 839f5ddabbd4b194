import { expect } from 'chai'
import { exportScheduleActor, nextExport } from '#actors/export/schedule/actor.ts'
import { runsMax } from '#actors/export/schedule/entity.ts'
import {
  exportRunEnded,
  exportRunRequested,
  exportScheduleChanged,
  exportScheduleDue,
  exportScheduleRemoved,
} from '#streams/export.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const scheduleId = 's-1'
const daily = { every: 'day' as const, day: 1, hour: 6, timezone: 'UTC' }
const at = (text: string) => ({ at: Date.parse(text) })
/** One that was set on 15 January 2026 at 10:00. */
const fresh = () => {
  const actor = new MemoryActor(exportScheduleActor, { place: '-', key: scheduleId })
  actor.take(exportScheduleChanged, { scheduleId, times: daily, isOther: true }, at('2026-01-15T10:00:00Z'))
  return actor
}
const month = (name: string, edition: string) => ({
  month: name,
  outcome: 'written' as const,
  rows: 1,
  files: 1,
  bytes: 10,
  billedCostUSD: '2.5',
  edition,
})
const end = (actor: ReturnType<typeof fresh>, months: ReturnType<typeof month>[], failure: string | null = null) =>
  actor.take(exportRunEnded, {
    scheduleId,
    runId: actor.state.runs[0]!.runId,
    name: 'Warehouse',
    ownerId: 'u-1',
    months,
    failure: failure === null ? null : { message: failure, fixHint: 'Grant it.' },
  })
const due = (actor: ReturnType<typeof fresh>, time: string) =>
  actor.take(exportScheduleDue, { scheduleId }, { ...at(time), reminder: 'due' })

describe('the export-schedule actor', () => {
  it('runs at its hour, in its time zone: the month, and the month before', () => {
    const actor = fresh()
    expect(new Date(actor.reminders.get('due')!).toISOString()).to.equal('2026-01-16T06:00:00.000Z')
    const { calls } = due(actor, '2026-01-16T06:00:00Z')
    expect(calls.map(({ name, input }) => [name, (input as any).months, (input as any).editions])).to.deep.equal([
      ['run-export-schedule', ['2025-12', '2026-01'], {}],
    ])
    expect(new Date(actor.reminders.get('due')!).toISOString()).to.equal('2026-01-17T06:00:00.000Z')
    const berlin = { ...daily, timezone: 'Europe/Berlin' }
    expect(nextExport(berlin, new Date('2026-01-15T10:00:00Z')).toISOString()).to.equal('2026-01-16T05:00:00.000Z')
    const monthly = { ...berlin, every: 'month' as const, day: 5 }
    expect(nextExport(monthly, new Date('2026-01-15T10:00:00Z')).toISOString()).to.equal('2026-02-05T05:00:00.000Z')
  })

  it('has one run at a time: a request during it gets that one, and the months that it does not contain', () => {
    const actor = fresh()
    const first = actor.take(exportRunRequested, { scheduleId, months: ['2026-01', '2025-06'] })
    const second = actor.take(exportRunRequested, { scheduleId, months: [] })
    expect((first.calls[0]!.input as any).months).to.deep.equal(['2025-06', '2026-01'])
    expect([second.calls, second.replies.length]).to.deep.equal([[], 1])
    const { runId } = actor.state.runs[0]!
    expect(first.replies).to.deep.equal([{ runId, omittedMonths: [] }])
    const third = actor.take(exportRunRequested, { scheduleId, months: ['2026-01', '2025-03', '2025-02'] })
    expect([third.calls, third.replies]).to.deep.equal([[], [{ runId, omittedMonths: ['2025-02', '2025-03'] }]])
    expect(due(actor, '2026-01-16T06:00:00Z').calls).to.deep.equal([])
  })

  it('passes on what was written before, except to runs that were asked for and after a change of place', () => {
    const actor = fresh()
    due(actor, '2026-01-16T06:00:00Z')
    end(actor, [month('2025-12', 'a'), month('2026-01', 'b')])
    const { calls } = due(actor, '2026-02-01T06:00:00Z')
    expect((calls[0]!.input as any).editions).to.deep.equal({ '2026-01': 'b' })
    end(actor, [])
    const asked = actor.take(exportRunRequested, { scheduleId, months: [] })
    expect((asked.calls[0]!.input as any).editions).to.deep.equal({})
    end(actor, [])
    actor.take(exportScheduleChanged, { scheduleId, times: daily, isOther: true })
    expect((due(actor, '2026-02-02T06:00:00Z').calls[0]!.input as any).editions).to.deep.equal({})
  })

  it('shows the reason of a failure and raises an event, once, and runs again the next day', () => {
    const actor = fresh()
    due(actor, '2026-01-16T06:00:00Z')
    const runId = actor.state.runs[0]!.runId
    const { raised } = end(actor, [], 'Access denied.')
    expect(
      raised.map((one: any) => [one.eventType, one.title, one.summary, one.data.runID, one.data.userID]),
    ).to.deep.equal([
      ['resource.failed', 'The scheduled export Warehouse failed', 'Access denied. Grant it.', runId, 'u-1'],
    ])
    expect(actor.state.runs[0]).to.include({ status: 'failed', reason: 'Access denied.', fixHint: 'Grant it.' })
    expect(end(actor, [], 'Access denied.').raised).to.deep.equal([])
    expect(due(actor, '2026-01-17T06:00:00Z').calls).to.have.length(1)
  })

  it('stops when it is turned off or deleted, and ignores the end of a run it no longer has', () => {
    const actor = fresh()
    due(actor, '2026-01-16T06:00:00Z')
    actor.take(exportScheduleChanged, { scheduleId, times: null, isOther: false })
    expect([[...actor.reminders], actor.state.nextDueAt]).to.deep.equal([[], null])
    actor.take(exportScheduleRemoved, { scheduleId })
    expect(actor.state.runs).to.deep.equal([])
  })

  it(`keeps the last ${runsMax} runs`, () => {
    const actor = fresh()
    for (let count = 0; count <= runsMax; count++) {
      actor.take(exportRunRequested, { scheduleId, months: [] })
      end(actor, [month('2026-01', 'b')])
    }
    expect(actor.state.runs).to.have.length(runsMax)
    expect(actor.state.runs[0]!.months).to.deep.equal([
      { month: '2026-01', outcome: 'written', rows: 1, files: 1, bytes: 10, billedCostUSD: '2.5' },
    ])
  })
})
