// tier: deep
/** An organization of AWS, connected once, as it changes from look to look. */
import { expect } from 'chai'
import { systemClock } from '#engine/clock.ts'
import { awsCloud } from '#streams/cloud/aws/connector.ts'
import { openAnew } from '#streams/cloud/aws/session/open.ts'
import { globalRegion, type AwsOptions } from '#streams/cloud/aws/session/session.ts'
import type { Connector } from '#streams/cloud/connector.ts'
import { describeMoto, type Moto } from '#test/harness/moto.ts'
import { ownClouds, tenant, until, type Tenant } from '#test/harness/product.ts'

const payer = '123456789012'

/** Its roles are assumed and its organization is listed; what is in its accounts is of other tests. */
const quiet = (options: AwsOptions): Connector => ({
  ...awsCloud({ ...options, clock: systemClock, allowPrivate: true }),
  discover: () => ({ seen: 'everything', pages: nothing() }),
  bill: nothing,
  verify: async (account) => {
    const session = openAnew(account, options)
    const { Account } = await session.ask('sts', globalRegion, (m) => new m.GetCallerIdentityCommand({}))
    session.close()
    return { verdict: Account === account.externalId ? 'read_only' : 'none', missingPermissions: [] }
  },
})
async function* nothing(): AsyncGenerator<never> {}

/** Organizations of moto, by operations that the product does not use. */
const organizations = ({ url }: Moto) => {
  const Authorization =
    'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/organizations/aws4_request, SignedHeaders=host, Signature=x'
  return async (operation: string, input: object = {}): Promise<any> => {
    const target = `AWSOrganizationsV20161128.${operation}`
    const headers = { Authorization, 'X-Amz-Target': target, 'Content-Type': 'application/x-amz-json-1.1' }
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(input) })
    const text = await answer.text()
    expect(answer.status, `${operation} ${text}`).to.equal(200)
    return text === '' ? {} : JSON.parse(text)
  }
}

