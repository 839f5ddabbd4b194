import { expect } from 'chai'
import { googleChatBody } from '#streams/delivery/format/google-chat.ts'
import { anomalyCritical, budgetExceeded, link, message, overrideTriggered } from '#test/harness/notice.ts'

const chat = (title: string, subtitle: string, sections: object[]) => ({
  text: title,
  cardsV2: [
    {
      cardId: 'd-1',
      card: {
        header: { title, subtitle },
        sections: [
          ...sections,
          {
            widgets: [
              { buttonList: { buttons: [{ text: 'Open in Tidemark', onClick: { openLink: { url: link } } }] } },
            ],
          },
        ],
      },
    },
  ],
})
const paragraph = (text: string) => ({ textParagraph: { text } })
const decorated = (topLabel: string, text: string) => ({ decoratedText: { topLabel, text, wrapText: true } })

describe('a notification for Google Chat [NOTIF-56]', () => {
  it('of a budget is a card with its figures', () => {
    expect(googleChatBody(message(budgetExceeded))).to.deep.equal(
      chat('The budget of team Payments is exceeded', 'Budget Exceeded · 2026-01-16 04:30 UTC', [
        {
          widgets: [
            paragraph('Spend of 2026-01 is 1020 of 1000 USD (102%).'),
            decorated('Month', '2026-01'),
            decorated('Spend', '1020.00 of 1000.00 US dollars'),
            decorated('Used', '102%'),
            decorated('Alert threshold', '80%'),
          ],
        },
      ]),
    )
  })

  it('of an anomaly is a card with its figures, cause and resources', () => {
    const title = 'Cost of Production: 1200.50 US dollars on 2026-01-15, 140.1% above 500.00'
    expect(googleChatBody(message(anomalyCritical))).to.deep.equal(
      chat(title, 'Cloud Account Anomaly (Critical) · 2026-01-16 04:30 UTC', [
        {
          widgets: [
            decorated('Day', '2026-01-15'),
            decorated('Cost', '1200.50 US dollars'),
            decorated('Expected', '500.00 US dollars'),
            decorated('Deviation', '+700.50 US dollars (+140.1%)'),
          ],
        },
        { header: 'Cause', widgets: [paragraph('New resource: worker-17.')] },
        {
          header: 'Top resources',
          widgets: [
            paragraph('<b>worker-17</b><br>420.00 US dollars (+420.00)'),
            paragraph('<b>i-2</b><br>300.25 US dollars (-5.00)'),
          ],
        },
      ]),
    )
  })

  it('of an override is a card that says what is kept until when', () => {
    expect(googleChatBody(message(overrideTriggered))).to.deep.equal(
      chat('An override keeps resource group Batch running', 'Override Triggered · 2026-01-16 04:30 UTC', [
        {
          widgets: [
            paragraph('Until 2026-01-17T18:00:00.000Z, schedules do not change it: month-end.'),
            decorated('Desired state', 'running'),
            decorated('Until', '2026-01-17 18:00 UTC'),
            decorated('Reason', 'month-end'),
            decorated('Resources', '2'),
          ],
        },
      ]),
    )
  })

  it('shows hostile text as it is: nobody is mentioned, nothing is a link', () => {
    const title = '<users/all> <https://evil.example|x> *b* <b>&amp;'
    const event = { ...budgetExceeded, title, summary: title, data: { month: title } }
    const body = googleChatBody(message(event))
    const plain = '‹users/all› ‹https://evil.example|x› ∗b∗ ‹b›&amp;'
    const html = '&lt;users/all&gt; &lt;https://evil.example|x&gt; *b* &lt;b&gt;&amp;amp;'
    expect(body).to.deep.equal(
      chat(plain, 'Budget Exceeded · 2026-01-16 04:30 UTC', [{ widgets: [paragraph(html), decorated('Month', html)] }]),
    )
  })

  it('stays below 32,000 bytes, whatever is told', () => {
    const long = '語&'.repeat(3000)
    const events = Array.from({ length: 30 }, () => ({ ...anomalyCritical, title: long, summary: long }))
    const body = googleChatBody(message({ ...anomalyCritical, title: long, summary: long, data: { events } }))
    expect(Buffer.byteLength(JSON.stringify(body))).to.be.within(10_000, 32_000)
  })
})
