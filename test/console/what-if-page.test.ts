// tier: deep
import { expect } from 'chai'
import { addDays, dayOf, firstOf, lastOf, monthOf } from '#engine/value/day.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { describeConsole, look, type Seen } from '#test/console/browser.ts'
import { findings, type Findings } from '#test/harness/findings.ts'
import { until } from '#test/harness/product.ts'

describeConsole('the console: what would have been', () => {
  let f: Findings
  let seen: Seen
  const today = dayOf(Date.now())
  const lastMonth = monthOf(addDays(firstOf(monthOf(today)), -1))
  const month = { from: firstOf(lastMonth), to: lastOf(lastMonth) }
  const usd = (value: number) => `$${value.toFixed(2)}`
  const sides = async (name = 'Before and after'): Promise<string[][]> => {
    const rows = await seen.page.getByRole('table', { name, exact: true }).locator('tbody tr').all()
    return Promise.all(rows.map((row) => row.locator('td').allTextContents()))
  }
  /** Asks by the form; what the API says to the same. On a busy machine a question may take longer than it is given. */
  const answered = async (): Promise<any> => {
    const answer = seen.page.locator('section.panel[aria-label="Result"]')
    await until('the answer', async () => {
      await seen.page.getByRole('button', { name: 'Run what-if' }).click()
      await answer
        .or(seen.page.getByText(/^Not available right now\./))
        .first()
        .waitFor()
      return (await answer.count()) > 0
    })
    const query = new URL(seen.page.url()).searchParams
    const [kind, from, to] = ['kind', 'from', 'to'].map((name) => query.get(name))
    const change = JSON.parse(query.get('change')!) as object
    const { status, body } = await f.send('POST', '/what-if', { kind, from, to, change })
    expect(status, JSON.stringify(body)).to.equal(200)
    return { ...body.data, change }
  }
  const open = (kind: string, { from, to } = month) => seen.open(`what-if?kind=${kind}&from=${from}&to=${to}`)

  before(async () => {
    f = await findings()
    seen = await look(f, { expected: /400|503.*what-if/ })
  })
  afterEach(() => {
    expect(seen.faults).to.deep.equal([])
  })
  after(async () => {
    await seen?.close()
    await f?.end()
  })

  it('by other governance: what is found, before and after, as the API says', async () => {
    await f.idle('i-gov')
    await open('governance', { from: today, to: today })
    await seen.page.getByText('You have no such policy, so the defaults apply.').waitFor()
    await seen.page.getByLabel('Allowed tag values, as JSON').fill('{"env": [')
    await seen.page.getByRole('button', { name: 'Run what-if' }).click()
    await seen.page.getByText('A JSON field is not valid JSON').waitFor()
    await seen.page.getByLabel('Allowed tag values, as JSON').fill('')
    await seen.page.getByLabel('Required tags').fill('owner')
    const { before, after, change } = await answered()
    expect(change).to.deep.equal({ spec: { requiredTags: ['owner'] } })
    expect(after.findings).to.be.greaterThan(before.findings)
    expect(await sides()).to.deep.equal([
      ['Findings (resource and rule)', String(before.findings), String(after.findings)],
      ['Open days', String(before.openDays), String(after.openDays)],
      ['Potential savings in this period', usd(before.savingsUsd), usd(after.savingsUsd)],
    ])
  })

  it('by another budget: days near it, over it, and alerts, each with the lines of its spend', async () => {
    const team = (await f.send('POST', '/teams', { name: 'Core <b>' })).body.data.id as string
    await f.send('POST', `/teams/${team}/resources`, { resourceUIDs: ['i-1'] })
    const limits = { monthlyBudgetUSD: 1000, alertThresholdPercent: 80 }
    const budget = (await f.send('POST', '/budgets', { teamName: 'Core <b>', ...limits })).body.data.id as string
    const line = (day: number, costUSD: number) => ({
      lineId: `b-${day}`,
      cloudAccountId: f.accountId,
      provider: 'aws' as const,
      serviceName: 'Compute',
      resourceUid: 'i-1',
      usageDate: addDays(month.from, day - 1),
      costUSD,
      source: 'actual' as const,
      exportedAt: `${today}T00:00:00Z`,
    })
    await f.publish(billingLine, [line(1, 300), line(12, 500), line(20, 250)])
    await until('the bills', async () => {
      const body = { kind: 'budget', ...month, change: { budgetID: budget } }
      return (await f.send('POST', '/what-if', body)).body.data?.after.alerts.length === 2
    })
    await open('budget')
    await seen.page.getByLabel('Budget', { exact: true }).selectOption(JSON.stringify({ budgetID: budget }))
    await seen.page.getByLabel('Monthly budget (USD)').fill('800')
    const { before, after, change } = await answered()
    expect(change).to.deep.equal({ budgetID: budget, monthlyBudgetUSD: 800 })
    // 800 from the 12th on, 1,050 from the 20th on.
    const days = Number(month.to.slice(8))
    expect([before.daysYellow, before.daysRed, after.daysYellow, after.daysRed]).to.deep.equal([
      8,
      days - 19,
      0,
      days - 11,
    ])
    expect(await sides()).to.deep.equal([
      ['Monthly budget (USD)', '$1,000.00', '$800.00'],
      ['Alert at', '80%', '80%'],
      ['Days near limit', '8', '0'],
      ['Days over budget', String(days - 19), String(days - 11)],
      ['Alerts', '2', '1'],
    ])
    const amounts = seen.page.getByRole('table', { name: 'Alerts' }).getByRole('link')
    await amounts.first().click()
    await seen.page.getByRole('dialog').locator('output').waitFor()
    expect(await seen.page.getByRole('dialog').locator('output').textContent()).to.equal('800 USD')
  })

  it('by another rule for a tag: resources and dollars with it and without', async () => {
    const found = { name: 'shop', type: 'aws-ec2', provider: 'aws' as const, region: 'us-east-1', tags: {} }
    await f.publish(resourceDiscovered, [{ ...found, resourceUid: 'i-1', cloudAccountId: f.accountId }])
    await open('tagging')
    await seen.page.getByLabel('Tag key').fill('where')
    await seen.page.getByLabel('Value fields').fill('res.nothing')
    await seen.page.getByRole('button', { name: 'Run what-if' }).click()
    await seen.page.locator('.wrong').first().waitFor()
    expect(await seen.page.getByLabel('Tag key').inputValue()).to.equal('where')
    await seen.page.getByLabel('Value fields').fill('res.region')
    const { before, after, resources } = await answered()
    expect([before.taggedUSD, before.untaggedUSD, after.taggedUSD, after.untaggedUSD]).to.deep.equal([0, 1050, 1050, 0])
    expect(await sides()).to.deep.equal([
      ['Resources with tag where', '0', String(resources)],
      ['Cost of tagged resources', '$0.00', '$1,050.00'],
      ['Cost of untagged resources', '$1,050.00', '$0.00'],
      ['Distinct values', '0', String(after.valueCount)],
    ])
  })

  it('by another guardrail: what workflows would have heard', async () => {
    const day = addDays(today, -2)
    const line = (n: number, at: string, job: string, event: string) => ({
      org_id: f.orgId,
      job_id: job,
      n,
      at: `${day} ${at}:00.000`,
      event,
      status: 'running',
      actor: 'system',
      template: 'stop',
      cloud_account_id: f.accountId,
      resource_uid: `i-${job}`,
      resource_type: 'aws-ec2',
      current_cost_usd: '100',
      x_Version: '1',
    })
    const values = [
      line(1, '10:00', 'a', 'guard_yes'),
      line(2, '10:05', 'a', 'succeeded'),
      line(3, '10:10', 'b', 'guard_yes'),
      line(4, '10:15', 'b', 'succeeded'),
    ]
    await f.put('workflow_event', values)
    await open('guardrail', { from: day, to: day })
    await seen.page.getByLabel('Maximum changes per 60 minutes').fill('1')
    const { before, after } = await answered()
    expect([before.yes, before.later, before.no, after.yes, after.later, after.no]).to.deep.equal([2, 0, 0, 1, 1, 0])
    expect(await sides()).to.deep.equal([
      ['allowed', '2', '1'],
      ['delayed', '0', '1'],
      ['blocked', '0', '0'],
      ['because of limit hour', '0', '1'],
    ])
  })
})
