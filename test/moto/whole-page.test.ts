// tier: deep
/** A list of AWS that breaks off in the middle of its pages, as the inventory and whoever reads it has it. */
import { expect } from 'chai'
import { describeMoto } from '#test/harness/moto.ts'
import { until } from '#test/harness/product.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { owning, region } from './account.ts'
import { connected, type Connected } from './connected.ts'

/** AWS lists fifty log groups a page: seven pages. */
const pageSize = 50
const all = Array.from({ length: 7 * pageSize }, (_, n) => `/shop/${String(n).padStart(3, '0')}`)

describeMoto('a list of AWS whose third page of seven fails', (moto) => {
  let org: Connected
  const groups = (names: readonly string[], work: (s: AwsSession, name: string) => Promise<unknown>) =>
    owning(moto(), async (s) => {
      for (const name of names) await work(s, name)
    })
  const make = (...names: string[]) =>
    groups(names, (s, logGroupName) =>
      s.ask('cloudwatch-logs', region, (m) => new m.CreateLogGroupCommand({ logGroupName })),
    )
  const drop = (...names: string[]) =>
    groups(names, (s, logGroupName) =>
      s.ask('cloudwatch-logs', region, (m) => new m.DeleteLogGroupCommand({ logGroupName })),
    )
  const tables = (work: (s: AwsSession) => Promise<unknown>) => owning(moto(), work)
  const names = async (type: string) => (await org.resources(`&type=${type}`)).map(({ name }) => name as string)
  const become = async (expected: readonly string[]) => {
    await until(`${expected.length} log groups`, async () => (await names('aws-log-group')).length === expected.length)
    expect((await names('aws-log-group')).toSorted()).to.deep.equal(expected.toSorted())
  }
  const listed = (from: number) => org.door.asked.slice(from).filter(({ action }) => action === 'DescribeLogGroups')

  before(async () => {
    await make(...all)
    await tables((s) =>
      s.ask(
        'dynamodb',
        region,
        (m) =>
          new m.CreateTableCommand({
            TableName: 'carts',
            KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
            AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
            BillingMode: 'PAY_PER_REQUEST',
          }),
      ),
    )
    org = await connected(moto(), { regions: [region] })
    await become(all)
    expect(listed(0).length, 'seven pages, and the question of its check').to.equal(8)
  })
  after(() => org.end())

  it('deletes nothing, shows what is new on the pages before it, and says what was not seen; the next whole scan deletes what is gone', async () => {
    const gone = [all[60]!, all[260]!]
    await drop(...gone)
    await make('/new')
    await tables((s) => s.ask('dynamodb', region, (m) => new m.DeleteTableCommand({ TableName: 'carts' })))
    const from = org.door.asked.length
    org.door.rule = ({ action }) =>
      action === 'DescribeLogGroups' && listed(from).length >= 3 ? { status: 500, code: 'InternalFailure' } : undefined
    expect((await org.scan()).status).to.equal('completed')
    await become([...all, '/new'])
    await until(
      'the table is gone, for it was seen to be',
      async () => (await names('aws-dynamodb-table')).length === 0,
    )
    const { status, message, missingPermissions } = await org.account()
    expect([status, message, missingPermissions]).to.deep.equal([
      'connected',
      `CloudWatch log group could not be discovered in ${region}: cloudwatch-logs DescribeLogGroups: Refused by the test.`,
      [],
    ])

    org.door.rule = () => undefined
    expect((await org.scan()).status).to.equal('completed')
    await become([...all.filter((name) => !gone.includes(name)), '/new'])
    expect((await org.account()).message).to.equal(undefined)
  })
})
