import { expect } from 'chai'
import { findDemand } from '#actors/action/power/demand.ts'

const at = (text: string) => new Date(`${text}Z`)

describe('what schedules demand of a resource', () => {
  const night = {
    timezone: 'Europe/Berlin',
    rules: [
      { action: 'stop' as const, cron: '0 20 * * 1-5' },
      { action: 'start' as const, cron: '0 8 * * 1-5' },
    ],
    skipDates: [],
  }

  it('is what the latest fire of all of them said [S-27]', () => {
    expect(findDemand([night], at('2030-01-07T22:00'))).to.equal('stop')
    expect(findDemand([night], at('2030-01-08T12:00'))).to.equal('start')
    const later = { ...night, rules: [{ action: 'start' as const, cron: '0 21 * * *' }] }
    expect(findDemand([night, later], at('2030-01-07T19:30'))).to.equal('stop')
    expect(findDemand([night, later], at('2030-01-07T20:00'))).to.equal('start')
    expect(findDemand([{ ...night, skipDates: ['2030-01-08'] }], at('2030-01-08T12:00'))).to.equal('stop')
  })

  it('is the start where one and a stop come in the same minute, whichever is named first', () => {
    const rules = [
      { action: 'start' as const, cron: '0 20 * * *' },
      { action: 'stop' as const, cron: '0 20 * * *' },
    ]
    expect(findDemand([{ ...night, rules }], at('2030-01-07T22:00'))).to.equal('start')
    expect(findDemand([{ ...night, rules: rules.toReversed() }], at('2030-01-07T22:00'))).to.equal('start')
  })

  it('is nothing where none fired in 400 days', () => {
    expect(findDemand([], at('2030-01-07T22:00'))).to.equal(undefined)
    const leap = { timezone: 'UTC', rules: [{ action: 'stop' as const, cron: '0 0 29 2 *' }], skipDates: [] }
    expect(findDemand([leap], at('2029-04-05T00:00'))).to.equal(undefined)
    expect(findDemand([leap], at('2029-04-04T00:00'))).to.equal('stop')
  })
})
