import { expect } from 'chai'
import { commanded, rowsOf, tidemark } from '#test/harness/command.ts'
import { doneSteps, plantedProvisionings, plantedSpaces } from '#test/harness/catalog-edge.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { isDeep } from '#test/harness/tier.ts'

describe('commands of spaces and provisioning, beside a running product', () => {
  let org: Tenant
  let of: string[]
  before(async () => {
    org = await tenant()
    of = ['--org', org.orgId]
  })
  const said = async (...args: string[]) => (await commanded(...args)).stdout
  const exitCode = (...args: string[]): Promise<number> =>
    commanded(...args).then(
      () => 0,
      (error: { code: number }) => error.code,
    )

  it('list spaces and jobs, and show one with what went wrong and where to mend it', async () => {
    if (isDeep) {
      expect(await said('space', 'list', ...of)).to.equal('No spaces.\n')
      expect(await said('provisioning', 'list', ...of)).to.equal('No provisioning jobs.\n')
    }
    const [space] = (await plantedSpaces(org, {})) as [string]
    expect(rowsOf(await said('space', 'list', ...of))).to.deep.equal([
      [space, 'Production', 'active', 'aws', 'us-east-1', 'acct-1', '-'],
    ])
    const error = {
      bucket: 'user_action',
      message: 'The quota is used up.',
      retryable: false,
      fixHint: 'Ask for more.',
      consoleUrl: 'https://console.example.com/quotas',
      stepName: 'create',
    }
    const steps = [
      doneSteps('registry')[0]!,
      { id: 'create', name: 'create', status: 'failed', attempts: 2, error },
      { id: 'verify', name: 'verify', status: 'pending', attempts: 0 },
    ]
    const failed = { kind: 'registry', name: 'images', phase: 'failed', current_step: 'create', steps, error } as const
    const [id, other] = (await plantedProvisionings(
      org,
      { ...failed, space_id: space, steps: [...steps], created_at: '2030-01-08T00:00:00.000Z' },
      { space_id: 'else' },
    )) as [string, string]
    const line = `${id}  failed (create)  registry  images`
    const cells = [id, 'images', 'registry', 'failed', 'create', '-']
    expect(rowsOf(await said('provisioning', 'list', ...of))).to.deep.equal([
      cells,
      [other, 'orders', 'datastore', 'ready', '-', '-'],
    ])
    if (isDeep) expect(rowsOf(await said('provisioning', 'list', ...of, '--space', space))).to.deep.equal([cells])
    const listed: any = await tidemark('provisioning', 'list', ...of, '--kind', 'registry', '--phase', 'failed')
    expect(listed.map((one: any) => one.id)).to.deep.equal([id])
    expect((await said('provisioning', 'show', ...of, '--id', id)).split('\n')).to.deep.equal([
      line,
      'succeeded  validate',
      'failed  create  2 attempts',
      'pending  verify',
      'create failed (user_action): The quota is used up.',
      'Ask for more.',
      'https://console.example.com/quotas',
      '',
    ])
  })

  it('refuse what was mistyped, and what there is not', async () => {
    expect(await exitCode('provisioning', 'show', ...of)).to.equal(2)
    expect(await exitCode('provisioning', 'list', ...of, '--phase', 'done')).to.equal(2)
    expect(await exitCode('space', 'list', ...of, '--limit', '0')).to.equal(2)
    expect(await exitCode('provisioning', 'delete', ...of, '--id', 'none')).to.equal(1)
  })
})
