import { expect } from 'chai'
import { teamsBody } from '#streams/delivery/format/teams.ts'
import { anomalyCritical, budgetExceeded, link, message, overrideTriggered } from '#test/harness/notice.ts'

const block = (text: string, more: object = {}) => ({ type: 'TextBlock', text, wrap: true, ...more })
const card = (fallbackText: string, color: string, badge: string, title: string, rest: object[]) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.5',
        fallbackText,
        msteams: { width: 'Full' },
        body: [
          block(badge, { weight: 'bolder', color }),
          block(title, { spacing: 'none', size: 'large', weight: 'bolder' }),
          block('2026-01-16 04:30 UTC', { spacing: 'none', isSubtle: true }),
          ...rest,
        ],
        actions: [{ type: 'Action.OpenUrl', title: 'Open in Tidemark', url: link }],
      },
    },
  ],
})
const factSet = (facts: Record<string, string>) => ({
  type: 'FactSet',
  facts: Object.entries(facts).map(([title, value]) => ({ title, value })),
})

describe('a notification for Teams [NOTIF-56]', () => {
  it('of a budget is an adaptive card with its figures', () => {
    const title = 'The budget of team Payments is exceeded'
    expect(teamsBody(message(budgetExceeded))).to.deep.equal(
      card(title, 'attention', 'Budget Exceeded', title, [
        block('Spend of 2026-01 is 1020 of 1000 USD (102%).'),
        factSet({
          Month: '2026-01',
          Spend: '1020.00 of 1000.00 US dollars',
          Used: '102%',
          'Alert threshold': '80%',
        }),
      ]),
    )
  })

  it('of an anomaly is an adaptive card with its figures, cause and resources', () => {
    const title = 'Cost of Production: 1200.50 US dollars on 2026-01-15, 140.1% above 500.00'
    expect(teamsBody(message(anomalyCritical))).to.deep.equal(
      card(title, 'attention', 'Cloud Account Anomaly (Critical)', title, [
        factSet({
          Day: '2026-01-15',
          Cost: '1200.50 US dollars',
          Expected: '500.00 US dollars',
          Deviation: '+700.50 US dollars (+140.1%)',
        }),
        block('Cause', { weight: 'bolder' }),
        block('New resource: worker-17.', { spacing: 'none' }),
        block('Top resources', { weight: 'bolder' }),
        block('**worker-17**', { spacing: 'small' }),
        block('420.00 US dollars (+420.00)', { spacing: 'none', isSubtle: true }),
        block('**i-2**', { spacing: 'small' }),
        block('300.25 US dollars (-5.00)', { spacing: 'none', isSubtle: true }),
      ]),
    )
  })

  it('of an override is an adaptive card that says what is kept until when', () => {
    const title = 'An override keeps resource group Batch running'
    expect(teamsBody(message(overrideTriggered))).to.deep.equal(
      card(title, 'accent', 'Override Triggered', title, [
        block('Until 2026-01-17T18:00:00.000Z, schedules do not change it: month-end.'),
        factSet({ 'Desired state': 'running', Until: '2026-01-17 18:00 UTC', Reason: 'month-end', Resources: '2' }),
      ]),
    )
  })

  it('shows hostile text as it is: no links, no mentions, no formatting, no times that clients work out', () => {
    const shownOf: Record<string, string> = {
      '<at>all</at> [x](https://evil.example)': '\\<at>all\\</at> \\[x](https://evil.example)',
      '*b* _i_ `c` ~s~ my_db_1 \\': '\\*b\\* \\_i\\_ \\`c\\` \\~s\\~ my_db_1 \\\\',
      '{{DATE(2026-01-01T00:00:00Z)}} {x}': '\\{{DATE(2026-01-01T00:00:00Z)}} {x}',
      'R&D &lt; &#60;': 'R&D \\&lt; \\&#60;',
      '# heading': '\\# heading',
      '- item': '\\- item',
      '1. item': '1\\. item',
      '-5.00 and 1.50': '-5.00 and 1.50',
    }
    for (const [title, shown] of Object.entries(shownOf)) {
      const [{ content }] = teamsBody(message({ ...budgetExceeded, title, data: { month: title } })).attachments
      const [, head, , , facts] = content.body as { text?: string; facts?: object[] }[]
      expect(head?.text).to.equal(shown)
      expect(facts?.facts).to.deep.equal([{ title: 'Month', value: shown }])
      expect(content.fallbackText).to.equal(title)
    }
  })

  it('stays below 28,000 bytes, whatever is told', () => {
    const long = '語*'.repeat(3000)
    const events = Array.from({ length: 30 }, () => ({ ...anomalyCritical, title: long, summary: long }))
    const body = teamsBody(message({ ...anomalyCritical, title: long, summary: long, data: { events } }))
    expect(Buffer.byteLength(JSON.stringify(body))).to.be.within(10_000, 28_000)
    const [{ content }] = body.attachments
    expect((content.body as { text: string }[]).at(-1)?.text).to.equal('and 10 more')
  })
})
