import { expect } from 'chai'
import { contentOf, minute } from '#streams/delivery/format/message.ts'
import { clean, cut, escape, toSafeLink, oneLine, disableFormatting } from '#streams/delivery/format/text.ts'
import { anomalyCritical, budgetExceeded, digestOf, link, message } from '#test/harness/notice.ts'

describe('what a notification says', () => {
  it('is of the one event where it tells of one alone', () => {
    const { id, ...event } = digestOf(1)
    expect(contentOf(message({ id, ...event })).title).to.equal('Budget 0')
    expect(contentOf(message({ id, ...event })).list).to.equal(undefined)
  })

  it('leaves out what an event does not hold, or holds as something else', () => {
    const data = { month: 7, currentSpendUSD: '1', monthlyBudgetUSD: Number.NaN, percentUsed: null, rootCause: {} }
    expect(contentOf(message({ ...budgetExceeded, severity: 'warning', occurredAt: 'once', data }))).to.deep.equal({
      title: 'The budget of team Payments is exceeded',
      badge: 'Budget Exceeded (Warning)',
      tone: 'warning',
      when: '',
      lines: ['Spend of 2026-01 is 1020 of 1000 USD (102%).'],
      facts: [],
      cause: '',
      link,
    })
  })

  it('links only to what is http or https, first to what it is given, then to what the event names', () => {
    const event = { ...budgetExceeded, link: 'https://tidemark.example/budgets/b-1' }
    const { link: _, ...bare } = message(event)
    expect(contentOf(message(event)).link).to.equal(link)
    expect(contentOf(bare).link).to.equal('https://tidemark.example/budgets/b-1')
    for (const wrong of [
      'javascript:alert(1)',
      '/notifications/view',
      'data:text/html,x',
      'https://u:p@x.example/',
      '',
    ])
      expect(toSafeLink(wrong), wrong).to.equal(undefined)
    expect(toSafeLink('http://x.example/a|b?c="<d>\'')).to.equal('http://x.example/a%7Cb?c=%22%3Cd%3E%27')
  })

  it('says how bad it is once', () => {
    const event = { ...anomalyCritical, name: 'Cost Anomaly (Critical)' }
    expect(contentOf(message(event)).badge).to.equal('Cost Anomaly (Critical)')
  })

  it('shows times to the minute in UTC', () => {
    expect(minute('2026-01-16T23:59:59.999+02:00')).to.equal('2026-01-16 21:59 UTC')
  })

  it('has no control characters, nothing invisible and nothing that turns the direction of writing', () => {
    expect(clean('a\u0000b\u001B[31mc\u202Ed\u2066e\uFEFF\u200Bf\tg\r\nh\u2028i ')).to.equal('ab[31mcdef g\nh\ni')
    expect(clean('👩\u200D🔧 می\u200Cخواهم')).to.equal('👩\u200D🔧 می\u200Cخواهم')
    expect(clean('\uD83D x')).to.equal('\uFFFD x')
    expect(oneLine(' a \n\n b ')).to.equal('a b')
  })

  it('is cut between characters, with an ellipsis', () => {
    expect(cut('abc', 3)).to.equal('abc')
    expect(cut('abcd', 3)).to.equal('ab…')
    expect(cut('😀😀', 3)).to.equal('😀…')
    expect(cut('a&b', 6, escape({ '&': '&amp;' }))).to.equal('a…')
    expect(cut('a&b', 7, escape({ '&': '&amp;' }))).to.equal('a&amp;b')
    expect(cut('', 3)).to.equal('')
  })

  it('keeps underscores of names', () => {
    expect(disableFormatting('_a my_db x_ (_y)')).to.equal('ˍa my_db xˍ (ˍy)')
    expect(disableFormatting('@here @channel @Everyone a@heretic.example')).to.equal(
      '@\u2060here @\u2060channel @\u2060Everyone a@heretic.example',
    )
  })
})
