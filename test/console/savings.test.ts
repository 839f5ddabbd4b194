// tier: deep
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { addDays, dayOf } from '#engine/value/day.ts'
import { describeConsole, findings as axe, look, settled, type Seen } from '#test/console/browser.ts'
import { findings, type Findings } from '#test/harness/findings.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

const panel = (of: Seen, title: string) => of.page.locator(`section.panel[aria-label="${title}"]`)
const dialog = (of: Seen) => of.page.locator('dialog.confirm')
const button = (of: Seen, name: string) => of.page.getByRole('button', { name })
/** What was answered, or that it could not be yet. */
const said = (of: Seen) =>
  panel(of, 'Result')
    .or(of.page.getByText(/^Not available right now\./))
    .first()
/** Asks again as the page says, for on a busy machine a question may take longer than it is given. */
const answered = (of: Seen): Promise<void> =>
  until('the answer', async () => {
    await button(of, 'Run what-if').click()
    await said(of).waitFor()
    return (await panel(of, 'Result').count()) > 0
  })
/** Both columns of figures of a table, by what they are of. */
const sidesOf = async (page: Page): Promise<string[][]> => {
  const rows = await page.getByRole('region', { name: 'Before and after' }).locator('tbody tr').all()
  return Promise.all(rows.map((row) => row.locator('td').allTextContents()))
}

