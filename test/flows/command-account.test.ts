import { expect } from 'chai'
import { accountCommands } from '#config/command/cost/account.ts'
import { UsageError } from '#config/command/line/command.ts'
import { commanded, rowsOf, tidemark } from '#test/harness/command.ts'
import { describeMoto, type Moto } from '#test/harness/moto.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { deepDescribe, isDeep } from '#test/harness/tier.ts'

const number = '123456789012'
const roleARN = `arn:aws:iam::${number}:role/tidemark`

/** The commands ask AWS as these say, whoever runs the tests. */
const asked = [
  'CLOUD_DRIVER',
  'AWS_ENDPOINT',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_EC2_METADATA_DISABLED',
]

describe('commands of cloud accounts', () => {
  const wrong: [name: string, positionals: string[], values: Record<string, string>, why: RegExp][] = [
    ['account list', [], {}, /--org/],
    ['account policy', ['oci'], { org: 'o1' }, /^Cloud must be one of aws, gcp, azure, kubernetes, got oci\./],
    ['account policy', [], { org: 'o1' }, /^Cloud must be one of aws, gcp, azure, kubernetes\./],
    ['account policy', ['aws'], {}, /--org/],
    ['account connect', ['aws'], { org: 'o1' }, /--role-arn/],
    ['account connect', ['gcp'], { org: 'o1' }, /--key/],
    ['account connect', ['gcp'], { org: 'o1', key: '/nothing/here.json' }, /Cannot read --key .*here\.json/],
    [
      'account connect',
      ['aws'],
      { org: 'o1', 'role-arn': 'arn:aws:iam::123456789012:user/ana' },
      /must look like arn:aws:iam::123456789012:role\/tidemark/,
    ],
    ['account connect', ['kubernetes'], { org: 'o1' }, /--cluster/],
    ['account connect', ['kubernetes'], { org: 'o1', cluster: 'rack' }, /^Give either --kubeconfig or --in-cluster\./],
    [
      'account connect',
      ['kubernetes'],
      { org: 'o1', cluster: 'rack', kubeconfig: '/nothing/here.yaml' },
      /Cannot read --kubeconfig .*here\.yaml/,
    ],
    ['account check', [], { org: 'o1' }, /ID/],
  ]
  for (const [name, positionals, values, why] of wrong)
    it(`refuse ${[name, ...positionals, ...Object.keys(values)].join(' ')} before anything is opened`, async () => {
      const command = accountCommands.find((one) => one.name === name)!
      const refused = await command.run({ positionals, values } as never).catch((error: unknown) => error)
      expect(refused).to.be.instanceOf(UsageError)
      expect((refused as Error).message).to.match(why)
    })
})

