import { expect } from 'chai'
import { offHours } from '#actors/recommendation/sweep/gather/off-hours.ts'
import { Timeline, type StatusChange } from '#actors/recommendation/sweep/gather/timeline.ts'
import { governanceDefaults } from '#actors/recommendation/policy/governance.ts'

const at = (time: string): number => Date.parse(`2026-${time}:00Z`)
const shown = (ms: number): string => new Date(ms).toISOString().slice(5, 16)

describe('hours outside of business', () => {
  it('go by the clock of the zone, before and after it is put forward', () => {
    const governance = { ...governanceDefaults, timezone: 'Europe/Berlin' }
    const spans = offHours({ from: at('03-27T00:00'), to: at('04-01T00:00') }, governance)
    expect(spans.map(({ from, to }) => `${shown(from)} ${shown(to)}`)).to.deep.equal([
      '03-27T00:00 03-27T07:00',
      '03-27T17:00 03-30T06:00',
      '03-30T16:00 03-31T06:00',
      '03-31T16:00 04-01T00:00',
    ])
  })

  it('are those of the days and minutes that the organization says', () => {
    const businessHours = { days: [7], from: '09:07', to: '24:00' }
    const spans = offHours({ from: at('03-28T00:00'), to: at('03-31T00:00') }, { ...governanceDefaults, businessHours })
    expect(spans.map(({ from, to }) => `${shown(from)} ${shown(to)}`)).to.deep.equal([
      '03-28T00:00 03-29T09:07',
      '03-30T00:00 03-31T00:00',
    ])
  })
})

describe('when a resource ran', () => {
  const change = (time: string, was: string, became: string): StatusChange => ({ at: at(time), was, became })
  const about = { status: 'running', firstSeen: at('01-01T00:00'), from: at('03-01T00:00'), until: at('03-02T00:00') }
  const hours = (line: Timeline, from = about.from, to = about.until) => line.runningMs({ from, to }) / 3_600_000

  it('is all the time where nothing changed, and from its first sight on', () => {
    expect(hours(new Timeline([], about))).to.equal(24)
    const young = new Timeline([], { ...about, firstSeen: at('03-01T18:00') })
    expect([shown(young.since), hours(young)]).to.deep.equal(['03-01T18:00', 6])
    expect(hours(new Timeline([], { ...about, status: 'stopped' }))).to.equal(0)
  })

  it('is between its changes, as it was before the first of them', () => {
    const line = new Timeline(
      [
        change('03-01T04:00', 'running', 'stopping'),
        change('03-01T05:00', 'stopping', 'stopped'),
        change('03-01T20:00', 'stopped', 'running'),
      ],
      about,
    )
    expect(hours(line)).to.equal(8)
    expect(hours(line, at('03-01T03:00'), at('03-01T21:00'))).to.equal(2)
  })
})