describeConsole('the console: a recommendation is carried out in four eyes', () => {
  let f: Findings
  let first: Seen
  let second: Seen
  const rule = (spec: object) => {
    const body = { domain: 'workflow', name: `p-${Math.random()}`, targetType: 'organisation', enabled: true, spec }
    return f.send('POST', '/policies', body)
  }

  before(async () => {
    f = await findings()
    expect((await rule({ match: { templates: ['stop', 'delete'] }, fourEyes: true })).status).to.equal(201)
    first = await look(f, { role: 'admin', expected: /40[09]|503.*what-if/ })
    second = await look(f, { role: 'admin', expected: /409/ })
  })
  after(async () => {
    await first?.close()
    await second?.close()
    await f?.end()
  })

  it('is begun with its plan before, approved by somebody else than who began it, done, and audited', async () => {
    const id = await f.idle('i-eyes')
    await first.open(`recommendations?rec=${id}`)
    expect(await panel(first, 'Automate').locator('.sentence').textContent()).to.equal('Stop it: aws-ec2 i-eyes')
    await button(first, 'Start workflow…').click()
    expect(await dialog(first).textContent()).to.include('costs $276.48 in 30 days; estimated savings: $276.48')
    await dialog(first).getByRole('button', { name: 'Start workflow' }).click()
    await first.page.waitForURL(/workflows\?job=/)
    await panel(first, 'Plan').getByText('Unchanged: a new plan has the same hash.').waitFor()
    await panel(first, 'Approve or reject').getByText('someone else must approve it').waitFor()
    expect(await button(first, 'Approve…').isDisabled()).to.equal(true)
    const job = new URL(first.page.url()).searchParams.get('job')!
    const { planHash } = await f.job(job)
    expect(await panel(first, 'Plan').locator('.hash').first().textContent()).to.equal(planHash)

    await second.open('workflows')
    await panel(second, 'Pending approval').locator('tbody a').first().click()
    await button(second, 'Approve…').click()
    await dialog(second).getByLabel('Reason (recorded in the audit log)').fill('Agreed with the shop')
    await dialog(second).getByRole('button', { name: 'Approve' }).click()
    await f.reaches(job, 'succeeded')
    // Nobody loads a page anew.
    for (const one of [first, second]) {
      await one.page
        .locator('.opened .badge', { hasText: /^succeeded$/ })
        .first()
        .waitFor()
      await panel(one, 'Audit').getByText('Agreed with the shop').waitFor()
    }
    expect(await panel(second, 'Audit').getByText('was approved by you').count()).to.equal(1)
    expect(f.made().filter((call) => call.endsWith('i-eyes'))).to.deep.equal(['stop i-eyes'])
    await second.page.getByRole('link', { name: 'View recommendation' }).click()
    await second.page
      .locator('.opened .badge', { hasText: /^done$/ })
      .first()
      .waitFor()
    expect([first.faults, second.faults]).to.deep.equal([[], []])
  })

  it('says that an approval came too late, and keeps what was typed', async () => {
    const job = await f.begin(await f.orphan('vol-late'))
    await second.open(`workflows?job=${job}`)
    await button(second, 'Approve…').click()
    const reason = dialog(second).getByLabel('Reason (recorded in the audit log)')
    await reason.fill('It is old')
    const { status } = await f.send('POST', `/workflows/${job}/steps-by-id/delete%2Fapprove%2F1/reject`, {})
    expect(status).to.equal(200)
    await dialog(second).getByRole('button', { name: 'Approve' }).click()
    await dialog(second)
      .getByText(/^Too late: someone else was faster/)
      .waitFor()
    expect(await reason.inputValue()).to.equal('It is old')
    await dialog(second).getByRole('button', { name: 'Cancel' }).click()
    await panel(second, 'Approve or reject')
      .getByText(/^Too late: it is no longer waiting. It was rejected/)
      .waitFor()
    expect(f.made().filter((call) => call.endsWith('vol-late'))).to.deep.equal([])
    expect(second.faults).to.deep.equal([])
  })

  it('says when a plan made now would be another one than was hashed', async () => {
    const job = await f.begin(await f.orphan('vol-other'))
    expect((await rule({ match: { templates: ['delete'] }, extraApprovals: 1 })).status).to.equal(201)
    await second.open(`workflows?job=${job}`)
    const said = panel(second, 'Plan').locator('.note.bad')
    await said.waitFor()
    expect(await said.textContent()).to.match(/^Changed: a new plan would be different/)
    expect(second.faults).to.deep.equal([])
  })

  it('takes what people say they have done, since when, and keeps what was refused', async () => {
    const id = await f.orphan('vol-done')
    const today = dayOf(f.connections.clock.now())
    await first.open(`recommendations?rec=${id}`)
    await button(first, 'Mark as done…').click()
    const since = dialog(first).getByLabel('Done since (if in the past)')
    const note = dialog(first).getByLabel('Note (visible to everyone who can see this recommendation)')
    await note.fill('Removed by hand')
    await since.fill(addDays(today, -100))
    await dialog(first).getByRole('button', { name: 'Mark as done' }).click()
    await dialog(first).getByText('must be at most 90 days ago').first().waitFor()
    expect(await note.inputValue()).to.equal('Removed by hand')
    await since.fill(addDays(today, -2))
    await dialog(first).getByRole('button', { name: 'Mark as done' }).click()
    await panel(first, 'History').getByText('Removed by hand').waitFor()
    expect(await f.statusOf(id)).to.equal('applied')
    expect(first.faults).to.deep.equal([])
  })

  it('asks what a rule with other figures would have found: before and after as the API says', async () => {
    await f.idle('i-if')
    const today = dayOf(f.connections.clock.now())
    await first.open(`what-if?kind=rule&rule=RC-1001&from=${today}&to=${today}`)
    await first.page.getByLabel('CPU max percent').fill('1')
    await answered(first)
    const change = { ruleId: 'RC-1001', params: { cpu_max_percent: 1 } }
    const { body } = await f.send('POST', '/what-if', { kind: 'rule', from: today, to: today, change })
    const { before, after } = body.data
    expect([before.findings > 0, after.findings]).to.deep.equal([true, 0])
    const usd = (value: number) => `$${value.toFixed(2)}`
    expect(await sidesOf(first.page)).to.deep.equal([
      ['Findings (resource and rule)', String(before.findings), String(after.findings)],
      ['Open days', String(before.openDays), String(after.openDays)],
      ['Potential savings in this period', usd(before.savingsUsd), usd(after.savingsUsd)],
    ])
    // The address asks the same.
    await first.page.reload()
    await said(first).waitFor()
    await first.open(`what-if?kind=anomaly`)
    await first.page.getByLabel('warning: percent above the baseline').fill('900')
    await button(first, 'Run what-if').click()
    await first.page.getByText('It must not be below that of warning.').first().waitFor()
    expect(first.faults).to.deep.equal([])
  })

  it('shows a viewer all of it, and which right each act needs', async () => {
    const job = await f.begin(await f.orphan('vol-seen'))
    const viewer = await look(f, { role: 'viewer' })
    await viewer.open(`workflows?job=${job}`)
    expect(await button(viewer, 'Approve…').isDisabled()).to.equal(true)
    expect(await panel(viewer, 'Approve or reject').locator('code').first().textContent()).to.equal('admin')
    const { recommendationID } = await f.job(job)
    await viewer.open(`recommendations?rec=${recommendationID}`)
    expect(await panel(viewer, 'Set status').locator('code').first().textContent()).to.equal('service.update')
    expect(viewer.faults).to.deep.equal([])
    await viewer.close()
  })

  it('is there for all: axe-core and 360 px without sideways scroll, in both themes', async () => {
    const [job] = (await f.send('GET', '/remediation-jobs?status=awaiting_user')).body.data.items
    const change = encodeURIComponent(JSON.stringify({ ruleId: 'RC-1001' }))
    const places = [
      `recommendations?status=any&rec=${job.recommendationID}`,
      'recommendations?by=rule',
      'recommendations?by=resource',
      `workflows?job=${job.id}`,
      'savings?tab=projection',
      'savings?tab=commitments',
      `what-if?kind=rule&change=${change}`,
      ...['governance', 'anomaly', 'budget', 'tagging', 'allocation', 'guardrail'].map(
        (kind) => `what-if?kind=${kind}`,
      ),
    ]
    for (const theme of ['light', 'dark'] as const) {
      const narrow = await look(f, { theme, width: 360, expected: /503.*what-if/ })
      const wrong: string[] = []
      for (const place of places) {
        await narrow.open(place)
        const beyond = await narrow.page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        if (beyond > 0) wrong.push(`${place} scrolls sideways`)
        wrong.push(...(await axe(narrow.page)).map((text) => `${place} ${text}`))
      }
      expect([wrong, narrow.faults]).to.deep.equal([[], []])
      await narrow.close()
    }
  })
})

