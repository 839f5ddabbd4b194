import { expect } from 'chai'
import { mailBody } from '#streams/delivery/format/email.ts'
import { actionExhausted, anomalyCritical, budgetExceeded, digestOf, link, message } from '#test/harness/notice.ts'

/** What is read of HTML: its cells, a line each. */
const read = (html: string): string[] =>
  html
    .replace(/^[\s\S]*<body[^>]*>/, '')
    .replace(/<\/?(?:td|h1|br|tr|table)\b[^>]*>/g, '\n')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&middot;', '·')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

const unsubscribe = 'https://tidemark.example/notifications/unsubscribe?token=u.v&x=1'

describe('a notification as a mail [NOTIF-56]', () => {
  it('of a budget has the title as its subject, and says all of it in text and in HTML', () => {
    const mail = mailBody(message(budgetExceeded, { unsubscribe }))
    expect({ ...mail, html: read(mail.html!) }).to.deep.equal({
      subject: 'The budget of team Payments is exceeded',
      text: [
        'The budget of team Payments is exceeded',
        'Budget Exceeded, 2026-01-16 04:30 UTC',
        'Spend of 2026-01 is 1020 of 1000 USD (102%).',
        'Month: 2026-01\nSpend: 1020.00 of 1000.00 US dollars\nUsed: 102%\nAlert threshold: 80%',
        `Open in Tidemark: ${link}`,
        `-- \nUnsubscribe from these emails: ${unsubscribe}\n`,
      ].join('\n\n'),
      html: [
        'Budget Exceeded · 2026-01-16 04:30 UTC',
        'The budget of team Payments is exceeded',
        'Spend of 2026-01 is 1020 of 1000 USD (102%).',
        'Month',
        '2026-01',
        'Spend',
        '1020.00 of 1000.00 US dollars',
        'Used',
        '102%',
        'Alert threshold',
        '80%',
        'Open in Tidemark',
        'Sent by Tidemark. Unsubscribe from these emails',
      ],
      headers: { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    })
    const addresses = [...mail.html!.matchAll(/href="([^"]*)"/g)].map(([, address]) => address)
    expect(addresses).to.deep.equal([link, unsubscribe].map((address) => address.replaceAll('&', '&amp;')))
  })

  it('of an anomaly says the cause and the resources', () => {
    const { text, html, headers } = mailBody(message(anomalyCritical))
    expect(text).to.equal(
      [
        'Cost of Production: 1200.50 US dollars on 2026-01-15, 140.1% above 500.00',
        'Cloud Account Anomaly (Critical), 2026-01-16 04:30 UTC',
        'Day: 2026-01-15\nCost: 1200.50 US dollars\nExpected: 500.00 US dollars\nDeviation: +700.50 US dollars (+140.1%)',
        'Cause:\nNew resource: worker-17.',
        'Top resources:\n- worker-17: 420.00 US dollars (+420.00)\n- i-2: 300.25 US dollars (-5.00)',
        `Open in Tidemark: ${link}\n`,
      ].join('\n\n'),
    )
    expect(read(html!).slice(10)).to.deep.equal([
      'Cause',
      'New resource: worker-17.',
      'Top resources',
      'worker-17',
      '420.00 US dollars (+420.00)',
      'i-2',
      '300.25 US dollars (-5.00)',
      'Open in Tidemark',
      'Sent by Tidemark.',
    ])
    expect(headers).to.equal(undefined)
  })

  it('of an action says who asked for it and what was wrong', () => {
    expect(mailBody(message(actionExhausted)).text.split('\n\n')[3]).to.equal(
      [
        'Resource: web-1 (aws-ec2)',
        'ID: i-1',
        'Account: aws a-1',
        'Region: eu-west-1',
        'Action: stop',
        'Requested by: manual:ana',
        'Attempts: 3',
        'Error: The cloud did not answer.',
      ].join('\n'),
    )
  })

  it('shows hostile text as it is, and has a subject of one line and 150 characters', () => {
    const title = `a\r\nBcc: x@evil.example <img src=x onerror="y()"> ${'x'.repeat(300)}`
    const { subject, html, text } = mailBody(message({ ...budgetExceeded, title, summary: `<script>'"&` }))
    expect(subject).to.equal(`a Bcc: x@evil.example <img src=x onerror="y()"> ${'x'.repeat(101)}…`)
    expect(html).to.contain('a Bcc: x@evil.example &lt;img src=x onerror=&quot;y()&quot;&gt; xxx')
    expect(html).to.contain('&lt;script&gt;&#39;&quot;&amp;')
    expect(html).to.not.match(/<(?:img|script)/)
    expect(text.split('\n')[0]).to.equal(`a Bcc: x@evil.example <img src=x onerror="y()"> ${'x'.repeat(207)}…`)
  })

  it('lists twenty events of a digest and says how many more there are', () => {
    const { text, html } = mailBody(message(digestOf(21)))
    const list = text.split('\n\n')[3]!.split('\n')
    expect([list[0], list[1], list[20], list[21]]).to.deep.equal([
      '21 events:',
      '- Budget 0: Budget Exceeded · 2026-01-16 04:30 UTC · Spend of 2026-01 is 1020 of 1000 USD (102%).',
      '- Budget 19: Budget Exceeded · 2026-01-16 04:30 UTC · Spend of 2026-01 is 1020 of 1000 USD (102%).',
      'and 1 more',
    ])
    expect(read(html!).filter((line) => /^Budget \d+$/.test(line))).to.have.length(20)
    expect(read(html!).at(-3)).to.equal('and 1 more')
  })
})
