// tier: deep
import { expect } from 'chai'
import { describeConsole, look, settled, type Seen } from '#test/console/browser.ts'
import { findings, type Findings } from '#test/harness/findings.ts'
import { advance, resetClock } from '#test/harness/people.ts'

describeConsole('the console: what is shown behind an act', () => {
  let f: Findings
  let seen: Seen
  const button = (name: string) => seen.page.getByRole('button', { name, exact: true })
  const dialog = () => seen.page.locator('dialog.confirm')
  const keep = () => dialog().getByRole('button', { name: 'Cancel' }).click()
  const schedule = async (name: string) => {
    const rules = [{ action: 'stop', cron: '0 20 * * *' }]
    const made = await f.send('POST', '/schedules', { name, timezone: 'UTC', rules })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    return made.body.data.id as string
  }

  before(async () => {
    f = await findings()
  })
  beforeEach(async () => {
    seen = await look(f, { role: 'admin', expected: /404|409|ERR_FAILED/ })
    // Nothing is told: whatever is shown anew was asked for.
    await seen.page.route('**/events/stream', (route) => route.abort())
  })
  afterEach(async () => {
    expect(seen.faults).to.deep.equal([])
    await seen.close()
    await resetClock()
  })
  after(() => f?.end())

  it('is what another has made of it meanwhile, once a window is closed', async () => {
    const id = await schedule('Night')
    await seen.open(`schedules?schedule=${id}`)
    await button('Pause').click()
    expect((await f.send('PATCH', `/schedules/${id}`, { enabled: false })).status).to.equal(200)
    await keep()
    await button('Resume').waitFor()
  })

  it('is not what another has deleted: that is said in the window, and shown once it is closed', async () => {
    const id = await schedule('Gone')
    await seen.open(`schedules?schedule=${id}`)
    await button('Pause').click()
    expect((await f.send('DELETE', `/schedules/${id}`)).status).to.equal(204)
    await dialog().getByRole('button', { name: 'Pause' }).click()
    await dialog().getByText('It may have been deleted').waitFor()
    await keep()
    await seen.page.locator('#view').getByText('It may have been deleted').first().waitFor()
    await button('Pause').waitFor({ state: 'detached' })
    expect(await button('Edit').count()).to.equal(0)
  })

  it('is a plan as it was cancelled by another, with nothing left to schedule', async () => {
    await f.tell('asg-after', { type: 'aws-asg', unitCount: 4, hourlyRateUSD: 0.8 })
    const target = { type: 'aws-asg', uid: 'asg-after' }
    const terms = { name: 'After', mode: 'monitor', min: 2, max: 10, targetCPUPercent: 60 }
    const policy = await f.send('POST', '/autoscaler-policies', { ...terms, cloudAccountID: f.accountId, target })
    expect(policy.status, JSON.stringify(policy.body)).to.equal(201)
    const start = Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 48 * 3_600_000
    const made = await f.send('POST', '/event-readiness', {
      name: 'Sale',
      eventStart: new Date(start).toISOString(),
      eventEnd: new Date(start + 4 * 3_600_000).toISOString(),
      preScaleMinutes: 30,
      postEventMinutes: 45,
      expectedMultiplier: 2,
      timezone: 'UTC',
      targets: [{ policyId: policy.body.data.id }],
    })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    const { id } = made.body.data
    await seen.open(`events?plan=${id}`)
    await button('Schedule').click()
    expect((await f.send('POST', `/event-readiness/${id}/cancel`)).status).to.equal(200)
    await dialog().getByRole('button', { name: 'Schedule plan' }).click()
    await dialog().getByText('Not possible in the current state').waitFor()
    await keep()
    await seen.page.locator('h1 .badge', { hasText: /^canceled$/ }).waitFor()
    expect(await button('Schedule').count()).to.equal(0)
  })

  it('says that a machine runs that was started here, and not in one breath that it is stopped', async () => {
    await f.discover(['m-after'], 'stopped', { hourlyRateUSD: 0.384 })
    await seen.open('resource?uid=m-after')
    await button('Start…').click()
    await dialog().getByRole('button', { name: 'Start' }).click()
    await seen.page.locator('.follow').getByText('Started.').waitFor()
    const power = seen.page.locator('section.power > p').first()
    await power.getByText('running').waitFor({ timeout: 20_000 })
    expect(await button('Start…').isDisabled()).to.equal(true)
  })

  it('says for how much before a machine is kept running, here and among overrides', async () => {
    await f.discover(['m-kept'], 'stopped', { hourlyRateUSD: 0.384 })
    await seen.open('resource?uid=m-kept')
    await button('New override…').click()
    const form = seen.page.getByRole('form', { name: 'New override' })
    await form.getByText('Saves $0.384 an hour while off').waitFor()
    await form.getByLabel('State').selectOption('running')
    await form.getByText('Costs $0.384 an hour while running, at the price reported by its producer.').waitFor()
    await seen.open('schedules?tab=overrides&new=override&scope_id=m-kept')
    await button('Create override…').click()
    await dialog().getByText('Costs $0.384 an hour while running, at the price reported by its producer.').waitFor()
    await keep()
  })

  it('says that an override has ended when it has, though nobody tells of it', async () => {
    await f.discover(['m-held'], 'running', { hourlyRateUSD: 0.384 })
    const expiresAt = new Date(f.connections.clock.now() + 300_000).toISOString()
    const body = { scopeType: 'resource', scopeID: 'm-held', desiredState: 'running', expiresAt }
    expect((await f.send('POST', '/overrides', body)).status).to.equal(201)
    await seen.page.clock.install({ time: f.connections.clock.now() })
    await seen.open('resource?uid=m-held')
    await settled(seen.page)
    await button('End this override').waitFor()
    await advance(301, f.orgId)
    await seen.page.clock.fastForward(301_500)
    await seen.page.getByText('None: schedules apply.').waitFor({ timeout: 20_000 })
    expect(await button('End this override').count()).to.equal(0)
  })
})
