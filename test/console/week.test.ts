import { expect } from 'chai'
import { factText, priceText } from '#http/console/web/view/recommendations/fact-text.ts'
import { hoursOf, rulesOf, rulesText, weeklyOf, weekGrid } from '#http/console/web/view/schedules/week.ts'

const stop = (cron: string) => ({ action: 'stop' as const, cron })
const start = (cron: string) => ({ action: 'start' as const, cron })

describe('rules of a schedule as hours of a week', () => {
  it('are sentences: a start and a stop on the same days are one, what is no weekly time stays cron', () => {
    expect(rulesText([stop('0 20 * * 1-5'), start('0 7 * * 1-5')])).to.deep.equal(['On weekdays 07:00 to 20:00'])
    expect(rulesText([stop('30 6 * * *'), start('0 18 * * *')])).to.deep.equal([
      'On every day 18:00 to 06:30 the next day',
    ])
    expect(rulesText([stop('0 0 * * 6,0'), start('*/5 * 1 * *')])).to.deep.equal([
      'Stop weekends 00:00',
      'Start */5 * 1 * *',
    ])
  })

  it('read days by number and by name, Sunday as 0 and 7, and ranges over the end of the week', () => {
    const days = (field: string) => weeklyOf(stop(`0 20 * * ${field}`))?.days
    expect([days('0'), days('7'), days('mon-wed'), days('fri-mon')]).to.deep.equal([[6], [6], [0, 1, 2], [0, 4, 5, 6]])
    expect([days('1/2'), days('8'), weeklyOf(stop('0 24 * * *')), weeklyOf(stop('0 20 1 * *'))]).to.deep.equal([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  it('come back as the rules that they were, and say of each hour whether targets are on', () => {
    const rules = [stop('0 20 * * 1-5'), start('0 7 * * 1-5')]
    expect(hoursOf(rules)).to.deep.equal({ days: [0, 1, 2, 3, 4], from: '07:00', to: '20:00' })
    expect(rulesOf(hoursOf(rules)!)).to.deep.equal(rules)
    expect(rulesOf({ days: [5, 6], from: '08:30', to: '12:00' })).to.deep.equal([
      stop('0 12 * * 6,0'),
      start('30 8 * * 6,0'),
    ])
    const grid = weekGrid(rules)!
    // Five days of 13 hours on; Monday 06 is off since Friday, 07 is on.
    expect([grid.filter((isOn) => isOn).length, grid[6], grid[7], grid[19], grid[20]]).to.deep.equal([
      65,
      false,
      true,
      true,
      false,
    ])
    expect(weekGrid([stop('@daily')])).to.equal(undefined)
  })
})

describe('facts of a recommendation', () => {
  it('name a list price with its source and date, and a rate as a part of the price on demand', () => {
    const at = { source: 'price list of AWS', effectiveOn: '2026-11-01' }
    expect([
      priceText({ name: 'm5.large', usd: 0.107, per: 'hour', ...at }),
      priceText({ name: 'aws-rds-reserved 1yr_no_upfront', share: 0.66, source: 'a page', effectiveOn: '' }),
    ]).to.deep.equal([
      ['m5.large', '$0.107 an hour: price list of AWS, 2026-11-01'],
      ['aws-rds-reserved 1yr_no_upfront', '66% of on demand: a page'],
    ])
  })

  it('have the units of their names', () => {
    const facts = [
      factText('monthlyCostUsd', 12.5),
      factText('p95CpuPercent', 4.2),
      factText('cpu_percent_p99', 7.3),
      factText('cpuPercentMax', 9.26),
      factText('idleDays', 1),
      factText('sizeGib', 500),
      factText('instanceType', 'm5.large'),
      factText('attachments', 1200),
    ]
    expect(facts).to.deep.equal([
      ['Monthly cost', '$12.50'],
      ['P95 CPU', '4.2%'],
      ['CPU p99', '7.3%'],
      ['CPU max', '9.3%'],
      ['Idle', '1 day'],
      ['Size', '500 GiB'],
      ['Instance type', 'm5.large'],
      ['Attachments', '1,200'],
    ])
  })
})
