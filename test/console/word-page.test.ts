// tier: deep
/** What pages say of small things: how far behind, by whom, how long ago, what is hidden, and what is wrong with a field. */
import { expect } from 'chai'
import type { SystemRole } from '#http/identity/organization/role.ts'
import { describeConsole, look, settled, type Looking, type Seen } from '#test/console/browser.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'

describeConsole('the console: what it says', () => {
  let f: Fleet
  let seen: Seen
  let ben: Founder
  const button = (name: string | RegExp) => seen.page.getByRole('button', { name, exact: true })
  const panel = (name: string) => seen.page.getByRole('region', { name, exact: true })
  const rows = (name: string) => seen.page.getByRole('table', { name, exact: true }).locator('tbody tr')
  const sideways = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
  const roleOf = async (name: string, permissions: string[], reportScope: object = { all: true }) =>
    (await f.send('POST', '/roles', { name, permissions, reportScope })).body.data.id as SystemRole
  const open = async (place: string, how: Looking = {}) => {
    seen = await look(f, how)
    await seen.open(place)
  }

  before(async () => {
    f = await fleet()
    await f.discover(['vm'], 'running', { hourlyRateUSD: 0.25 })
    ben = await colleague({ accessToken: f.token, orgId: f.orgId } as Founder, 'editor')
  })
  afterEach(async () => {
    const faults = seen?.faults
    await seen?.close()
    expect(faults).to.deep.equal([])
  })
  after(() => f?.end())

  it('tells how far each lane is behind', async () => {
    await open('live')
    await panel('Lag').getByText('All messages have taken effect.').waitFor()
    expect(await rows('Lag by lane').filter({ hasText: f.accountId }).count()).to.equal(1)
    // As if something waited.
    await seen.page.route('**/events/lag', (route) =>
      route.fulfill({
        json: { data: { lanes: [{ lane: 3, cloudAccountIDs: ['a'], oldestSeconds: 12.2 }], oldestSeconds: 12.2 } },
      }),
    )
    await panel('Lag').getByText('has not taken effect has been waiting for 12 s.').waitFor()
    await seen.page.unroute('**/events/lag')
    for (const kind of ['recommendations', 'workflows']) expect(await button(kind).count(), kind).to.equal(1)
  })

  it('does not ask for events of who may not hear of them', async () => {
    const role = await roleOf('Deaf', ['space.view'])
    await open('inventory', { role })
    expect(seen.asked.filter((one) => one.includes('/events/stream'))).to.deep.equal([])
    expect(await seen.page.locator('.head .live').count()).to.equal(0)
  })

  it('says of a resource whose costs the role does not show that they are hidden, and asks for none', async () => {
    const scope = { all: false, cloudAccountIDs: ['another'] }
    const role = await roleOf('Of another account', ['service.view', 'space.view'], scope)
    await open('resource?uid=vm', { role })
    await seen.page.getByText('Start and stop are not available').waitFor()
    const timeline = seen.page.getByRole('region', { name: 'Timeline' })
    await timeline.getByText('Your role covers only some accounts and teams').waitFor()
    const text = (await seen.page.locator('main').textContent())!
    for (const wrong of ['Not found', '$0.00', 'requires the permission service.view', 'No recommendations'])
      expect(text).to.not.include(wrong)
    expect(seen.asked.filter((one) => one.includes('/context'))).to.deep.equal([])
  })

  it('names who did something, and knows a stop that was so already', async () => {
    const stopped = await ask('POST', '/actions', { token: ben.accessToken, body: f.of('vm', 'stop') })
    await f.ended(`/actions/${stopped.body.data.actionID}`)
    const again = await f.act('vm', 'stop')
    await open(`resource?uid=vm&action=${stopped.body.data.actionID}`)
    const follow = seen.page.getByRole('region', { name: 'Action' })
    await follow.getByText('Stopped.', { exact: true }).waitFor()
    const done = rows('Events').filter({ hasText: 'Done: stopped.' })
    await until('it is told', async () => (await done.count()) === 1)
    expect(await done.locator('td').last().textContent()).to.equal('Ben')
    expect(await rows('Events').filter({ hasText: 'manual:' }).count()).to.equal(0)
    await seen.open(`resource?uid=vm&action=${again.id}`)
    await follow.getByText('Stopped already: nothing was changed.').waitFor()
  })

  it('renews the access token before it runs out, once however much is asked', async () => {
    await open('overview')
    const renewals = () => seen.asked.filter((one) => one.endsWith('/auth/browser/refresh')).length
    const before = renewals()
    const later = (minutes: number) =>
      seen.page.evaluate((ms) => {
        const now = Date.now.bind(Date)
        Date.now = () => now() + ms
      }, minutes * 60_000)
    await later(13)
    await seen.page.getByRole('navigation').getByRole('link', { name: 'Budgets' }).click()
    await settled(seen.page)
    expect(renewals()).to.equal(before)
    await later(1.5)
    await seen.page.getByRole('navigation').getByRole('link', { name: 'Explorer', exact: true }).click()
    await settled(seen.page)
    await seen.page.getByRole('navigation').getByRole('link', { name: 'Teams', exact: true }).click()
    await settled(seen.page)
    expect(renewals()).to.equal(before + 1)
  })

  it('says anew how long ago something was, by the clock', async () => {
    await roleOf('Made just now', ['service.view'])
    seen = await look(f)
    await seen.page.clock.install()
    await seen.open('members?tab=roles')
    const row = rows('Roles').filter({ hasText: 'Made just now' })
    expect(await row.textContent()).to.match(/seconds? ago|now/)
    await seen.page.clock.fastForward(12 * 60_000)
    await row.getByText('12 minutes ago').waitFor()
  })

  it('keeps a name of a saved view that is too long, and says so; says of none that it is not there', async () => {
    await open('costs', { expected: /400/ })
    await button('Save view').click()
    const name = seen.page.getByRole('dialog').getByLabel('Name')
    await name.fill('x'.repeat(120))
    await seen.page.getByText('At most 100 characters; this name has 120.').waitFor()
    await button('Save').click()
    await seen.page.locator('.wrong').waitFor()
    expect((await name.inputValue()).length).to.equal(120)
    await name.fill('Mine')
    // What is typed in its place is not known to be wrong.
    await seen.page.locator('.wrong').waitFor({ state: 'detached' })
    await button('Save').click()
    await seen.page.getByRole('heading', { name: 'Saved', exact: true }).waitFor()
    await seen.open('saved?saved=zzz')
    await seen.page.getByText('This saved view does not exist.').waitFor()
  })

  it('says in words which address is none', async () => {
    const made = await f.send('POST', '/saved-views', {
      name: 'Mailed',
      view: 'costs',
      query: '',
      shared: 'organization',
    })
    await open(`saved?saved=${made.body.data.id}`, { expected: /400/ })
    await button('New schedule').click()
    await seen.page.getByLabel('Recipients, one address per line').fill('ana.example.com')
    await button('Create schedule').click()
    const wrong = seen.page.locator('.wrong')
    await wrong.waitFor()
    expect(await wrong.textContent()).to.equal('Item 1 must be an email address, such as ana@example.com.')
  })

  it('keeps the price of what is given another name alone, and names who asked for it', async () => {
    const place = { name: 'Production', cloudAccountID: f.accountId, region: 'us-east-1' }
    const spaceID = (await f.send('POST', '/spaces', place)).body.data.id
    await open('provisioning?new=job&kind=registry')
    await seen.page.getByLabel('Name', { exact: true }).first().fill('images')
    await button('Estimate cost').click()
    await seen.page.locator('.preview').waitFor()
    expect(await button('Provision…').isEnabled()).to.equal(true)
    await seen.page.getByLabel('Name', { exact: true }).first().fill('pictures')
    expect(await button('Provision…').isEnabled()).to.equal(true)
    const body = { spaceID, kind: 'registry', config: { name: 'images', immutableTags: true } }
    const admin = await colleague({ accessToken: f.token, orgId: f.orgId } as Founder, 'admin')
    const job = await ask('POST', '/provisioning-jobs', { token: admin.accessToken, body })
    await seen.open(`provisioning?job=${job.body.data.id}`)
    await seen.page.getByText(/requested .* by Ben/).waitFor()
  })

  it('calls buttons by what stands on them, and ends sentences once', async () => {
    const config = { webhookURL: 'https://chat.example.com/hooks/1' }
    const made = await f.send('POST', '/notifications/channels', { name: 'Ops', type: 'slack', config })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    await open('notifications', { expected: /400|422/ })
    const labelled = seen.page.locator('main button[aria-label]')
    const words = (text: string) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\d ]/gu, '')
        .trim()
    const labels = await labelled.evaluateAll((all) =>
      all.map((one) => [one.textContent!, one.getAttribute('aria-label')!] as const),
    )
    expect(labels.length).to.be.above(2)
    for (const [text, label] of labels) expect(words(label)).to.include(words(text))
    await seen.open('notifications?new=1')
    await seen.page.getByLabel('Name', { exact: true }).fill('Inside')
    await seen.page.getByLabel('Webhook URL').fill('https://ana:secret@chat.example.com/hook')
    await button('Create channel').click()
    const wrong = seen.page.locator('.wrong')
    await wrong.waitFor()
    expect(await wrong.textContent()).to.equal('The URL must not contain a user name or password.')
  })

  it('asks for a budget where none is chosen', async () => {
    await open('what-if?kind=budget', { expected: /400/ })
    await button('Run what-if').click()
    await seen.page.getByText('Choose a budget, or what a new one is for.').waitFor()
    expect(await seen.page.locator('main').textContent()).to.not.include('resourceGroupID')
  })

  it('fits a policy of a target with a long name on a phone', async () => {
    const uid = `projects/shop-production/regions/europe-west1/instanceGroupManagers/${'web-'.repeat(30)}group`
    const body = {
      name: 'w'.repeat(100),
      mode: 'monitor',
      cloudAccountID: f.accountId,
      min: 2,
      max: 10,
      targetCPUPercent: 60,
    }
    const made = await f.send('POST', '/autoscaler-policies', { ...body, target: { type: 'aws-asg', uid } })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    await open(`scaling?policy=${made.body.data.id}`, { width: 360 })
    expect(await seen.page.evaluate(sideways)).to.equal(0)
  })
})
