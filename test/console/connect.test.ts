import { expect } from 'chai'
import { systemClock } from '#engine/clock.ts'
import { awsCloud } from '#streams/cloud/aws/connector.ts'
import type { Connector, PermissionCheck, Verification } from '#streams/cloud/connector.ts'
import { absentConnector, fedConnector } from '#streams/cloud/passive-connector.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { describeConsole, findings, look, settled, type Seen } from '#test/console/browser.ts'
import { describeMoto, type Moto } from '#test/harness/moto.ts'
import { ownClouds, tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

const number = '123456789012'
const roleARN = `arn:aws:iam::${number}:role/tidemark`

const permission = (
  name: string,
  access: PermissionCheck['access'],
  state: PermissionCheck['state'],
): PermissionCheck => ({ name, access, state })

const machine = {
  resourceUid: 'i-1',
  name: 'shop-web',
  type: 'aws-ec2',
  provider: 'aws' as const,
  region: 'eu-west-1',
  status: 'running' as const,
}

/** A cloud that holds one machine, and says of permissions what a test wants it to. */
function cloudOf(verify: () => Verification): Connector {
  async function* pages() {
    yield [machine]
  }
  return {
    ...fedConnector(),
    driver: 'real',
    verify: async () => verify(),
    discover: () => ({ seen: 'everything', pages: pages() }),
  }
}

const isCheck = (asked: string): boolean => /^POST .*\/check$/.test(asked)

describeConsole('the console: connecting an account', () => {
  let org: Tenant
  let seen: Seen

  beforeEach(async () => {
    org = await tenant()
    seen = await look(org, { expected: /400|503.*\/check$/ })
  })
  afterEach(async () => {
    ownClouds.clear()
    expect(seen.faults).to.deep.equal([])
    await seen.close()
  })

  const asked = (name: string): string | null => new URL(seen.page.url()).searchParams.get(name)
  const press = (name: string) => seen.page.getByRole('button', { name, exact: true }).click()
  const here = () => seen.page.locator('.steps [aria-current=step]').textContent()
  const field = (label: string) => seen.page.getByLabel(label)

  deepIt('leads from what it may do and the policies to copy to a check that lists what is missing first', async () => {
    let missing = true
    ownClouds.set(
      number,
      cloudOf(() => ({
        verdict: 'read_write',
        missingPermissions: missing ? ['rds:DescribeDBInstances'] : [],
        permissions: [
          permission('ec2:StopInstances', 'write', 'granted'),
          permission('ec2:DescribeInstances', 'read', 'granted'),
          permission('rds:DescribeDBInstances', 'read', missing ? 'missing' : 'granted'),
        ],
      })),
    )
    await seen.open('sources')
    await press('Connect an account')
    await field('Access level').selectOption('write')
    const bucket = async (name: string) => {
      await field('Billing export bucket (optional)').fill(name)
      await field('Billing export bucket (optional)').press('Tab')
    }
    await bucket('NO')
    await seen.page.locator('.wrong').waitFor()
    await bucket('my-bills')

    const policy = seen.page.getByRole('region', { name: 'Permission policy' }).filter({ hasText: 'my-bills' })
    await policy.waitFor()
    expect(await here()).to.equal('Grant access and connect')
    const guide = (await org.get('/cloud-accounts/guide?write=true&billing_bucket=my-bills')).body.data
    expect(JSON.parse((await policy.locator('pre').textContent())!)).to.deep.equal(guide.permissionPolicy)
    const trust = seen.page.getByRole('region', { name: 'Trust policy' })
    expect(JSON.parse((await trust.locator('pre').textContent())!)).to.deep.equal(guide.trustPolicy)
    const commands = seen.page.getByRole('region', { name: 'Commands' })
    expect(await commands.locator('pre').allTextContents()).to.deep.equal(guide.commands)
    expect(await commands.getByRole('button', { name: /^Copy command \d$/ }).count()).to.equal(3)
    await seen.page.getByText(guide.externalID, { exact: true }).waitFor()

    await field('Role ARN').fill('arn:aws:iam::1:user/ana')
    await field('Name').fill('Production')
    await press('Connect')
    await seen.page.getByText('It must look like arn:aws:iam::123456789012:role/tidemark.').waitFor()
    await field('Role ARN').fill(roleARN)
    await seen.page.getByText(`a role in account ${number}`).waitFor()
    await field('Regions (leave empty for all)').fill('eu-west-1, us-east-1')
    await press('Connect')

    const table = seen.page.getByRole('table', { name: 'Missing read permissions' })
    await table.waitFor()
    expect(await here()).to.equal('Check permissions')
    const cells = table.locator('tbody tr').locator('td')
    expect((await cells.allTextContents()).map((text) => text.trim())).to.deep.equal([
      'rds:DescribeDBInstances',
      'discovery: discover aws-rds',
      '{"Effect":"Allow","Action":"rds:DescribeDBInstances","Resource":"*"} Copy the statement for rds:DescribeDBInstances',
    ])
    await seen.page.getByText('2 of 3 permissions granted.').waitFor()
    const account = (await org.get(`/cloud-accounts/${asked('check')}`)).body.data
    expect(account).to.deep.include({
      name: 'Production',
      externalID: number,
      driver: 'real',
      regions: ['eu-west-1', 'us-east-1'],
    })
    await seen.page.getByRole('link', { name: 'Its resources' }).waitFor()

    missing = false
    await press('Check again')
    await seen.page.getByText('3 of 3 permissions granted.').waitFor()
    expect(await table.count()).to.equal(0)
    await press('Done')
    expect(new URL(seen.page.url()).search).to.equal('')
  })

  deepIt('keeps choices and typed values in the address, and restores them from it', async () => {
    await seen.open('sources')
    await press('Connect an account')
    await field('Access level').selectOption('write')
    await field('Role ARN').fill(roleARN)
    await field('Regions (leave empty for all)').fill('eu-west-1')
    // The browser itself hears of an address a moment behind its page, and reloads the one it knows.
    await seen.page.waitForURL(/regions=eu-west-1/)
    await seen.page.reload()
    await settled(seen.page)
    expect(await field('Role ARN').inputValue()).to.equal(roleARN)
    expect(await field('Regions (leave empty for all)').inputValue()).to.equal('eu-west-1')
    expect(await field('Access level').inputValue()).to.equal('write')
    await seen.page.goBack()
    await seen.page.getByRole('button', { name: 'Connect an account' }).waitFor()
  })

  deepIt('says which settings are missing while the installation has no credentials of its own', async () => {
    expect((await org.get('/cloud-accounts/guide')).body.data.principal).to.equal(null)
    await seen.open('sources?connect=aws')
    const note = seen.page.getByRole('note')
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'ACCOUNT-OF-TIDEMARK'])
      expect(await note.textContent()).to.contain(name)
  })

  deepIt('says of an account that looks only that it does, and lists what acting asks for apart', async () => {
    const permissions = [permission('ec2:DescribeInstances', 'read', 'granted')]
    const all = [...permissions, permission('ec2:StopInstances', 'write', 'missing')]
    ownClouds.set(
      number,
      cloudOf(() => ({ verdict: 'read_only', missingPermissions: [], permissions: all })),
    )
    await org.send('POST', '/cloud-accounts', { name: 'Looks', provider: 'aws', externalID: number })
    await seen.open('sources')
    await press('Check permissions of Looks')
    await seen.page.getByText('It has read-only access. 1 of 2 permissions granted.').waitFor()
    expect(await seen.page.getByRole('table', { name: 'Missing write permissions' }).isVisible()).to.equal(false)
    await seen.page.getByText('Read-only: 1 write permission is not granted').click()
    await seen.page.getByRole('cell', { name: 'ec2:StopInstances', exact: true }).waitFor()
    const before = seen.asked.filter(isCheck).length
    await seen.page.reload()
    await seen.page.getByRole('button', { name: 'Check now' }).waitFor()
    expect(seen.asked.filter(isCheck).length, 'an address that is opened asks for no check').to.equal(before)
  })

  deepIt('keeps credentials out of the address, and in the page while another cloud is looked at', async () => {
    // What an account of any cloud would be asked by here.
    ownClouds.set('', absentConnector())
    await seen.open('sources?connect=gcp')
    await seen.page.getByText('Google Cloud is not supported by a connector yet').waitFor()
    await field('Service account key').fill('{"private_key":"planted-secret"}')
    await field('Project ID').fill('shop')
    await field('Cloud').selectOption('azure')
    await field('Client secret').fill('planted-too')
    await field('Cloud').selectOption('aws')
    await field('Cloud').selectOption('gcp')
    expect(await field('Service account key').inputValue()).to.equal('{"private_key":"planted-secret"}')
    expect(await field('Project ID').inputValue()).to.equal('shop')
    expect(seen.page.url()).to.not.contain('planted')
    ownClouds.clear()
    ownClouds.set('shop', absentConnector())
    await field('Name').fill('Shop')
    await press('Connect')
    await seen.page.getByText('Its cloud API is not called.').waitFor()
    await seen.page.getByRole('region', { name: 'Connect an account' }).getByText('fed by producers').waitFor()
  })

  deepIt('offers the credentials that a cloud takes, and sends those of the kind that is chosen', async () => {
    await seen.open('sources?connect=azure')
    await seen.page.getByRole('textbox', { name: 'Name', exact: true }).fill('Payments')
    await field('Subscription ID').fill('sim-payments')
    await field('Client secret').fill('planted-secret')
    await field('Credentials').selectOption('certificate')
    await field('Certificate and private key').waitFor()
    await field('Credentials').selectOption('federation')
    await field('Azure environment').selectOption('AzureUSGovernment')
    await field('Directory (tenant) ID').fill('tenant-1')
    await field('Application (client) ID').fill('client-1')
    await field('Billing export location').fill('/subscriptions/sim-payments')
    const sent = seen.page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/cloud-accounts'),
    )
    await press('Connect')
    const { credentials, billingExport } = (await sent).postDataJSON() as Record<string, unknown>
    expect([credentials, billingExport]).to.deep.equal([
      { tenantID: 'tenant-1', clientID: 'client-1', workloadIdentity: true, cloud: 'AzureUSGovernment' },
      { kind: 'cost-management', location: '/subscriptions/sim-payments' },
    ])
    expect(seen.page.url()).to.not.contain('planted')
  })

  deepIt('connects a cluster on its own, and says at its field what is wrong with a kubeconfig', async () => {
    const kubeconfig = (user: object): string =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'rack',
        contexts: [{ name: 'rack', context: { cluster: 'rack', user: 'rack' } }],
        clusters: [{ name: 'rack', cluster: { server: 'https://203.0.113.5:6443' } }],
        users: [{ name: 'rack', user }],
      })
    ownClouds.set('cluster/rack', absentConnector())
    await seen.open('sources?connect=kubernetes')
    await seen.page.getByRole('textbox', { name: 'Name', exact: true }).fill('Rack')
    await field('Cluster name').fill('rack')
    await field('Its nodes run on').selectOption('gcp')
    await field('Kubeconfig').fill(kubeconfig({ exec: { command: 'sh' } }))
    await press('Connect')
    await seen.page.getByText(/exec/).first().waitFor()
    await field('Kubeconfig').fill(kubeconfig({ token: 'planted-secret' }))
    await field('Prices of nodes').fill('{"vcpuUsdHour": 0.02, "gibUsdHour": 0.003}')
    await press('Connect')
    await seen.page.getByText('Its cloud API is not called.').waitFor()
    expect(seen.page.url()).to.not.contain('planted')
    const [{ name, provider, externalID }] = (await org.get('/cloud-accounts')).body.data.items
    expect([name, provider, externalID]).to.deep.equal(['Rack', 'gcp', 'cluster/rack'])
  })

  deepIt(
    'says which accounts are simulated and which are fed, in the list, on the overview, where freshness is, and of a resource',
    async () => {
      ownClouds.set('fed-1', fedConnector())
      await org.send('POST', '/cloud-accounts', { name: 'Fed', provider: 'gcp', externalID: 'fed-1' })
      const { id } = (
        await org.send('POST', '/cloud-accounts', { name: 'Made up', provider: 'aws', externalID: number })
      ).body.data
      const told = { Fed: 'fed by producers', 'Made up': 'simulated' }
      for (const [place, caption] of [
        ['sources', 'Connected accounts'],
        ['live', 'Freshness by account'],
      ] as const) {
        await seen.open(place)
        const rows = await seen.page.getByRole('table', { name: caption }).locator('tbody tr').allTextContents()
        expect(rows.length, place).to.equal(2)
        for (const badge of Object.values(told))
          expect(rows.filter((text) => text.includes(badge)).length, `${place}: ${badge}`).to.equal(1)
      }
      await seen.open('overview')
      await seen.page.getByText('1 simulated, 1 fed by producers').waitFor()
      await org.publish(resourceDiscovered, [{ ...machine, cloudAccountId: id }])
      await until('it is there', async () => (await org.get('/resources')).body.data.length === 1)
      await seen.open(`resource?uid=i-1&cloud_account_id=${id}`)
      await seen.page.getByText('simulated', { exact: true }).waitFor()
      const { data } = (await org.get('/billing/sync-status')).body
      expect(data.map(({ driver }: any) => driver)).to.deep.equal(['none', 'simulated'])
    },
  )

  deepIt('shows others which right is missing, and is accessible, dark and narrow', async () => {
    const other = await look(org, { role: 'viewer' })
    await other.open('sources?connect=aws')
    expect(await other.page.getByRole('button', { name: 'Connect', exact: true }).isDisabled()).to.equal(true)
    await other.page.getByText('space.create').first().waitFor()
    expect(other.faults).to.deep.equal([])
    await other.close()
    const narrow = await look(org, { theme: 'dark', width: 360 })
    for (const access of ['read', 'none']) {
      await narrow.open(`sources?connect=aws&access=${access}`)
      expect(await findings(narrow.page), access).to.deep.equal([])
      const wide = await narrow.page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
      expect(wide, access).to.equal(false)
    }
    await narrow.close()
  })

  if (isDeep)
    describeMoto('against a stand-in of AWS', (moto: () => Moto) => {
      it('connects a role, looks through its permissions one by one, and finds what is there', async () => {
        await moto().reset()
        ownClouds.set(number, awsCloud({ ...moto().options, clock: systemClock, allowPrivate: true }))
        await seen.open('sources?connect=aws')
        await field('Role ARN').fill(roleARN)
        await field('Regions (leave empty for all)').fill('eu-west-1')
        await press('Connect')
        // The stand-in tells no permissions of itself: each is tried, which it may take longer for than a request may. Then it is asked again.
        const told = seen.page.getByText(/\d+ of \d+ permissions granted/)
        const now = seen.page.getByRole('button', { name: 'Check now' })
        while (!(await told.isVisible())) {
          if (await seen.page.getByText('Server error').isVisible()) await now.click()
          await told.or(seen.page.getByText('Server error')).first().waitFor({ timeout: 120_000 })
        }
        await seen.page.getByRole('link', { name: 'Its resources' }).waitFor({ timeout: 60_000 })
        await seen.page.getByRole('cell', { name: /^AWS 123456789012/ }).waitFor()
        expect(asked('step')).to.equal('permissions')
      })
    })
})
