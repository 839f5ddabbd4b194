import { expect } from 'chai'
import { nextReport, type ReportTimes } from '#actors/saved-view/next-report.ts'

const week = (timezone: string, hour = 8): ReportTimes => ({ every: 'week', weekday: 1, day: 1, hour, timezone })
const after = (times: ReportTimes, at: string): string => nextReport(times, new Date(at)).toISOString()

describe('when a saved view is mailed', () => {
  it('keeps its hour on the clock of its zone when that is set forward and back', () => {
    const berlin = week('Europe/Berlin')
    expect(after(berlin, '2026-03-20T00:00:00Z')).to.equal('2026-03-23T07:00:00.000Z')
    expect(after(berlin, '2026-03-23T07:00:00Z')).to.equal('2026-03-30T06:00:00.000Z')
    expect(after(berlin, '2026-10-19T06:00:00Z')).to.equal('2026-10-26T07:00:00.000Z')
  })

  it('is the first minute behind an hour that the clock jumps over, and the first of one that it shows twice', () => {
    const sunday: ReportTimes = { ...week('Europe/Berlin', 2), weekday: 7 }
    expect(after(sunday, '2026-03-28T00:00:00Z')).to.equal('2026-03-29T01:00:00.000Z')
    expect(after(sunday, '2026-10-24T12:00:00Z')).to.equal('2026-10-25T00:00:00.000Z')
    expect(after(sunday, '2026-10-25T00:00:00Z')).to.equal('2026-11-01T01:00:00.000Z')
  })

  it('stands in zones that are off by quarters of an hour, and on the day of each month', () => {
    expect(after(week('Asia/Kathmandu'), '2026-03-20T00:00:00Z')).to.equal('2026-03-23T02:15:00.000Z')
    const monthly: ReportTimes = { every: 'month', weekday: 1, day: 28, hour: 0, timezone: 'America/New_York' }
    expect(after(monthly, '2026-02-28T05:00:00Z')).to.equal('2026-03-28T04:00:00.000Z')
  })
})