describeMoto('an organization of AWS accounts', (moto: () => Moto) => {
  let org: Tenant
  let payerId: string
  /** Numbers that moto gave the accounts, by name. */
  const numbers = new Map<string, string>()
  const ask = (operation: string, input?: object) => organizations(moto())(operation, input)

  const list = async (): Promise<any[]> => (await org.get('/cloud-accounts?limit=100')).body.data.items
  const states = async () =>
    (await list())
      .filter(({ id }) => id !== payerId)
      .map(({ name, status, membership: { path, status: of, isManaged } }) => [name, status, path, of, isManaged])
  const preview = async (organization?: object) => {
    const path = `/cloud-accounts/${payerId}/organization/preview`
    const { status, body } = await org.send('POST', path, organization ? { organization } : {})
    expect(status, JSON.stringify(body)).to.equal(200)
    const named = (some: any[]): string[] =>
      some.map(({ name, reason }): string => (reason ? `${name} ${reason}` : name)).toSorted()
    const { connect, enable, disable, left } = body.data
    return { connect: named(connect), enable: named(enable), disable: named(disable), left: named(left) }
  }
  const sync = async () => void (await org.send('POST', '/internal/jobs/organization-sync/run', { orgId: org.orgId }))
  const unit = async (Name: string, ParentId: string) =>
    (await ask('CreateOrganizationalUnit', { Name, ParentId })).OrganizationalUnit.Id as string
  const made = async (AccountName: string, tags: Record<string, string> = {}) => {
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))
    const order = { AccountName, Email: `${AccountName}@example.com`, Tags }
    const number = (await ask('CreateAccount', order)).CreateAccountStatus.AccountId as string
    numbers.set(AccountName, number)
    ownClouds.set(number, ownClouds.get(payer)!)
    return number
  }
  const move = (AccountId: string, SourceParentId: string, DestinationParentId: string) =>
    ask('MoveAccount', { AccountId, SourceParentId, DestinationParentId })

  after(() => ownClouds.clear())

  it('connects its members by one role, follows their units, tags, exclusion and departure, and leaves what people connected [G-116]', async () => {
    await moto().reset()
    org = await tenant()
    ownClouds.set(payer, quiet(moto().options))
    await ask('CreateOrganization', { FeatureSet: 'ALL' })
    const root = (await ask('ListRoots')).Roots[0].Id as string
    const production = await unit('Production', root)
    const payments = await unit('Payments', production)
    const sandbox = await unit('Sandbox', root)
    const checkout = await made('checkout', { env: 'prod' })
    await move(checkout, root, payments)
    await move(await made('search'), root, production)
    await move(await made('play'), root, sandbox)
    const mine = await made('mine')

    const { externalID } = (await org.get('/cloud-accounts/external-id')).body.data
    const role = (number: string) => ({ roleARN: `arn:aws:iam::${number}:role/tidemark`, externalID })
    const send = async (number: string, name: string) => {
      const body = { name, provider: 'aws', externalID: number, credentials: role(number), regions: ['us-east-1'] }
      return (await org.send('POST', '/cloud-accounts', body)).body.data.id as string
    }
    payerId = await send(payer, 'payer')
    const mineId = await send(mine, 'Mine by hand')

    const organization = { roleName: 'tidemark', exclude: { paths: ['/Sandbox'] } }
    expect(await preview(organization)).to.deep.equal({
      connect: ['checkout', 'search'],
      enable: [],
      disable: [],
      left: ['master own', 'mine own', 'play excluded'],
    })
    expect((await list()).map(({ name }) => name)).to.deep.equal(['Mine by hand', 'payer'])

    expect((await org.send('PATCH', `/cloud-accounts/${payerId}`, { organization })).status).to.equal(200)
    const good = ['connected', 'degraded']
    await until('members are connected', async () => {
      const all = await list()
      return all.length === 4 && all.every(({ status, membership }) => good.includes(status) && membership)
    })
    expect((await states()).map(([name, , ...rest]) => [name, ...rest])).to.deep.equal([
      ['Mine by hand', '/', 'active', false],
      ['checkout', '/Production/Payments', 'active', true],
      ['search', '/Production', 'active', true],
    ])
    const { externalID: number, membership } = (await list()).find(({ name }) => name === 'checkout')
    expect([number, membership.tags, membership.managedBy]).to.deep.equal([checkout, { env: 'prod' }, payerId])
    expect((await org.get('/cloud-accounts?search=/production/pay')).body.data.total).to.equal(1)

    // One goes to the excluded unit, one leaves, one is new; what a person connected leaves too.
    await move(numbers.get('search')!, production, sandbox)
    await ask('RemoveAccountFromOrganization', { AccountId: checkout })
    await ask('RemoveAccountFromOrganization', { AccountId: mine })
    await move(await made('billing'), root, production)
    expect(await preview()).to.deep.include({ connect: ['billing'], disable: ['checkout', 'search'] })
    await sync()
    await until('the second look', async () => (await states()).length === 4)
    const second = new Map((await states()).map(([name, status, , of]) => [name, [status, of]]))
    expect(second.get('checkout')).to.deep.equal(['disabled', 'left'])
    expect(second.get('search')).to.deep.equal(['disabled', 'active'])
    expect(second.get('Mine by hand')![0]).to.be.oneOf(good)
    expect(second.get('Mine by hand')![1]).to.equal('left')

    // What a person disables stays so; what comes back is enabled.
    const billing = (await list()).find(({ name }) => name === 'billing')
    await org.send('PATCH', `/cloud-accounts/${billing.id}`, { enabled: false })
    await move(numbers.get('search')!, sandbox, production)
    await sync()
    await until('the third look', async () =>
      good.includes((await list()).find(({ name }) => name === 'search').status),
    )
    expect(await preview()).to.deep.equal({
      connect: [],
      enable: [],
      disable: [],
      left: ['billing disabled', 'master own', 'play excluded'],
    })
    const { organization: state } = (await org.get(`/cloud-accounts/${payerId}`)).body.data
    expect([state.listedAccounts, state.message]).to.deep.equal([4, undefined])
    expect((await org.get(`/cloud-accounts/${mineId}`)).body.data.membership.isManaged).to.equal(false)
  })

  it('is refused for accounts whose organization cannot be followed [G-116]', async () => {
    const body = { name: 'x', provider: 'gcp', externalID: 'sim-gcp-1', organization: { roleName: 'tidemark' } }
    const { status, body: refusal } = await org.send('POST', '/cloud-accounts', body)
    expect([status, refusal.errors?.[0]?.name]).to.deep.equal([400, '/organization'])
    const { status: none, body: said } = await org.send(
      'POST',
      `/cloud-accounts/${(await list())[0].id}/organization/sync`,
    )
    expect([none, said.code]).to.deep.equal([422, 'no_organization'])
  })
})
