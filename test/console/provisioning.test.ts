// tier: deep
import { expect } from 'chai'
import { describeConsole, findings, look, settled, type Seen } from '#test/console/browser.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { until } from '#test/harness/product.ts'

const sideways = () => document.documentElement.scrollWidth - document.documentElement.clientWidth

describeConsole('the console: what is made, and how to connect to it', () => {
  let f: Fleet
  let seen: Seen
  let spaceID: string

  before(async () => {
    f = await fleet()
    const place = { name: 'Production', cloudAccountID: f.accountId, region: 'us-east-1' }
    spaceID = (await f.send('POST', '/spaces', place)).body.data.id
  })
  afterEach(() => seen?.close())
  after(() => f?.end())

  const field = (label: string) => seen.page.getByLabel(label, { exact: true })
  const row = (name: string) => seen.page.getByRole('group', { name, exact: true })
  const inRow = (name: string, label: string) => row(name).getByLabel(label, { exact: true })
  const press = (name: string) => seen.page.getByRole('button', { name, exact: true }).click()
  const dialog = () => seen.page.getByRole('dialog')
  const jobOf = async (id: string) => (await f.get(`/provisioning-jobs/${id}`)).body.data

  it('takes lists as rows: an error stands in its row, and nothing typed is lost', async () => {
    seen = await look(f, { expected: /400/, width: 360 })
    await seen.open('provisioning?new=job&kind=kubernetes')
    await field('Network (VPC)').fill('vpc-1')
    await inRow('subnet 1', 'Subnet ID').fill('subnet-a')
    await press('Add subnet')
    // The new row is where the keyboard is.
    await until('it has the focus', () =>
      inRow('subnet 2', 'Subnet ID').evaluate((at) => at === document.activeElement),
    )
    await seen.page.keyboard.type('subnet-b')
    await press('Add node group')
    await inRow('node group 2', 'Name').fill('spot')
    await inRow('node group 2', 'Minimum instances').fill('nine')
    await press('Estimate cost')
    await row('node group 2').locator('.wrong').waitFor()
    expect(await row('node group 1').locator('.wrong').count()).to.equal(0)
    expect(await seen.page.locator('.wrong').count()).to.equal(2)

    await seen.page.getByLabel('Type', { exact: true }).selectOption('registry')
    await seen.page.getByText('Immutable tags').waitFor()
    await seen.page.getByLabel('Type', { exact: true }).selectOption('kubernetes')
    expect(await inRow('subnet 2', 'Subnet ID').inputValue()).to.equal('subnet-b')
    expect(await inRow('node group 2', 'Minimum instances').inputValue()).to.equal('nine')
    expect(await seen.page.evaluate(sideways)).to.equal(0)
    expect(await findings(seen.page)).to.deep.equal([])

    await press('Remove node group 1')
    await field('Name').first().fill('shop')
    await inRow('node group 1', 'Minimum instances').fill('9')
    await inRow('node group 1', 'Maximum instances').fill('9')
    await press('Add tag')
    await inRow('tag 1', 'Tag name').fill('team')
    await inRow('tag 1', 'Value').fill('shop')
    await press('Estimate cost')
    await seen.page.getByRole('button', { name: 'Provision…', disabled: false }).click()
    await dialog().getByRole('button', { name: 'Provision', exact: true }).click()
    await seen.page.getByRole('heading', { name: 'Requested configuration' }).waitFor()
    const [made] = (await f.get('/provisioning-jobs')).body.data.items
    expect([made.config, made.tags]).to.deep.equal([
      {
        name: 'shop',
        version: '1.31',
        nodeGroups: [{ name: 'spot', instanceType: 'm5.large', min: 9, max: 9 }],
        vpcID: 'vpc-1',
        subnetIDs: ['subnet-a', 'subnet-b'],
      },
      { team: 'shop' },
    ])
    expect(seen.faults).to.deep.equal([])
  })

  it('changes the name, the tags and the end of a job, and what differs alone', async () => {
    const body = {
      spaceID,
      kind: 'registry',
      config: { name: 'images', immutableTags: true },
      tags: { a: '1', b: '2' },
    }
    const { id } = (await f.send('POST', '/provisioning-jobs', body)).body.data
    await until('it is ready', async () => (await jobOf(id)).phase === 'ready')
    seen = await look(f, { expected: /400/ })
    await seen.open(`provisioning?job=${id}`)
    await press('Edit')
    expect(await seen.page.getByRole('button', { name: 'Save…' }).isDisabled()).to.equal(true)
    await inRow('tag 1', 'Tag name').fill('b')
    await seen.page.getByText('More than one tag is named b: one of them would be lost.').waitFor()
    await inRow('tag 1', 'Tag name').fill('tidemark:x')
    await press('Save…')
    await dialog().getByRole('button', { name: 'Save changes' }).click()
    await row('tag 1').locator('.wrong').waitFor()
    expect(await inRow('tag 1', 'Tag name').inputValue()).to.equal('tidemark:x')
    await inRow('tag 1', 'Tag name').fill('c')
    await seen.page.getByLabel('Expires on').fill('2090-01-02')
    // Somebody else names it meanwhile: that is said, and stays.
    await press('Save…')
    await dialog().waitFor()
    const renamed = await f.send('PATCH', `/provisioning-jobs/${id}`, { name: 'Pictures' })
    expect(renamed.status, JSON.stringify(renamed.body)).to.equal(200)
    await dialog().getByRole('button', { name: 'Save changes' }).click()
    await seen.page.getByRole('alert').getByText('Name: was images, now Pictures.').waitFor()
    await press('Save…')
    expect(await dialog().textContent()).to.match(/On Jan 2, 2090 everything it created is deleted .* cannot be undone/)
    await dialog().getByRole('button', { name: 'Save changes' }).click()
    await seen.page.getByText('expires Jan 2, 2090').waitFor()
    const { name, tags, expiresAt } = await jobOf(id)
    expect([name, tags, expiresAt]).to.deep.equal(['Pictures', { b: '2', c: '1' }, '2090-01-02T00:00:00.000Z'])
    expect(await findings(seen.page)).to.deep.equal([])
    expect(seen.faults).to.deep.equal([])
  })

  it('records how to connect to a server and to one database, and forgets it again', async () => {
    const config = { engine: 'postgres', version: '16.3', instanceClass: 'db.m5.large', multiAZ: false }
    const body = { spaceID, kind: 'datastore', config: { ...config, allocatedStorageGB: 20, backupRetentionDays: 7 } }
    const { id } = (await f.send('POST', '/provisioning-jobs', body)).body.data
    await until('it is ready', async () => (await jobOf(id)).phase === 'ready')
    const at = `/provisioning-jobs/${id}/databases`
    const { id: dbID } = (await f.send('POST', at, { name: 'shop', owner: 'shop_app' })).body.data
    await until('it is available', async () => (await f.get(at)).body.data[0].status === 'available')
    seen = await look(f, { expected: /400/ })
    await seen.open(`provisioning?job=${id}`)
    await field('Connection name').fill('Admin')
    await field('Secret name').fill('hunter2')
    await press('Record connection')
    await seen.page.locator('.wrong').waitFor()
    expect(await field('Connection name').inputValue()).to.equal('Admin')
    await field('Secret name').fill('')
    await press('Record connection')
    await seen.page.getByRole('table', { name: 'Connections to the server' }).waitFor()
    await field('To').selectOption({ label: 'Database shop' })
    await seen.page.getByText('No connections to shop recorded yet.').waitFor()
    await press('Record connection')
    const table = seen.page.getByRole('table', { name: 'Connections to shop' })
    await table.waitFor()
    expect(await table.locator('tbody tr').textContent()).to.include('shop_app')
    expect(new URL(seen.page.url()).searchParams.get('database')).to.equal(dbID)
    expect(await findings(seen.page)).to.deep.equal([])
    await table.getByRole('button', { name: /^Remove/ }).click()
    expect(await dialog().textContent()).to.include('Its user remains')
    await dialog().getByRole('button', { name: 'Remove' }).click()
    await table.waitFor({ state: 'detached' })
    await settled(seen.page)
    const left = (await f.get(`/provisioning-jobs/${id}/connections`)).body.data
    expect(left.map((one: { name: string }) => one.name)).to.deep.equal(['Admin'])
    expect(seen.faults).to.deep.equal([])
  })
})
