import { expect } from 'chai'
import { commanded, rowsOf, tidemark } from '#test/harness/command.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { made, policyFor, reach } from '#test/harness/readiness.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

describe('commands of readiness plans, beside a running product', () => {
  let f: Fleet
  let of: string[]
  before(async () => {
    f = await fleet()
    of = ['--org', f.orgId]
  })
  after(() => f.end())
  const run = (name: string, ...args: string[]): Promise<any> => tidemark('plan', name, ...of, ...args)
  const exitCode = (...args: string[]): Promise<number> =>
    commanded('plan', ...args).then(
      () => 0,
      (error: { code: number }) => error.code,
    )

  it('list, check, schedule and cancel one, and say what happened', async () => {
    if (isDeep) expect((await commanded('plan', 'list', ...of)).stdout).to.equal('No plans.\n')
    const id = await made(f, [await policyFor(f, 'asg-1')])
    const cells = (status: string) => [
      [id, 'Black Friday', status, '2030-11-29T14:00:00.000Z', '2030-11-29T18:00:00.000Z', '1'],
    ]
    expect(rowsOf((await commanded('plan', 'list', ...of)).stdout)).to.deep.equal(cells('draft'))
    if (isDeep)
      expect((await run('check', '--id', id)).checks.map(({ name }: any) => name)).to.deep.equal([
        'capacity',
        'credentials',
        'executor_queue',
      ])
    const asked = (await commanded('plan', 'schedule', ...of, '--id', id)).stdout
    expect(asked).to.equal('The plan is being scheduled.\n')
    await reach(f, id, 'scheduled')
    if (isDeep) expect((await run('list', '--status', 'scheduled')).map((one: any) => one.id)).to.deep.equal([id])
    expect(rowsOf((await commanded('plan', 'cancel', ...of, '--id', id)).stdout)).to.deep.equal(cells('cancelled'))
    const log = rowsOf((await commanded('plan', 'log', ...of, '--id', id)).stdout).map(([, ...cells]) => cells)
    expect(log[0]).to.deep.equal(['draft > scheduling', '-', 'operator', 'Scheduled.'])
    expect(log).to.deep.include(['scheduled > cancelled', '-', 'operator', 'Cancelled.'])
  })

  deepIt('refuse what the API refuses, and what was mistyped', async () => {
    const id = await made(f, [await policyFor(f, 'asg-2')])
    await run('cancel', '--id', id)
    expect(await exitCode('cancel', ...of, '--id', id)).to.equal(1)
    expect(await exitCode('log', ...of)).to.equal(2)
    expect(await exitCode('list', ...of, '--status', 'ready')).to.equal(2)
    expect(await exitCode('list', ...of, '--limit', '0')).to.equal(2)
  })
})
