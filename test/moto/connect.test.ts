// tier: deep
import { expect } from 'chai'
import { systemClock } from '#engine/clock.ts'
import { awsCloud } from '#streams/cloud/aws/connector.ts'
import { describeMoto, type Moto } from '#test/harness/moto.ts'
import { ownClouds, tenant, until, type Tenant } from '#test/harness/product.ts'

describeMoto('an account of AWS, connected', (moto: () => Moto) => {
  let org: Tenant
  let externalID: string
  const number = '123456789012'
  const roleARN = `arn:aws:iam::${number}:role/tidemark`

  beforeEach(async () => {
    await moto().reset()
    org = await tenant()
    ownClouds.set(number, awsCloud({ ...moto().options, clock: systemClock, allowPrivate: true }))
    externalID = (await org.get('/cloud-accounts/external-id')).body.data.externalID
  })
  afterEach(() => ownClouds.clear())

  const connect = (credentials: object, external = number) =>
    org.send('POST', '/cloud-accounts', {
      name: 'Production',
      provider: 'aws',
      externalID: external,
      credentials,
      regions: ['eu-west-1'],
    })

  it('says that it is asked as it is, and what it is good for, by one role under the external id of the organization', async () => {
    expect(externalID).to.match(/^tidemark-[0-9a-f]{32}$/)
    const { status, body } = await connect({ roleARN, externalID })
    expect([status, body.data.driver]).to.deep.equal([201, 'real'])
    expect(body.data.status, body.data.message).to.be.oneOf(['connected', 'degraded'])
    expect(JSON.stringify(body)).to.not.contain(externalID)
    await until(
      'the first scan',
      async () => (await org.get(`/cloud-accounts/${body.data.id}`)).body.data.lastSyncedAt !== null,
    )
  })

  it('is refused with a role of another account, and with the external id of another organization', async () => {
    const other = (await (await tenant()).get('/cloud-accounts/external-id')).body.data.externalID
    expect(other).to.not.equal(externalID)
    for (const [credentials, name] of [
      [{ roleARN: 'arn:aws:iam::999999999999:role/tidemark', externalID }, '/credentials/roleARN'],
      [{ roleARN: 'arn:aws:iam::123456789012:user/ana', externalID }, '/credentials/roleARN'],
      [{ roleARN, externalID: other }, '/credentials/externalID'],
      [{ roleARN, externalID: 'x' }, '/credentials/externalID'],
    ] as const) {
      const { status, body } = await connect(credentials)
      expect([status, body.errors.map((e: any) => e.name)], JSON.stringify(credentials)).to.deep.equal([400, [name]])
    }
  })

  it('takes kubeconfigs of a server, its certificates and a token, and refuses by their names whatever else may stand there', async () => {
    const cluster = 'arn:aws:eks:eu-west-1:123456789012:cluster/shop'
    const config = (user: string, server = 'https://203.0.113.7') => `{apiVersion: v1, kind: Config, current-context: a,
      contexts: [{name: a, context: {cluster: a, user: a}}], clusters: [{name: a, cluster: {server: '${server}'}}],
      users: [{name: a, user: ${user}}]}`
    const given = (text: string) => connect({ roleARN, externalID, kubeconfigs: { [cluster]: text } })
    for (const [text, member] of [
      [config('{exec: {command: /bin/sh}}'), '/users/0/user/exec'],
      [config('{tokenFile: /etc/passwd}'), '/users/0/user/tokenFile'],
      [config('{auth-provider: {name: oidc}}'), '/users/0/user/auth-provider'],
    ] as const) {
      const { status, body } = await given(text)
      const [{ name, message }] = body.errors
      expect([status, name], text).to.deep.equal([
        400,
        '/credentials/kubeconfigs/arn:aws:eks:eu-west-1:123456789012:cluster~1shop',
      ])
      expect(message).to.contain(member)
    }
    expect((await given(config('{token: abc}'))).status).to.equal(201)
  })

  it('is refused with regions that are none, and with bills that are not in S3', async () => {
    const body = { name: 'x', provider: 'aws', externalID: number, credentials: { roleARN, externalID } }
    for (const [more, name] of [
      [{ regions: ['../../etc'] }, '/regions/0'],
      [{ regions: ['eu-west-1', 'a b'] }, '/regions/1'],
      [{ billingExport: { kind: 'focus', location: 'file:///etc/passwd' } }, '/billingExport/location'],
      [{ billingExport: { kind: 'focus', location: 'http://169.254.169.254/latest' } }, '/billingExport/location'],
      [{ billingExport: { kind: 'focus', location: 's3://../../x' } }, '/billingExport/location'],
    ] as const) {
      const answer = await org.send('POST', '/cloud-accounts', { ...body, ...more })
      expect([answer.status, answer.body.errors?.[0]?.name], JSON.stringify(more)).to.deep.equal([400, name])
    }
  })

  it('is checked permission by permission, each with what is lost and what to add', async () => {
    const { id } = (await connect({ roleARN, externalID })).body.data
    const { status, body } = await org.send('POST', `/cloud-accounts/${id}/check`)
    expect(status).to.equal(200)
    const regions = body.data.permissions.find(({ name }: any) => name === 'ec2:DescribeInstances')
    expect(regions).to.deep.include({
      access: 'read',
      lost: ['discovery: discover aws-ec2', 'discovery: discover aws-ami'],
      statement: { Effect: 'Allow', Action: 'ec2:DescribeInstances', Resource: '*' },
    })
    expect((await org.send('POST', '/cloud-accounts/none/check')).status).to.equal(404)
  })

  it('has a guide: a trust policy that demands the external id, and the least privileges to look, or to act', async () => {
    const guide = async (query: string) => (await org.get(`/cloud-accounts/guide?provider=aws${query}`)).body.data
    const [looks, acts] = [await guide(''), await guide('&write=true&billing_bucket=my-bills')]
    expect(looks.trustPolicy.Statement[0].Condition).to.deep.equal({ StringEquals: { 'sts:ExternalId': externalID } })
    const actions = ({ permissionPolicy }: any): string[] =>
      permissionPolicy.Statement.flatMap((one: any) => one.Action)
    const changing = actions(looks).filter(
      (one) => !/:(Describe|List|LookupEvents|Get|GET|Simulate|View|GenerateCredentialReport|BatchGet)/.test(one),
    )
    expect(changing).to.deep.equal([])
    // With writes, `ec2:Describe*` stands for several.
    const allowed = actions(acts)
    const isAllowed = (name: string) =>
      allowed.some((one) => one === name || (one.endsWith('*') && name.startsWith(one.slice(0, -1))))
    expect([...actions(looks), 'ec2:StopInstances'].filter((name) => !isAllowed(name))).to.deep.equal([])
    expect(JSON.stringify(acts.permissionPolicy)).to.contain('arn:aws:s3:::my-bills/*')
    expect(acts.commands).to.have.length(3)
    expect((await org.get('/cloud-accounts/guide?provider=aws&billing_bucket=NO')).status).to.equal(400)
  })
})
