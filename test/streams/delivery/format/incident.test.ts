import { expect } from 'chai'
import { opsgenieBody, opsgenieHeaders, pagerDutyBody } from '#streams/delivery/format/incident.ts'
import { webhookBody } from '#streams/delivery/format/webhook.ts'
import {
  actionExhausted,
  anomalyCritical,
  budgetExceeded,
  link,
  message,
  overrideTriggered,
} from '#test/harness/notice.ts'

const details = {
  Event: 'Budget Exceeded',
  Month: '2026-01',
  Spend: '1020.00 of 1000.00 US dollars',
  Used: '102%',
  'Alert threshold': '80%',
}

describe('a notification for PagerDuty', () => {
  it('opens one incident for an event, with its figures, under the id of the event', () => {
    expect(pagerDutyBody(message(budgetExceeded), 'R0123456789')).to.deep.equal({
      routing_key: 'R0123456789',
      event_action: 'trigger',
      dedup_key: 'e-budget',
      payload: {
        summary: 'The budget of team Payments is exceeded',
        source: 't-1',
        severity: 'error',
        timestamp: '2026-01-16T04:30:05.000Z',
        component: 'team',
        class: 'budget.exceeded',
        custom_details: details,
      },
      client: 'Tidemark',
      client_url: link,
      links: [{ href: link, text: 'Open in Tidemark' }],
    })
  })

  it('is as severe as the event', () => {
    const severities = [
      anomalyCritical,
      { ...anomalyCritical, severity: 'emergency' as const },
      { ...anomalyCritical, severity: 'warning' as const },
      actionExhausted,
      overrideTriggered,
    ].map((event) => pagerDutyBody(message(event), 'k').payload.severity)
    expect(severities).to.deep.equal(['critical', 'critical', 'warning', 'error', 'info'])
  })

  it('has the cause and the resources of an anomaly, and no text that is longer than may be', () => {
    const title = 'x'.repeat(5000)
    const { payload } = pagerDutyBody(message({ ...anomalyCritical, title }), 'k')
    expect(payload.custom_details['Cause']).to.equal('New resource: worker-17.')
    expect(payload.custom_details['Top resources']).to.equal(
      'worker-17: 420.00 US dollars (+420.00)\ni-2: 300.25 US dollars (-5.00)',
    )
    expect(payload.summary.length).to.be.at.most(1024)
  })
})

describe('a notification for Opsgenie', () => {
  it('is one alert for an event, with its figures, under the id of the event', () => {
    expect(opsgenieBody(message(budgetExceeded))).to.deep.equal({
      message: 'The budget of team Payments is exceeded',
      alias: 'e-budget',
      description: `Spend of 2026-01 is 1020 of 1000 USD (102%).\n${link}`,
      details,
      entity: 't-1',
      source: 'Tidemark',
      tags: ['budget.exceeded'],
      priority: 'P2',
    })
    expect(opsgenieHeaders('k-1')).to.deep.equal({ Authorization: 'GenieKey k-1' })
    expect(opsgenieBody(message({ ...anomalyCritical, title: 'x'.repeat(500) })).message.length).to.be.at.most(130)
  })
})

describe('a notification for a receiver of one’s own', () => {
  it('is the event itself, with the page to read it on', () => {
    expect(webhookBody({ event: budgetExceeded, deliveryId: 'd-1' })).to.deep.equal(budgetExceeded)
    expect(webhookBody({ event: budgetExceeded, deliveryId: 'd-1', link })).to.deep.equal({ ...budgetExceeded, link })
  })
})
