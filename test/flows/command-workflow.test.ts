import { expect } from 'chai'
import { commanded, rowsOf, tidemark } from '#test/harness/command.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { until } from '#test/harness/product.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'
import { orphanOf } from '#test/harness/workflow.ts'

const approval = 'delete/approve/1'

describe('commands of workflows, beside a running product', () => {
  let f: Fleet
  let of: string[]
  let count = 0
  before(async () => {
    f = await fleet()
    of = ['--org', f.orgId]
  })
  after(() => f.end())
  const recommendation = () =>
    orphanOf({ accessToken: f.token, orgId: f.orgId }, f.accountId, `vol-${++count}-${f.orgId}`)
  const run = (name: string, ...args: string[]): Promise<any> => tidemark('workflow', name, ...of, ...args)
  const exitCode = (...args: string[]): Promise<number> =>
    commanded('workflow', ...args).then(
      () => 0,
      (error: { code: number }) => error.code,
    )

  it('begin one, list it and what waits, show it, and reject it', async () => {
    const begun = await run('start', '--id', await recommendation())
    expect([begun.status, begun.currentStep, begun.createdBy]).to.deep.equal(['awaiting_user', 'approval', 'operator'])
    const { id, title } = begun
    const line = `${id}  awaiting_user (approval)  delete  ${title}`
    const cells = [id, 'awaiting_user', 'approval', 'delete', title, '-']
    expect(rowsOf((await commanded('workflow', 'list', ...of)).stdout)).to.deep.equal([cells])
    if (isDeep) expect(await run('list', '--status', 'succeeded')).to.deep.equal([])
    const [pending, ...others] = await run('pending')
    expect(others).to.deep.equal([])
    const { savingsUsd, expiresAt, operation } = pending
    expect(rowsOf((await commanded('workflow', 'pending', ...of)).stdout)).to.deep.equal([
      [id, approval, '0 of 1', expiresAt, savingsUsd.toFixed(2), operation],
    ])
    const shown = (await commanded('workflow', 'show', ...of, '--id', id)).stdout.split('\n')
    expect(shown.slice(0, 2)).to.deep.equal([line, pending.operation])
    expect(shown).to.include.members([`awaiting_user  ${approval}`, 'pending  delete/execute/1'])
    expect(shown.at(-2)).to.match(/Z {2}approval created by system$/)
    const rejected = await run('reject', '--id', id, '--reason', 'Needed.')
    expect([rejected.status, rejected.audit.at(-1).reason]).to.deep.equal(['cancelled', 'Needed.'])
    if (isDeep) {
      expect((await commanded('workflow', 'pending', ...of)).stdout).to.equal('No steps are waiting for approval.\n')
      expect(await exitCode('approve', ...of, '--id', id)).to.equal(1)
    }
    const events = (await (await f.signedIn()).get('/security-events?type=workflow_started,workflow_rejected')).body
      .data
    expect(events.items.map((one: any) => [one.type, one.principal])).to.deep.equal([
      ['workflow_rejected', 'operator'],
      ['workflow_started', 'operator'],
    ])
  })

  deepIt('approve one, which goes on, and cancel another', async () => {
    const { id } = await run('start', '--id', await recommendation())
    await run('approve', '--id', id, '--step', approval)
    const over = async () => (await run('show', '--id', id)).status
    await until('the end', async () => ['succeeded', 'failed'].includes(await over()))
    expect(await over()).to.equal('succeeded')
    const { id: other } = await run('start', '--id', await recommendation())
    expect((await run('cancel', '--id', other, '--reason', 'Not now.')).reason).to.equal('Not now.')
    expect(await exitCode('cancel', ...of, '--id', other)).to.equal(1)
  })?.timeout(240_000)

  it('refuse what is no status, no count and no id before anything is opened', async () => {
    for (const args of [
      ['list', ...of, '--status', 'open'],
      ['list', ...of, '--limit', '0'],
      ['pending', ...of, '--limit', '101'],
      ['show', ...of],
      ['approve', '--id', 'x'],
    ])
      expect(await exitCode(...args), args.join(' ')).to.equal(2)
    expect(await exitCode('show', ...of, '--id', 'none')).to.equal(1)
  })
})
