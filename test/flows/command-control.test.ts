import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { askerOf } from '#config/command/line/engine.ts'
import type { Instance } from '#config/product/instance.ts'
import { assembleProduct } from '#config/product/open-instance.ts'
import { commanded, tidemark } from '#test/harness/command.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

/** What a command that ends with a code of its own has printed by `--json`, and the code. */
const failed = (...args: string[]): Promise<[number, any]> =>
  tidemark(...args).then(
    () => expect.fail('it succeeded'),
    (error: { code: number; stdout: string }) => [error.code, JSON.parse(error.stdout)],
  )

describe('commands of actions and schedules, beside a running product', () => {
  let f: Fleet
  let of: string[]
  before(async () => {
    f = await fleet()
    of = ['--org', f.orgId]
  })
  after(() => f.end())
  const operators = async (type: string) =>
    ((await f.get(`/security-events?type=${type}`)).body.data.items as any[])
      .filter(({ principal }) => principal === 'operator')
      .map(({ detail }) => detail)

  it('stop a resource, wait for the end, and list what was done', async () => {
    await f.discover(['i-night'])
    const {
      id,
      createdAt: _,
      startedAt: __,
      completedAt: ___,
      ...stopped
    } = await tidemark('action', 'stop', ...of, '--resource', 'i-night', '--reason', 'Nobody is there', '--wait')
    expect(stopped).to.deep.equal({
      resourceUID: 'i-night',
      provider: 'aws',
      cloudAccountID: f.accountId,
      region: 'us-east-1',
      action: 'stop',
      reason: 'Nobody is there',
      status: 'succeeded',
    })
    const [listed] = (await tidemark('action', 'list', ...of, '--resource', 'i-night')) as any[]
    expect([listed.id, listed.state, listed.changedBy, listed.executionState.status]).to.deep.equal([
      id,
      'stopped',
      'manual:operator',
      'succeeded',
    ])
    expect(f.calls()).to.deep.equal(['stop i-night'])
    const detail = { actionID: id, action: 'stop', resourceUID: 'i-night', cloudAccountID: f.accountId }
    expect(await operators('action_submitted')).to.deep.equal([detail])
  })

  deepIt('show one as it was when it ended, start a resource, and list the newest first', async () => {
    await f.discover(['i-day'])
    const { id, ...stopped } = await tidemark('action', 'stop', ...of, '--resource', 'i-day', '--wait')
    expect(await tidemark('action', 'show', ...of, '--id', id)).to.deep.equal({ id, ...stopped })
    const { stdout } = await commanded('action', 'start', ...of, '--resource', 'i-day', '--wait')
    const [started, ...told] = stdout.trimEnd().split('  ')
    expect(told).to.deep.equal(['succeeded', 'start i-day'])
    const listed = (await tidemark('action', 'list', ...of, '--resource', 'i-day')) as any[]
    expect(listed.map((one) => [one.id, one.state])).to.deep.equal([
      [started, 'running'],
      [id, 'stopped'],
    ])
  })

  it('end with 1 where the action failed, saying why, and where there is nothing to start', async () => {
    await f.discover(['i-full'], 'stopped')
    await f.fail([{ call: 'start', resourceUid: 'i-full', error: 'quota_exceeded' }])
    const [code, { status, errorMessage }] = await failed('action', 'start', ...of, '--resource', 'i-full', '--wait')
    expect([code, status, errorMessage]).to.deep.equal([1, 'failed', 'Simulated fault: quota_exceeded.'])
    const [, none] = await failed('action', 'start', ...of, '--resource', 'i-none')
    expect(none.error.message).to.equal('Resource i-none was not found.')
    if (!isDeep) return
    const org = randomUUID()
    const [, strange] = await failed('action', 'list', '--org', org)
    expect(strange.error.message).to.equal(
      `Organization ${org} was not found. Run "tidemark org list" to see all organizations.`,
    )
  })

  deepIt('ask for the account where several have the resource', async () => {
    await f.discover(['i-twice'])
    const other = { name: 'Other', provider: 'aws', externalID: `other-${f.orgId}` }
    const otherId = (await f.send('POST', '/cloud-accounts', other)).body.data.id as string
    await f.discover(['i-twice'], 'running', { cloudAccountId: otherId })
    const [, { error }] = await failed('action', 'stop', ...of, '--resource', 'i-twice')
    const both = [f.accountId, otherId].toSorted().join(', ')
    expect(error.message).to.equal(`Several accounts contain i-twice. Choose one with --account: ${both}`)
    const args = ['action', 'stop', ...of, '--resource', 'i-twice', '--account', otherId, '--wait']
    expect((await tidemark(...args)).cloudAccountID).to.equal(otherId)
  })

  it('make a schedule, say when it fires, pause it, let it fire again and delete it', async () => {
    const group = (await f.send('POST', '/resource-groups', { name: 'Shop' })).body.data.id as string
    const rules = ['--stop', '0 20 1 1 *', '--start', '0 7 1 1 *', '--start', '30 7 1 1 *']
    const rest = ['--resource', 'i-night', '--group', group, '--skip', '2030-12-25']
    const { id, createdAt, updatedAt, nextRunAt, ...made } = await tidemark(
      'schedule',
      'create',
      ...of,
      '--name',
      'Night',
      '--zone',
      'Europe/Berlin',
      ...rules,
      ...rest,
    )
    expect(made).to.deep.equal({
      orgID: f.orgId,
      name: 'Night',
      timezone: 'Europe/Berlin',
      rules: [
        { action: 'stop', cron: '0 20 1 1 *' },
        { action: 'start', cron: '0 7 1 1 *' },
        { action: 'start', cron: '30 7 1 1 *' },
      ],
      resourceUIDs: ['i-night'],
      resourceGroupIDs: [group],
      skipDates: ['2030-12-25'],
      enabled: true,
      lastRunAt: null,
    })
    const shown = (await f.get(`/schedules/${id}`)).body.data
    expect(shown).to.deep.equal({ id, createdAt, updatedAt, nextRunAt, ...made })
    if (isDeep) expect(await tidemark('schedule', 'list', ...of)).to.deep.equal([shown])
    const runs = (await tidemark('schedule', 'next', ...of, '--id', id, '--count', '4')) as any[]
    expect(runs[0].at).to.equal(nextRunAt)
    const times = { start: ['06:00', '06:30'], stop: ['19:00'] }
    for (const { action, at } of runs)
      expect(times[action as 'start'], at).to.include(/^\d{4}-01-01T(\d\d:\d\d):00\.000Z$/.exec(at)?.[1])
    expect(runs).to.have.length(4)

    await tidemark('schedule', 'pause', ...of, '--id', id)
    expect((await f.get(`/schedules/${id}`)).body.data.enabled).to.equal(false)
    if (isDeep)
      expect((await commanded('schedule', 'next', ...of, '--id', id)).stdout).to.equal('The schedule is paused.\n')
    expect((await tidemark('schedule', 'resume', ...of, '--id', id)).nextRunAt).to.equal(nextRunAt)
    expect(await tidemark('schedule', 'delete', ...of, '--id', id)).to.deep.equal({ id })
    if (isDeep) expect((await commanded('schedule', 'list', ...of)).stdout).to.equal('No schedules.\n')
    expect((await f.get('/schedules')).body.data.total).to.equal(0)
    const changes = ['deleted', 'changed', 'changed', 'created'].map((change) => ({ scheduleID: id, change }))
    expect(await operators('schedule_changed')).to.deep.equal(changes)
    if (!isDeep) return
    const [, { error }] = await failed('schedule', 'pause', ...of, '--id', id)
    expect(error.code).to.equal('not_found')
  })

  it('say so where no product runs that could do it', async () => {
    const instance = { ...assembleProduct(f.connections), isRunning: false } as Instance
    const message = 'Tidemark is not running. Start it with "npm start", then run this command again.'
    expect(() => askerOf(instance)).to.throw(message)
    expect(() => askerOf({ ...instance, isRunning: true })).not.to.throw()
  })

  it('make no schedule for a group there is not', async () => {
    const group = randomUUID()
    const [, { error }] = await failed(
      'schedule',
      'create',
      ...of,
      '--name',
      'x',
      '--zone',
      'UTC',
      '--stop',
      '0 20 * * *',
      '--group',
      group,
    )
    expect(error.message).to.equal(`Resource group ${group} was not found.`)
    expect((await f.get('/schedules')).body.data.total).to.equal(0)
  })
})
