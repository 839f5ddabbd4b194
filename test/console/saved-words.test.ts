import { expect } from 'chai'
import { periodOf } from '#http/console/web/range.ts'
import { lastText, nextText, whenText } from '#http/console/web/view/saved/schedule-text.ts'

describe('the days of an address', () => {
  const of = (search: string, today = '2026-03-31', end = today) => {
    const { from, to } = periodOf(new URLSearchParams(search), today, end)
    return `${from} ${to}`
  }

  it('go on with the calendar where a word stands for them, and stay where they are named', () => {
    expect(of('range=month')).to.equal('2026-03-01 2026-03-31')
    expect(of('range=last-month')).to.equal('2026-02-01 2026-02-28')
    expect(of('range=7d')).to.equal('2026-03-25 2026-03-31')
    expect(of('range=12m')).to.equal('2025-04-01 2026-03-31')
    expect(of('range=month&from=2026-01-05&to=2026-01-06')).to.equal('2026-01-05 2026-01-06')
  })

  it('end with the last settled day where a word stands for them, a month without one today [G-115]', () => {
    const ended = (search: string, today = '2026-03-31') => of(search, today, '2026-03-28')
    expect(ended('range=month')).to.equal('2026-03-01 2026-03-28')
    expect(ended('range=last-month')).to.equal('2026-02-01 2026-02-28')
    expect(ended('range=7d')).to.equal('2026-03-22 2026-03-28')
    expect(ended('range=12m')).to.equal('2025-04-01 2026-03-28')
    expect(ended('from=2026-03-05&to=2026-03-31')).to.equal('2026-03-05 2026-03-31')
    expect(ended('range=month', '2026-04-01')).to.equal('2026-04-01 2026-04-01')
  })

  it('are the last 30 where it names none that are good', () => {
    for (const search of ['', 'range=x', 'from=2026-02-30&to=x', 'from=2026-02-02&to=2026-02-01'])
      expect(of(search), search).to.equal('2026-03-02 2026-03-31')
  })
})

describe('schedules in words', () => {
  const times = { every: 'week', weekday: 7, day: 1, hour: 8, timezone: 'Asia/Kathmandu' } as const

  it('say when, and what became of the last time', () => {
    expect(whenText(times)).to.equal('Every Sunday at 08:00, Asia/Kathmandu')
    expect(whenText({ ...times, every: 'month', day: 28 })).to.equal('On day 28 of each month at 08:00, Asia/Kathmandu')
    expect(nextText({ isOn: false, nextDueAt: null })).to.equal('disabled')
    expect(lastText(null)).to.deep.equal(['not yet'])
    const dueAt = '2026-03-01T08:00:00Z'
    expect(lastText({ dueAt, reason: 'Gone.', mails: [] }).slice(1)).to.deep.equal(['not sent: Gone.'])
    const mails = [
      { email: 'a@example.com', state: 'sent', message: '' },
      { email: 'b@example.com', state: 'failed', message: 'It answered 550.' },
      { email: 'c@example.com', state: 'unsubscribed', message: '' },
    ]
    expect(lastText({ dueAt, reason: '', mails }).slice(1)).to.deep.equal([
      'sent to 1 address',
      'b@example.com: not delivered, It answered 550.',
      'c@example.com: unsubscribed',
    ])
  })
})