describeConsole('the console: verified savings first', () => {
  let org: Tenant
  let seen: Seen

  before(async () => {
    org = await tenant()
    const today = dayOf(org.connections.clock.now())
    const row = (back: number, more: object) => ({
      org_id: org.orgId,
      day: addDays(today, -back),
      cloud_account_id: 'acct-1',
      resource_uid: 'i-1',
      provider: 'aws',
      region: 'us-east-1',
      resource_type: 'aws-ec2',
      x_Version: '1',
      ...more,
    })
    const done = { source: 'recommendation', source_id: 'r-1', rule_id: 'RC-1001', category: 'idle', claim_id: 'c-1' }
    const night = { source: 'schedule', source_id: 's-1', resource_uid: 'i-2', claim_id: 'c-2' }
    // Ten were estimated, eight seen, 3.50 proved of the first day; a schedule cost more than it saved.
    const values = [
      row(3, { ...done, estimated: '5', observed: '4', verified: '3.5', saved: '4' }),
      row(2, { ...done, estimated: '5', observed: '4', saved: '4', reason: 'no_bill' }),
      row(2, { ...night, observed: '2', verified: '-0.25', saved: '2' }),
    ]
    await org.put('saving_daily', values)
    seen = await look(org)
  })
  after(() => seen?.close())

  it('are followed by observed and estimated ones and the realization rate, as the API has them, and never added up', async () => {
    await seen.open('savings')
    expect(await seen.page.locator('.bases .big').allTextContents()).to.deep.equal(['$3.25', '$10.00', '$10.00', '70%'])
    const { totals } = (await org.get('/reports/savings')).body.data
    expect([totals.estimatedUSD, totals.observedUSD, totals.verifiedUSD]).to.deep.equal([10, 10, 3.25])
    const rows = panel(seen, 'Breakdown').locator('tbody tr')
    const cells = await Promise.all((await rows.all()).map((one) => one.locator('td').allTextContents()))
    expect(cells.map((one) => one.slice(0, 5))).to.deep.equal([
      ['recommendation', '$3.50', '$8.00', '$10.00', '70%'],
      ['schedule', '−$0.25', '$2.00', '$0.00', '–'],
    ])
    await panel(seen, 'Breakdown').getByRole('combobox').selectOption('rule')
    await settled(seen.page)
    expect(new URL(seen.page.url()).searchParams.get('group_by')).to.equal('rule')
    expect(await rows.first().locator('a').textContent()).to.include('Stop idle EC2 instances')
    expect(seen.faults).to.deep.equal([])
  })

  it('lead to their claims, and say what to do where there is none', async () => {
    await seen.open('savings?tab=claims')
    await seen.page.getByText('No savings claims yet.').waitFor()
    await seen.open('savings?tab=commitments')
    await seen.page.getByText('No commitments in the bills for this period.').waitFor()
    expect(seen.faults).to.deep.equal([])
  })
})
