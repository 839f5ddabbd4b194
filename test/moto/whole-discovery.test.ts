// tier: deep
/** What is found of an account of AWS, to the reports and the analysts, and what stays when a part of it could not be seen. */
import { expect } from 'chai'
import { amount } from '#test/harness/tier.ts'
import { askAt, basic } from '#test/harness/door.ts'
import { describeMoto } from '#test/harness/moto.ts'
import { until } from '#test/harness/product.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { owning } from './account.ts'
import { connected, type Connected } from './connected.ts'
import { denied } from './refusing.ts'

const counts = {
  'eu-west-1': amount(80, 80, 400),
  'us-east-1': amount(70, 70, 350),
  'us-west-2': amount(50, 50, 250),
} as const
const machinesMade = Object.values(counts).reduce((sum, one) => sum + one)
const regions = Object.keys(counts) as (keyof typeof counts)[]

describeMoto('an account of AWS in the inventory', (moto) => {
  let org: Connected
  after(() => org.end())

  const run = (region: string, count: number): Promise<string[]> =>
    owning(moto(), async (s) => {
      const Tags = [{ Key: 'team', Value: `shop-${region}` }]
      const order = { ImageId: 'ami-12c6146b', InstanceType: 't3.micro' as const, MinCount: count, MaxCount: count }
      const TagSpecifications = [{ ResourceType: 'instance' as const, Tags }]
      const { Instances = [] } = await s.ask(
        'ec2',
        region,
        (m) => new m.RunInstancesCommand({ ...order, TagSpecifications }),
      )
      return Instances.map(({ InstanceId }) => InstanceId!)
    })
  const terminate = (region: string, InstanceIds: string[]) =>
    owning(moto(), (s) => s.ask('ec2', region, (m) => new m.TerminateInstancesCommand({ InstanceIds })))
  const count = async () => (await org.data('/resources/count?type=aws-ec2')).count as number
  const machines = async () => (await org.resources('&type=aws-ec2')).map(({ uid }) => uid as string)

  it(`is ${machinesMade} machines of three regions with their tags, for analysts too, less those that a second scan misses`, async () => {
    const there = new Map<string, string[]>()
    for (const region of regions) there.set(region, await run(region, counts[region]))
    org = await connected(moto(), { regions })
    const all = [...there.values()].flat()
    await until('all machines', async () => (await count()) === machinesMade)
    expect((await machines()).toSorted()).to.deep.equal(all.toSorted())
    const found = await org.resources('&type=aws-ec2')
    expect(found.filter(({ tags, region }) => tags.team !== `shop-${region}`)).to.deep.equal([])
    expect((await org.account()).message).to.equal(undefined)

    const gone = regions.flatMap((region) => there.get(region)!.slice(0, 10))
    for (const region of regions) await terminate(region, there.get(region)!.slice(0, 10))
    expect((await org.scan()).status).to.equal('completed')
    await until('what is left', async () => (await count()) === machinesMade - 30)
    expect((await machines()).toSorted()).to.deep.equal(all.filter((uid) => !gone.includes(uid)).toSorted())

    const headers = basic(await org.tokenFor('viewer', 'analyst'))
    const ask = async (body: string) => (await askAt(org.analystsUrl, { body, headers })).text()
    expect(
      await ask(`SELECT region, tags['team'], count(), countIf(deleted_at IS NOT NULL) FROM resources
                 WHERE type = 'aws-ec2' GROUP BY ALL ORDER BY region`),
    ).to.equal(regions.map((region) => `${region}\tshop-${region}\t${counts[region]}\t10\n`).join(''))
    const told = await ask(`SELECT resource_uid FROM resources WHERE type = 'aws-ec2' AND deleted_at IS NOT NULL`)
    expect(told.trim().split('\n').toSorted()).to.deep.equal(gone.toSorted())
  })
})

