import { expect } from 'chai'
import { azureCloud } from '#streams/cloud/azure/connector.ts'
import { bucketOf, type CloudAction, type Connector, type Look } from '#streams/cloud/connector.ts'
import {
  account,
  answerServer,
  armError,
  fails,
  type Answer,
  type AnswerServer,
  type Question,
} from './answer-server.ts'
import { seed } from './driving.ts'
import { absent, Inside } from './inside.ts'
import { idOf, isSeen, root, scanned } from './world.ts'

const hosts = ['adb-1.1.azuredatabricks.net', 'adb-2.2.azuredatabricks.net'] as const
const workspaces = hosts.map((workspaceUrl, at) => ({
  id: idOf('Microsoft.Databricks/workspaces', `ws-${at}`),
  name: `ws-${at}`,
  location: 'westeurope',
  properties: { workspaceUrl },
}))
const list = `${root}/providers/Microsoft.Databricks/workspaces`

describe('what runs inside of workspaces of Databricks', () => {
  let server: AnswerServer
  let cloud: Connector
  let inside: Inside
  afterEach(() => server.close())

  const serving = async (random?: () => number, more: (question: Question) => Answer | undefined = () => undefined) => {
    inside = new Inside(hosts[1])
    const answer = (question: Question): Answer => {
      const own = more(question)
      if (own) return own
      if (question.path === list) return { body: { value: workspaces } }
      if (question.path.startsWith(`/${hosts[1]}/`)) return inside.answer(question)
      return question.path.startsWith(`/${hosts[0]}/`)
        ? question.path.endsWith('/list')
          ? { body: {} }
          : absent
        : { body: { value: [] } }
    }
    server = await answerServer(
      (question) => {
        const chance = random?.() ?? 1
        if (chance < 0.15) return armError(429, 'REQUEST_LIMIT_EXCEEDED')
        const found = answer(question)
        return chance < 0.3 ? { ...found, isLost: true } : found
      },
      { rules: { budgetMin: 10_000, breakAfter: 1000 } },
    )
    cloud = azureCloud(server.options)
  }

  const refs = {
    'azure-databricks-cluster': '0101-abc',
    'azure-databricks-warehouse': 'f00d',
    'azure-databricks-instance-pool': 'pool-1',
  }
  const refOf = (type: keyof typeof refs, specs: Record<string, unknown> = {}) => ({
    resourceUid: refs[type],
    type,
    region: 'westeurope',
    specs,
  })

  const driven = async (action: CloudAction, isDone: (seen: Look) => boolean) => {
    for (let turn = 0; turn < 40; turn++)
      try {
        await cloud.act(account, action)
        for (let look = 0; look < 6; look++) if (isDone(await cloud.look(account, action.resource))) return
      } catch (error) {
        if (bucketOf(error) !== 'transient') throw error
      }
    throw new Error(`${action.kind} did not come to its end`)
  }

  for (const type of Object.keys(refs) as (keyof typeof refs)[])
    it(`${type} is turned off and on, once each, whatever is lost on the way`, async () => {
      for (const n of [0, 1, 2]) {
        await serving(n === 0 ? undefined : seed(n + 70))
        const resource = refOf(type)
        await driven({ id: 'off', kind: 'stop', resource }, ({ status }) => status === 'stopped')
        await driven(
          { id: 'on', kind: 'start', resource, params: { desired: 2 } },
          ({ status }) => status === 'running',
        )
        expect(inside.effects.length, inside.effects.join()).to.equal(2)
        if (n < 2) await server.close()
      }
    })

  it('tells for how long nothing ran on a cluster, and how many runs of jobs it had, each once', async () => {
    const active = Date.now() - 5.5 * 3_600_000
    const on = (id: string) => ({ cluster_instance: { cluster_id: id } })
    await serving(undefined, ({ path, query }) => {
      if (path === `/${hosts[1]}/api/2.1/clusters/list`)
        return { body: { clusters: [{ cluster_id: '0101-abc', cluster_name: 'team', last_activity_time: active }] } }
      if (path !== `/${hosts[1]}/api/2.1/jobs/runs/list`) return undefined
      const runs = [{ tasks: [on('0101-abc'), on('0101-abc')] }, on('0101-abc'), on('other')]
      return { body: query['page_token'] ? { runs: [on('0101-abc')] } : { runs, next_page_token: 'more' } }
    })
    const { found } = await scanned(server, account, new Set(['azure-databricks-cluster']))
    expect(found.map(({ name, specs }) => [name, specs?.['idle_hours'], specs?.['job_run_count_30d']])).to.deep.equal([
      ['team', 5, 3],
    ])
  })

  it('keeps as many machines of a pool idle as is wanted, and the rest of it was', async () => {
    await serving(seed(80))
    await driven(
      {
        id: 's',
        kind: 'scale',
        resource: refOf('azure-databricks-instance-pool'),
        params: { min: 1, max: 5, desired: 5 },
      },
      ({ capacity, status }) => capacity?.desired === 5 && status === 'running',
    )
    expect([
      inside.effects,
      inside.pool.instance_pool_name,
      inside.pool.max_capacity,
      inside.pool.min_idle_instances,
    ]).to.deep.equal([['edit'], 'warm', 9, 5])
  })

  it('is looked for in the workspaces of the subscription alone, whatever address the inventory says', async () => {
    await serving()
    const resource = refOf('azure-databricks-cluster', { workspace_url: 'https://example.com' })
    expect((await cloud.look(account, resource)).status).to.equal('running')
    const asked = server.asked.map(({ path, token }) => [path.split('/')[1], token.replace(/^token-\d-/, '')])
    expect(asked).to.deep.equal([
      ['subscriptions', 'https://management.azure.com/.default'],
      [hosts[0], '2ff814a6-3304-4ab8-85cb-cd0e6f879c1d/.default'],
      [hosts[1], '2ff814a6-3304-4ab8-85cb-cd0e6f879c1d/.default'],
    ])
    const climbing = { ...resource, resourceUid: '../../x' }
    expect(await fails(cloud.look(account, climbing))).to.equal('user_action not_found')
    const unknown = { ...resource, resourceUid: '0202-def' }
    expect(await cloud.look(account, unknown)).to.deep.equal({ exists: false })
  })

  it('takes its token to no host that is no workspace', async () => {
    await serving(undefined, ({ path }) =>
      path === list
        ? {
            body: {
              value: [{ ...workspaces[0], properties: { workspaceUrl: 'adb-1.1.azuredatabricks.net.example.com' } }],
            },
          }
        : undefined,
    )
    expect(await fails(cloud.look(account, refOf('azure-databricks-cluster')))).to.equal('system unknown_answer')
    expect(server.asked.map(({ path }) => path)).to.deep.equal([list])
  })

  it('is found with its workspace, and seen of those that let us in alone', async () => {
    await serving(undefined, ({ path }) =>
      path.startsWith(`/${hosts[0]}/`)
        ? { status: 403, body: { error_code: 'PERMISSION_DENIED', message: 'No.' } }
        : undefined,
    )
    const { found, seen, missing } = await scanned(server)
    const children = found.filter(({ type }) => type.startsWith('azure-databricks-'))
    const parentUID = workspaces[1]!.id.toLowerCase()
    expect(
      children.map((one) => [one.resourceUid, one.name, one.status, one.parentUID, one.specs?.['workspace_url']]),
    ).to.deep.equal([
      ['0101-abc', 'etl', 'running', parentUID, `https://${hosts[1]}`],
      ['pool-1', 'warm', 'running', parentUID, `https://${hosts[1]}`],
      ['f00d', 'bi', 'running', parentUID, `https://${hosts[1]}`],
    ])
    const parents = workspaces.map(({ id }) => isSeen(seen, 'azure-databricks-cluster', 'westeurope', id.toLowerCase()))
    expect([parents, isSeen(seen, 'azure-databricks')]).to.deep.equal([[false, true], true])
    expect(missing).to.deep.equal(['databricks clusters/list'])
  })
})
