import { expect } from 'chai'
import { slackBody } from '#streams/delivery/format/slack.ts'
import { actionExhausted, anomalyCritical, budgetExceeded, digestOf, message } from '#test/harness/notice.ts'

const mrkdwn = (text: string) => ({ type: 'mrkdwn', text, verbatim: true })
const section = (text: string) => ({ type: 'section', text: mrkdwn(text) })
const header = (text: string) => ({ type: 'header', text: { type: 'plain_text', text, emoji: false } })
const context = (text: string) => ({ type: 'context', elements: [mrkdwn(text)] })
const slackLink = section('<https://tidemark.example/notifications/view?token=a.b&amp;x=1|Open in Tidemark>')

describe('a notification for Slack [NOTIF-56]', () => {
  it('of a budget says the spend, the budget, how much of it and the month', () => {
    expect(slackBody(message(budgetExceeded))).to.deep.equal({
      text: 'The budget of team Payments is exceeded',
      blocks: [
        header('The budget of team Payments is exceeded'),
        context('Budget Exceeded · 2026-01-16 04:30 UTC'),
        section('Spend of 2026-01 is 1020 of 1000 USD (102%).'),
        {
          type: 'section',
          fields: [
            mrkdwn('*Month*\n2026-01'),
            mrkdwn('*Spend*\n1020.00 of 1000.00 US dollars'),
            mrkdwn('*Used*\n102%'),
            mrkdwn('*Alert threshold*\n80%'),
          ],
        },
        slackLink,
      ],
    })
  })

  it('of an anomaly says the cost, what was expected, how far apart they are, the day, the cause and the resources', () => {
    const title = 'Cost of Production: 1200.50 US dollars on 2026-01-15, 140.1% above 500.00'
    expect(slackBody(message(anomalyCritical))).to.deep.equal({
      text: title,
      blocks: [
        header(title),
        context('Cloud Account Anomaly (Critical) · 2026-01-16 04:30 UTC'),
        {
          type: 'section',
          fields: [
            mrkdwn('*Day*\n2026-01-15'),
            mrkdwn('*Cost*\n1200.50 US dollars'),
            mrkdwn('*Expected*\n500.00 US dollars'),
            mrkdwn('*Deviation*\n+700.50 US dollars (+140.1%)'),
          ],
        },
        section('*Cause*\nNew resource: worker-17.'),
        section('*Top resources*\n• *worker-17*\n420.00 US dollars (+420.00)\n• *i-2*\n300.25 US dollars (-5.00)'),
        slackLink,
      ],
    })
  })

  it('of an action says what, where, who asked, how often it was tried and what was wrong', () => {
    expect(slackBody(message(actionExhausted))).to.deep.equal({
      text: 'web-1 could not be stopped after 3 tries',
      blocks: [
        header('web-1 could not be stopped after 3 tries'),
        context('Retry Exhausted · 2026-01-16 04:30 UTC'),
        section('Requested by manual:ana: The cloud did not answer.'),
        {
          type: 'section',
          fields: [
            mrkdwn('*Resource*\nweb-1 (aws-ec2)'),
            mrkdwn('*ID*\ni-1'),
            mrkdwn('*Account*\naws a-1'),
            mrkdwn('*Region*\neu-west-1'),
            mrkdwn('*Action*\nstop'),
            mrkdwn('*Requested by*\nmanual:ana'),
            mrkdwn('*Attempts*\n3'),
            mrkdwn('*Error*\nThe cloud did not answer.'),
          ],
        },
        slackLink,
      ],
    })
  })

  it('shows hostile text as it is, and nobody is mentioned by it', () => {
    const title = '<!channel> *b* _i_ `c` ~s~ my_db_1 @here a&lt; <https://evil.example|x>'
    const shown = '&lt;!channel&gt; ∗b∗ ˍiˍ ˋcˋ ∼s∼ my_db_1 @\u2060here a&amp;lt; &lt;https://evil.example|x&gt;'
    const { text, blocks } = slackBody(message({ ...budgetExceeded, title, summary: title, data: { month: title } }))
    expect(text).to.equal(shown)
    expect(blocks.slice(2, 4)).to.deep.equal([
      section(shown),
      { type: 'section', fields: [mrkdwn(`*Month*\n${shown}`)] },
    ])
    expect(blocks[0]).to.deep.equal(
      header('&lt;!channel&gt; *b* _i_ `c` ~s~ my_db_1 @here a&amp;lt; &lt;https://evil.example|x&gt;'),
    )
  })

  it('keeps the limits of blocks and texts, and cuts no escape in two', () => {
    const long = '&'.repeat(9000)
    const event = {
      ...anomalyCritical,
      title: long,
      summary: `s${long}`,
      data: { ...anomalyCritical.data, rootCause: long },
    }
    const { text, blocks } = slackBody(message(event))
    const head = (blocks[0] as ReturnType<typeof header>).text.text
    expect(head).to.equal(`${'&amp;'.repeat(29)}…`)
    expect(text).to.match(/^(&amp;)+…$/)
    for (const block of blocks) {
      const texts = 'text' in block ? [block.text.text] : 'fields' in block ? block.fields.map((one) => one.text) : []
      for (const one of texts) expect(one.length).to.be.at.most(3000)
    }
    expect(JSON.stringify(blocks).replaceAll('&amp;', '')).to.not.contain('&')
  })

  it('has fewer than 12,000 characters of blocks, for Slack takes little more, and drops no event of a list for it', () => {
    const title = '<'.repeat(300)
    const events = Array.from({ length: 20 }, () => ({ ...budgetExceeded, title, summary: title }))
    const { blocks } = slackBody(message({ ...budgetExceeded, title, summary: title, data: { events } }))
    expect(JSON.stringify(blocks).length).to.be.within(6000, 12_000)
    expect(JSON.stringify(blocks).match(/• /g)).to.have.length(20)
  })

  it('lists twenty events of a digest and says how many more there are', () => {
    const { blocks } = slackBody(message(digestOf(23, 2)))
    const rows = Array.from(
      { length: 20 },
      (_, n) =>
        `• *Budget ${n}*\nBudget Exceeded · 2026-01-16 04:30 UTC · Spend of 2026-01 is 1020 of 1000 USD (102%).`,
    )
    expect(blocks.slice(0, 3)).to.deep.equal([
      header('25 notifications'),
      context('Budget Exceeded · 2026-01-16 04:30 UTC'),
      section('Most severe: a budget.'),
    ])
    expect(blocks.slice(3)).to.deep.equal([section(['*25 events*', ...rows, 'and 5 more'].join('\n')), slackLink])
  })
})
