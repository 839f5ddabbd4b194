// tier: deep
import { expect } from 'chai'
import { describeConsole, look, settled, type Seen } from '#test/console/browser.ts'
import { findings, type Findings } from '#test/harness/findings.ts'
import { advance, resetClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'

describeConsole('the console: two people act on one thing', () => {
  let f: Findings
  let first: Seen
  let second: Seen
  const button = (of: Seen, name: string) => of.page.getByRole('button', { name, exact: true })
  const dialog = (of: Seen) => of.page.locator('dialog.confirm')

  before(async () => {
    f = await findings()
    first = await look(f, { role: 'admin', expected: /409/ })
    second = await look(f, { role: 'admin', expected: /404|409|ERR_FAILED/ })
    // Whoever is told of what the other does sees it before acting: this one is not.
    await second.page.route('**/events/stream', (route) => route.abort())
    await second.page.reload()
    await settled(second.page)
  })
  afterEach(() => {
    expect([first.faults, second.faults]).to.deep.equal([[], []])
  })
  after(async () => {
    await first?.close()
    await second?.close()
    await f?.end()
    await resetClock()
  })

  it('stops a machine once: the second is told that it is being stopped already', async () => {
    await f.discover(['m-1'], 'running', { hourlyRateUSD: 0.25 })
    for (const one of [first, second]) {
      await one.open('resource?uid=m-1')
      await button(one, 'Stop…').click()
    }
    // The first try fails, so that the action is under way until the next.
    await f.fail([{ call: 'stop', error: 'transient' }])
    await dialog(first).getByRole('button', { name: 'Stop' }).click()
    await dialog(first).waitFor({ state: 'detached' })
    await dialog(second).getByRole('button', { name: 'Stop' }).click()
    await dialog(second).getByText('The resource is already being started or stopped.').waitFor()
    await dialog(second).getByRole('button', { name: 'Cancel' }).click()
    // To the next try.
    await advance(60, f.orgId)
    await until(
      'it is stopped',
      async () => (await f.get('/resources/by-uids?uids=m-1')).body.data[0].status === 'stopped',
    )
    const { rows } = await f.connections.store.pool.query(
      `select status from action where org_id = $1 and resource_uid = 'm-1'`,
      [f.orgId],
    )
    expect(rows).to.deep.equal([{ status: 'succeeded' }])
  })

  it('begins one workflow of a recommendation, and tells the second which', async () => {
    const id = await f.orphan('vol-two')
    for (const one of [first, second]) {
      await one.open(`recommendations?rec=${id}`)
      await button(one, 'Start workflow…').click()
    }
    await dialog(first).getByRole('button', { name: 'Start workflow' }).click()
    await first.page.waitForURL(/workflows\?job=/)
    await dialog(second).getByRole('button', { name: 'Start workflow' }).click()
    await dialog(second)
      .getByText(/^Someone else was faster/)
      .waitFor()
    await dialog(second).getByRole('button', { name: 'Cancel' }).click()
    const job = new URL(first.page.url()).searchParams.get('job')
    await second.page.locator(`section.panel a[href="workflows?job=${job}"]`).waitFor()
    expect(await button(second, 'Start workflow…').count()).to.equal(0)
    const { items } = (await f.get(`/remediation-jobs?recommendation_id=${id}`)).body.data
    expect(items.map((one: any) => one.id)).to.deep.equal([job])
  })

  it('says that a thing is gone that another has deleted', async () => {
    await f.send('POST', '/teams', { name: 'Core' })
    await f.send('POST', '/budgets', { teamName: 'Core', monthlyBudgetUSD: 100 })
    for (const one of [first, second]) {
      await one.open('budgets')
      await button(one, 'Delete budget for Core').click()
    }
    await dialog(first)
      .getByRole('button', { name: /^Delete/ })
      .click()
    await dialog(first).waitFor({ state: 'detached' })
    await dialog(second)
      .getByRole('button', { name: /^Delete/ })
      .click()
    await dialog(second).getByText('It may have been deleted').waitFor()
    await dialog(second).getByRole('button', { name: 'Cancel' }).click()
  })

  it('is told that what a plan was made of is gone: the approval comes too late, and nothing is called', async () => {
    const job = await f.begin(await f.orphan('vol-moved'))
    await first.open(`workflows?job=${job}`)
    await button(first, 'Approve…').click()
    await f.tell('vol-moved', {
      type: 'aws-ebs-volume',
      instanceType: 'gp3',
      sizeGB: 500,
      status: 'running',
      specs: { state: 'in-use', volume_type: 'gp3', encrypted: true },
    })
    await f.reaches(job, 'failed', 'cancelled', 'succeeded')
    await dialog(first).getByLabel('Reason (recorded in the audit log)').fill('It is old')
    await dialog(first).getByRole('button', { name: 'Approve' }).click()
    await dialog(first)
      .getByText(/^Too late/)
      .waitFor()
    expect(await dialog(first).getByLabel('Reason (recorded in the audit log)').inputValue()).to.equal('It is old')
    await dialog(first).getByRole('button', { name: 'Cancel' }).click()
    await first.page.getByText('Too late: it is no longer waiting.').waitFor()
    expect(f.made().filter((call) => call.endsWith('vol-moved'))).to.deep.equal([])
  })
})

describeConsole('the console: what a form meets', () => {
  let f: Findings
  let seen: Seen
  const button = (name: string) => seen.page.getByRole('button', { name, exact: true })
  const amount = () => seen.page.getByLabel(/^Monthly budget/)
  const budgets = async () => (await f.get('/budgets')).body.data as { teamName: string; monthlyBudgetUSD: number }[]
  const typed = async (team: string, usd: string) => {
    await f.send('POST', '/teams', { name: team })
    await seen.open('budgets?new=team')
    await seen.page.getByLabel('Team name').fill(team)
    await amount().fill(usd)
  }
  const problem = (status: number, code: string, headers = {}) => ({
    status,
    headers,
    contentType: 'application/problem+json',
    body: JSON.stringify({ type: `urn:tidemark:problem:${code}`, title: code, status, detail: 'Away.', code }),
  })

  before(async () => {
    f = await findings()
    seen = await look(f, { role: 'editor', expected: /40[34]|409|429|503/ })
  })
  afterEach(() => {
    expect(seen.faults).to.deep.equal([])
  })
  after(async () => {
    await seen?.close()
    await f?.end()
  })

  it('waits where it is told to, and says why', async () => {
    await typed('Ants', '100')
    let times = 0
    await seen.page.route('**/budgets', (route) =>
      route.request().method() === 'POST' && times++ === 0
        ? route.fulfill(problem(429, 'rate_limited', { 'Retry-After': '5' }))
        : route.continue(),
    )
    await button('Create budget').click()
    await seen.page.getByText('Your organization has reached its request rate limit').waitFor()
    await seen.page.getByRole('cell', { name: 'Ants' }).first().waitFor()
    await seen.page.unroute('**/budgets')
    expect((await budgets()).map(({ teamName }) => teamName)).to.deep.equal(['Ants'])
  })

  it('is sent again where its answer was lost, and is done once', async () => {
    await typed('Bees', '200')
    let times = 0
    const isTold = seen.page.getByText('Cannot reach Tidemark. The data shown may be out of date.').waitFor()
    await seen.page.route('**/budgets', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      if (times++ === 0) {
        await route.fetch()
        return route.fulfill(problem(503, 'unavailable'))
      }
      await isTold
      return route.continue()
    })
    await button('Create budget').click()
    await isTold
    await seen.page.getByRole('cell', { name: 'Bees' }).first().waitFor()
    await seen.page.unroute('**/budgets')
    expect(times).to.equal(2)
    expect((await budgets()).map(({ teamName }) => teamName).toSorted()).to.deep.equal(['Ants', 'Bees'])
  })

  it('says which right was lost meanwhile, and keeps what was typed', async () => {
    await typed('Cats', '300')
    const { items } = { items: (await f.get('/members')).body.data as any[] }
    const email = (await seen.page.locator('.who .pop p').first().textContent())!
    const { userID } = items.find((one) => one.email === email)
    expect((await f.send('PATCH', `/members/${userID}`, { roleID: 'viewer' })).status).to.equal(200)
    await button('Create budget').click()
    await seen.page.getByText('service.create').first().waitFor()
    await seen.page.getByText('Your role does not allow this').waitFor()
    expect(await amount().inputValue()).to.equal('300')
    expect((await budgets()).length).to.equal(2)
  })
})
