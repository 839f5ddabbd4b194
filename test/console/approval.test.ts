import { expect } from 'chai'
import { describeConsole, look, type Seen } from '#test/console/browser.ts'
import { findings, type Findings } from '#test/harness/findings.ts'
import { deepIt } from '#test/harness/tier.ts'

describeConsole('the console: an approval is of the plan that is shown', () => {
  let f: Findings
  let seen: Seen
  const button = (name: string) => seen.page.getByRole('button', { name, exact: true })
  const dialog = () => seen.page.locator('dialog.confirm')
  const panel = () => seen.page.locator('section.panel:has(h2:text-is("Plan"))')
  const policy = (spec: object) => {
    const body = { domain: 'workflow', name: `p-${Math.random()}`, targetType: 'organisation', enabled: true, spec }
    return f.send('POST', '/policies', body)
  }
  const approved = async (job: string) =>
    (await f.job(job)).audit.filter(({ eventType }: any) => eventType === 'approved').length

  before(async () => {
    f = await findings()
    seen = await look(f, { role: 'admin', expected: /409/ })
  })
  afterEach(() => {
    expect(seen.faults).to.deep.equal([])
  })
  after(async () => {
    await seen?.close()
    await f?.end()
  })

  it('looks when it is opened, and once more before it is sent: what policies add meanwhile is shown first', async () => {
    const job = await f.begin(await f.orphan('vol-shown'))
    await seen.page.clock.install()
    await seen.open(`workflows?job=${job}`)
    await panel().getByText('Unchanged: a new plan has the same hash.').waitFor()
    // Nothing tells of policies, and the clock stands still.
    expect((await policy({ match: { templates: ['delete'] }, fourEyes: false, expiresHours: 24 })).status).to.equal(201)
    await button('Approve…').click()
    await dialog()
      .getByText(/^Changed: a new plan would be different/)
      .waitFor()
    expect(await dialog().textContent()).to.include('Your policies now add different approvers')
    await dialog().getByRole('button', { name: 'Approve anyway' }).waitFor()
    // Another one, between what is shown and what is sent.
    expect((await policy({ match: { templates: ['delete'] }, extraApprovals: 1 })).status).to.equal(201)
    await dialog().getByLabel('Reason (recorded in the audit log)').fill('It is old')
    await dialog().getByRole('button', { name: 'Approve anyway' }).click()
    await dialog()
      .getByText(/^The plan just changed and nothing was approved/)
      .waitFor()
    expect([await approved(job), f.made().filter((call) => call.endsWith('vol-shown'))]).to.deep.equal([0, []])
    const now = (await f.get(`/recommendations/${(await f.job(job)).recommendationID}/workflow`)).body.data
    await dialog()
      .locator('.hash', { hasText: now.planHash.slice(0, 12) })
      .waitFor()
    expect(await dialog().getByLabel('Reason (recorded in the audit log)').inputValue()).to.equal('It is old')
    await dialog().getByRole('button', { name: 'Approve anyway' }).click()
    await dialog().waitFor({ state: 'detached' })
    expect(await approved(job)).to.equal(1)
  })

  deepIt('says by the clock alone that the machine was stopped meanwhile', async () => {
    await seen.close()
    seen = await look(f, { role: 'admin', expected: /409|ERR_FAILED/ })
    const job = await f.begin(await f.idle('i-shown'))
    await seen.page.clock.install()
    await seen.page.route('**/events/stream', (route) => route.abort())
    await seen.open(`workflows?job=${job}`)
    await panel().getByText('Unchanged: a new plan has the same hash.').waitFor()
    await f.act('i-shown', 'stop')
    await seen.page.clock.fastForward(11_000)
    await panel().getByText('It was running, m5.2xlarge and is now stopped, m5.2xlarge.').waitFor()
  })
})