describeMoto('an account of AWS of which a part could not be seen', (moto) => {
  let org: Connected
  const regions = ['us-east-1', 'us-west-2']
  const there = async () =>
    (await org.resources()).flatMap(({ type, region, name }) =>
      type === 'aws-log-group' || type === 'aws-dynamodb-table' ? `${region} ${name}` : [],
    )
  const named = (...names: string[]) => regions.flatMap((region) => names.map((name) => `${region} ${name}`)).toSorted()
  const inEach = (work: (s: AwsSession, region: string) => Promise<unknown>) =>
    owning(moto(), async (s) => {
      for (const region of regions) await work(s, region)
    })
  const drop = (logGroupName: string) =>
    inEach((s, region) => s.ask('cloudwatch-logs', region, (m) => new m.DeleteLogGroupCommand({ logGroupName })))
  const become = (...expected: string[]) =>
    until(`${expected.join(', ')} and nothing else`, async () => {
      const found = (await there()).toSorted()
      return JSON.stringify(found) === JSON.stringify(expected.toSorted())
    })

  before(async () => {
    await inEach(async (s, region) => {
      for (const logGroupName of ['/a', '/b', '/c'])
        await s.ask('cloudwatch-logs', region, (m) => new m.CreateLogGroupCommand({ logGroupName }))
      const order = {
        TableName: 'carts',
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' as const }],
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' as const }],
        BillingMode: 'PAY_PER_REQUEST' as const,
      }
      await s.ask('dynamodb', region, (m) => new m.CreateTableCommand(order))
    })
    org = await connected(moto(), { regions })
    await become(...named('/a', '/b', '/c', 'carts'))
  })
  afterEach(() => void (org.door.rule = () => undefined))
  after(() => org.end())

  it('is asked for its role once in all of its first check, scan and bills', async () => {
    const asked = (name: string) => org.door.asked.filter(({ action }) => action === name).length
    await until('the bills of thirteen months', async () => asked('GetCostAndUsage') >= 13)
    expect(asked('AssumeRole')).to.equal(1)
  })

  it('loses nothing in a region that is down, and says which', async () => {
    await drop('/a')
    org.door.rule = ({ region }) => (region === 'us-west-2' ? { status: 503, code: 'ServiceUnavailable' } : undefined)
    expect((await org.scan()).status).to.equal('completed')
    await become(...named('/b', '/c', 'carts'), 'us-west-2 /a')
    const { message, status } = await org.account()
    expect(message).to.match(/could not be discovered in us-west-2: Refused by the test\. /)
    expect(message).to.not.match(/us-east-1/)
    expect(status).to.equal('connected')
  })

  it('loses nothing of what it may not look at any more, and says which permission that is until it is verified with it', async () => {
    await drop('/b')
    await inEach((s, region) => s.ask('dynamodb', region, (m) => new m.DeleteTableCommand({ TableName: 'carts' })))
    org.door.rule = ({ action }) => (action === 'DescribeLogGroups' ? denied : undefined)
    await org.scan()
    await become(...named('/b', '/c'), 'us-west-2 /a')
    expect(await org.account()).to.deep.include({
      status: 'degraded',
      missingPermissions: ['logs:DescribeLogGroups'],
      message:
        'CloudWatch log group could not be discovered in us-east-1, us-west-2: the role is missing the permission logs:DescribeLogGroups.',
    })

    org.door.rule = () => undefined
    await org.scan()
    await become(...named('/c'))
    await org.done('POST', `/cloud-accounts/${org.accountId}/verify`)
    await until('its permissions', async () => (await org.account()).missingPermissions.length === 0)
    expect(await org.account()).to.include({ status: 'connected' })
  })

  it('loses nothing when the role is taken away in the middle of a scan, and is in error until a scan is let in again', async () => {
    await drop('/c')
    const begun = org.door.asked.length
    org.door.rule = () =>
      org.door.asked.length > begun + 12 ? { status: 403, code: 'InvalidClientTokenId' } : undefined
    expect((await org.scan()).status).to.equal('failed')
    await until('the error', async () => (await org.account()).status === 'error')
    expect((await org.account()).message).to.match(/Refused by the test\. Check the role and its trust policy/)
    expect((await there()).toSorted()).to.deep.equal(named('/c'))

    org.door.rule = () => undefined
    await org.scan()
    await until('it is well', async () => (await org.account()).status === 'connected')
    expect(await org.account()).to.deep.include({ permissionVerdict: 'read_write', missingPermissions: [] })
    await become()
  })
})
