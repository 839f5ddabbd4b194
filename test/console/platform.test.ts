// tier: deep
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import jwt from 'jsonwebtoken'
import { describeConsole, findings, look, settled, type Seen } from '#test/console/browser.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { platform, type Platform } from '#test/harness/catalog.ts'
import { offering } from '#test/harness/catalog-edge.ts'
import { ask, resetClock } from '#test/harness/people.ts'
import { sourceSecrets, until } from '#test/harness/product.ts'
import { found } from '#test/harness/tagged.ts'
import { freshUrl, hook, pushOf, shaOf } from '#test/harness/source.ts'

const rowsOf = (page: Page, name: string) => page.getByRole('table', { name, exact: true }).locator('tbody tr')

describeConsole('the console: what a platform makes', () => {
  let p: Platform
  let seen: Seen
  let jobId: string
  const button = (name: string) => seen.page.getByRole('button', { name, exact: true })
  const dialog = () => seen.page.getByRole('dialog')

  before(async () => {
    p = await platform()
    jobId = await p.begin('datastore')
    await p.become(jobId, 'ready')
    seen = await look(p, { expected: /400|409|422/ })
  })
  after(async () => {
    await seen?.close()
    await p?.end()
    await resetClock()
  })

  it('has spaces: made, disabled, used again, and not deleted while something stands in them', async () => {
    await seen.open('provisioning?tab=spaces')
    await seen.page.getByLabel('Name', { exact: true }).fill('Europe')
    await seen.page.getByLabel('Region').fill('moon-1 ')
    await button('Create space').click()
    await seen.page.locator('.wrong').waitFor()
    expect(await seen.page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Europe')
    await seen.page.getByLabel('Region').fill('eu-west-1')
    await button('Create space').click()
    const row = rowsOf(seen.page, 'Spaces').filter({ hasText: 'Europe' })
    await row.waitFor()
    await button('Disable Europe').click()
    expect(await dialog().textContent()).to.include('Existing resources remain, keep incurring costs')
    await dialog().getByRole('button', { name: 'Disable space' }).click()
    await row.locator('.badge', { hasText: 'disabled' }).waitFor()
    await button('Enable Europe').click()
    await dialog().getByRole('button', { name: 'Enable space' }).click()
    await row.locator('.badge', { hasText: 'active' }).waitFor()
    await button('Delete Production').click()
    await dialog().getByRole('button', { name: 'Delete space' }).click()
    await dialog().getByText('The space has 1 provisioning jobs that are not deleted.').waitFor()
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    expect((await p.get('/spaces')).body.data.items.map(({ name }: any) => name).toSorted()).to.deep.equal([
      'Europe',
      'Production',
    ])
    expect([await findings(seen.page), seen.faults]).to.deep.equal([[], []])
  })

  it('says how what stands is otherwise than it was asked for, and that its cloud knows it no more', async () => {
    await seen.open(`provisioning?job=${jobId}`)
    await button('Check for drift').click()
    await seen.page.getByText('No drift: everything the cloud reports matches the request.').waitFor()
    const { config } = await p.job(jobId)
    let found: object | null = { ...config, backupRetentionDays: 1 }
    const undo = await offering({ describe: async () => found })
    await button('Check for drift').click()
    const row = rowsOf(seen.page, 'Differences')
    await row.waitFor()
    const { backupRetentionDays: wanted } = config as { backupRetentionDays: number }
    expect(await row.locator('td').allTextContents()).to.deep.equal(['backupRetentionDays', String(wanted), '1'])
    found = null
    await button('Check for drift').click()
    await seen.page.getByText('It no longer exists in the cloud.').waitFor()
    undo()
    expect(seen.faults).to.deep.equal([])
  })

  it('has databases with owners, which are dropped with all in them, having said so', async () => {
    await seen.open(`provisioning?job=${jobId}`)
    await seen.page.getByText('The server has no databases yet.').waitFor()
    await seen.page.getByLabel('Database name').fill('Shop!')
    await seen.page.getByLabel('Owner', { exact: true }).fill('shop_app')
    await button('Create database').click()
    await seen.page.locator('.wrong').waitFor()
    expect(await seen.page.getByLabel('Owner', { exact: true }).inputValue()).to.equal('shop_app')
    await seen.page.getByLabel('Database name').fill('shop')
    await button('Create database').click()
    const row = rowsOf(seen.page, 'Databases')
    await row.locator('.badge', { hasText: 'available' }).waitFor()
    const [made] = (await p.get(`/provisioning-jobs/${jobId}/databases`)).body.data
    expect([made.name, made.owner, made.status]).to.deep.equal(['shop', 'shop_app', 'available'])
    expect(await row.textContent())
      .to.include(`${made.server}:${made.port}`)
      .and.include(made.secretRef)
    expect(await findings(seen.page)).to.deep.equal([])
    await seen.page.getByLabel('Database name').fill('shop')
    await seen.page.getByLabel('Owner', { exact: true }).fill('other')
    await button('Create database').click()
    await seen.page.getByText('The server already has a database named shop.').waitFor()
    await button('Drop shop').click()
    expect(await dialog().textContent())
      .to.include('shop is dropped with all its data')
      .and.include('cannot be undone')
    await dialog().getByRole('button', { name: 'Drop database' }).click()
    await seen.page.getByText('The server has no databases yet.').waitFor()
    expect(p.made().filter((call) => call.includes('Database'))).to.deep.equal(['createDatabase', 'dropDatabase'])
    expect(seen.faults).to.deep.equal([])
  })

  it('has deployments: what was pushed, what became of its build, and why it failed', async () => {
    const url = freshUrl()
    await seen.open('provisioning?tab=deployments')
    await button('New deployment').click()
    await seen.page.getByLabel('Name', { exact: true }).fill('Shop <b>')
    await seen.page.getByLabel('Space', { exact: true }).selectOption({ label: 'Production (us-east-1)' })
    await seen.page.getByLabel('Repository URL').fill(url.replace('https://', 'https://ana:pw@'))
    await button('Create deployment…').click()
    await dialog().getByRole('button', { name: 'Create', exact: true }).click()
    await seen.page.locator('.wrong').waitFor()
    expect(await seen.page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Shop <b>')
    await seen.page.getByLabel('Repository URL').fill(url)
    await button('Create deployment…').click()
    expect(await dialog().textContent()).to.include(`each push to main of ${url} is built once`)
    await dialog().getByRole('button', { name: 'Create', exact: true }).click()
    await seen.page.getByRole('link', { name: 'Shop <b>' }).click()
    await seen.page.getByText('No revisions yet.').waitFor()

    const build = async (sha: string, fields: object) => {
      const [rev] = (await hook(pushOf(url, sha))).body.data.revisionIDs as [string]
      await until('the order', async () => (await p.get(`/revisions/${rev}`)).body.data.status === 'building')
      await seen.page.reload()
      await settled(seen.page)
      const row = rowsOf(seen.page, 'Revisions').filter({ hasText: sha.slice(0, 10) })
      await row.locator('.badge', { hasText: 'building' }).waitFor()
      const now = Math.floor(Date.now() / 1000)
      const token = jwt.sign({ rev, iat: now, exp: now + 600 }, sourceSecrets.BUILD_CALLBACK_SECRET)
      const { status, body } = await ask('POST', `/build-callbacks/${rev}`, { body: { token, ...fields } })
      expect(status, JSON.stringify(body)).to.equal(200)
      return row
    }
    const failed = await build(shaOf('1'), { status: 'failed', failureReason: 'Tests failed: 3 of 40 <script>' })
    await failed.getByText('Tests failed: 3 of 40 <script>').waitFor()
    expect(await failed.locator('.badge').first().textContent()).to.equal('failed')
    const image = 'registry.example.test/shop@sha256:1111'
    const done = await build(shaOf('2'), { status: 'succeeded', imageRef: image })
    await done.getByText(image).waitFor()
    await seen.page.reload()
    await done.getByText('current').waitFor()
    expect(await findings(seen.page)).to.deep.equal([])

    await button('Edit Shop <b>').click()
    await seen.page.getByLabel('Build on every push to the branch').uncheck()
    await button('Save…').click()
    await dialog().getByRole('button', { name: 'Save changes' }).click()
    await rowsOf(seen.page, 'Deployments').getByText('off', { exact: true }).waitFor()
    // Its revisions are asked for once more behind the change, and are gone with it.
    await settled(seen.page)
    await button('Remove Shop <b>').click()
    expect(await dialog().textContent()).to.include('running workloads continue at the same cost')
    await dialog().getByRole('button', { name: 'Remove deployment' }).click()
    await seen.page.getByText('No deployments yet.').waitFor()
    expect((await p.get('/deployments')).body.data.total).to.equal(0)
    expect(seen.faults).to.deep.equal([])
  })

  it('says what scales a target already, and lets nobody replace what somebody else manages', async () => {
    const ofP = { unitCount: 2, cloudAccountId: p.accountId }
    await p.publish(resourceDiscovered, [
      found('svc-1', { type: 'aws-ecs-service', ...ofP }),
      found('dep-1', { type: 'aws-eks-deployment', ...ofP }),
    ])
    const native = [
      { policyName: 'cpu', metric: 'cpu_percent', target: 50, managedBy: 'tidemark' },
      { policyName: 'theirs <b>', metric: 'requests', target: 1000, managedBy: 'customer' },
    ]
    const undo = await offering({ policies: async () => native })
    const target = { type: 'aws-ecs-service', uid: 'svc-1' }
    const body = {
      name: 'Web',
      mode: 'monitor',
      cloudAccountID: p.accountId,
      target,
      min: 1,
      max: 4,
      targetCPUPercent: 60,
    }
    const made = await p.send('POST', '/autoscaler-policies', body)
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    await seen.open(`scaling?policy=${made.body.data.id}`)
    await button('Get advice and existing policies').click()
    const rows = rowsOf(seen.page, 'Policies of the target')
    await rows.first().waitFor()
    const cells = await Promise.all((await rows.all()).map((row) => row.locator('td').allTextContents()))
    expect(cells).to.deep.equal([
      ['cpu', 'cpu_percent at 50', 'Tidemark'],
      ['theirs <b>', 'requests at 1,000', 'another tool'],
    ])
    await seen.page.getByText('Recommended: adopt, because another tool manages at least one of them').waitFor()
    expect(await findings(seen.page)).to.deep.equal([])

    await seen.open('scaling?new=policy')
    await seen.page.getByLabel('Name', { exact: true }).fill('Deployment')
    await seen.page.getByLabel('Target', { exact: true }).fill('dep-1')
    await seen.page
      .getByRole('button', { name: /^Add dep-1/ })
      .first()
      .click()
    await seen.page.getByLabel('Existing scaling policies of the target').selectOption('replace')
    await button('Create policy…').click()
    await dialog().getByRole('button', { name: 'Create', exact: true }).click()
    await seen.page.locator('form .failed').waitFor()
    expect(await seen.page.locator('form .failed').textContent()).to.include('capability_missing')
    expect(await seen.page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Deployment')
    expect((await p.get('/autoscaler-policies')).body.data.total).to.equal(1)
    undo()
    expect(seen.faults).to.deep.equal([])
  })
})