describe('commands of cloud accounts, beside a running product', function () {
  // Each starts a process.
  this.timeout(180_000)
  let org: Tenant
  let of: string[]
  const given = new Map(asked.map((name) => [name, process.env[name]]))
  const put = (values: Record<string, string | undefined>) => {
    for (const [name, value] of Object.entries(values))
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  }
  beforeEach(async () => {
    put({ ...Object.fromEntries(asked.map((name) => [name, undefined])), AWS_EC2_METADATA_DISABLED: 'true' })
    org = await tenant()
    of = ['--org', org.orgId]
  })
  afterEach(() => put(Object.fromEntries(given)))

  const said = async (...args: string[]) => (await commanded(...args)).stdout
  const failed = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
    commanded(...args).then(
      () => expect.fail('it succeeded'),
      (error) => error,
    )
  const connect = (...more: string[]) => ['account', 'connect', 'aws', ...of, '--role-arn', roleARN, ...more]

  it('print the policies that the API tells, with what acting asks and the bucket of the bill where they are wanted', async () => {
    const guide = async (query: string) => (await org.get(`/cloud-accounts/guide${query}`)).body.data
    if (isDeep) expect(await tidemark('account', 'policy', 'aws', ...of)).to.deep.equal(await guide(''))
    const all = await guide('?write=true&billing_bucket=my-bills')
    const text = await said('account', 'policy', 'aws', ...of, '--write', '--bucket', 'my-bills')
    expect(text.split('\n')).to.deep.equal([
      'Tidemark has no AWS credentials here. Replace arn:aws:iam::ACCOUNT-OF-TIDEMARK:root with the ARN of the identity it runs as.',
      '',
      'Trust policy of the role:',
      ...JSON.stringify(all.trustPolicy, null, 2).split('\n'),
      '',
      'Permission policy of the role:',
      ...JSON.stringify(all.permissionPolicy, null, 2).split('\n'),
      '',
      'AWS CLI commands, signed in to the account:',
      ...all.commands,
      '',
    ])
  })

  it('print the role of clusters as kubectl applies it, to look, or to act too', async () => {
    const { clusterRole, clusterCommands } = (await org.get('/cloud-accounts/guide?write=true')).body.data
    const text = await said('account', 'policy', 'kubernetes', ...of, '--write')
    expect(text.startsWith(clusterRole)).to.equal(true)
    const more = text.slice(clusterRole.length).trimEnd().split('\n')
    expect(more.slice(1)).to.deep.equal(clusterCommands.map((one: string) => `#   ${one}`))
    expect(text).to.include("'patch'")
    if (!isDeep) return
    const looks = await said('account', 'policy', 'kubernetes', ...of)
    expect(looks).to.not.include("'patch'")
  })

  it('connect an account by its role alone, list it, and check it', async () => {
    if (isDeep) expect(await said('account', 'list', ...of)).to.equal('No cloud accounts are connected.\n')
    const more = ['--regions', 'eu-west-1, us-east-1', '--billing', 's3://my-bills/exports']
    const { id, ...made } = await tidemark(...connect(...more))
    expect(made).to.deep.include({
      name: `AWS ${number}`,
      provider: 'aws',
      externalID: number,
      driver: 'simulated',
      status: 'connected',
      regions: ['eu-west-1', 'us-east-1'],
      billingExport: { kind: 'focus', location: 's3://my-bills/exports' },
    })
    // The last column is its message.
    const rows = rowsOf(await said('account', 'list', ...of)).map((cells) => cells.slice(0, 7))
    expect(rows).to.deep.equal([[id, `AWS ${number}`, 'aws', number, 'simulated', 'connected', 'read_write']])
    expect((await org.get(`/cloud-accounts/${id}`)).body.data).to.deep.include({ id, name: `AWS ${number}` })
    const message = 'This simulated cloud has no such account. Its resources and costs are sent by producers.'
    expect(await said('account', 'check', id, ...of)).to.equal(`read_write: ${message}\n`)
    if (!isDeep) return
    const check = await tidemark('account', 'check', id, ...of)
    expect(check).to.deep.equal({ cloudAccountID: id, verdict: 'read_write', message, permissions: [] })
  })

  it('end with 1 where the role cannot be assumed, and say what to do', async () => {
    put({ CLOUD_DRIVER: 'real' })
    const { code, stdout } = await failed(...connect('--name', 'Production'))
    expect(code).to.equal(1)
    const [row] = rowsOf(stdout)
    expect(row?.slice(1, 7)).to.deep.equal(['Production', 'aws', '123456789012', 'real', 'error', 'none'])
    expect(stdout).to.contain('AWS_ACCESS_KEY_ID')
    if (!isDeep) return
    const id = row?.[0]
    const again = await failed('account', 'check', id!, ...of)
    expect([again.code, again.stdout.startsWith('none: ')]).to.deep.equal([1, true])
    expect(again.stdout).to.contain('AWS_ACCESS_KEY_ID')
  })

  it('refuse a bucket that cannot be, and an account there is not', async () => {
    expect((await failed('account', 'policy', 'aws', ...of, '--bucket', 'NO')).code).to.equal(1)
    if (isDeep) expect((await failed('account', 'check', 'none', ...of)).code).to.equal(1)
  })

  deepDescribe('beside moto', () =>
    describeMoto('at a stand-in of AWS', (moto: () => Moto) => {
      it('name who assumes the role, and count the permissions it has', async () => {
        await moto().reset()
        put({
          CLOUD_DRIVER: 'real',
          AWS_ENDPOINT: moto().url,
          AWS_ACCESS_KEY_ID: 'test',
          AWS_SECRET_ACCESS_KEY: 'test',
        })
        const guide = await tidemark('account', 'policy', 'aws', ...of)
        expect(guide.principal).to.match(/^arn:aws:(iam|sts)::123456789012:/)
        expect(guide.drivers).to.deep.equal({ aws: 'real', gcp: 'real', azure: 'real' })
        expect(guide.trustPolicy.Statement[0].Principal).to.deep.equal({ AWS: guide.principal })
        expect(await said('account', 'policy', 'aws', ...of)).to.not.contain('Put the ARN')
        const { id, driver } = await tidemark(...connect('--regions', 'eu-west-1'))
        expect(driver).to.equal('real')
        const lines = await commanded('account', 'check', id, ...of).catch((error) => error)
        expect(lines.stdout).to.match(/^\d+ of \d+ permissions granted$/m)
      })
    }),
  )
})
