import { expect } from 'chai'
import { azureCloud } from '#streams/cloud/azure/connector.ts'
import { bucketOf, type Action, type Connector, type Look } from '#streams/cloud/connector.ts'
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
import { idOf, isSeen, root, scanned } from './world.ts'

const hosts = ['adb-1.1.azuredatabricks.net', 'adb-2.2.azuredatabricks.net'] as const
const workspaces = hosts.map((workspaceUrl, at) => ({
  id: idOf('Microsoft.Databricks/workspaces', `ws-${at}`),
  name: `ws-${at}`,
  location: 'westeurope',
  properties: { workspaceUrl },
}))
const list = `${root}/providers/Microsoft.Databricks/workspaces`

/** The second workspace as the REST reference of Databricks has it: changes take two looks. */
class Inside {
  cluster = {
    cluster_id: '0101-abc',
    cluster_name: 'etl',
    state: 'RUNNING',
    node_type_id: 'Standard_D4s_v3',
    autoscale: { min_workers: 1, max_workers: 4 },
  }
  warehouse = { id: 'f00d', name: 'bi', state: 'RUNNING', cluster_size: 'Small', auto_stop_mins: 10 }
  pool = {
    instance_pool_id: 'pool-1',
    instance_pool_name: 'warm',
    node_type_id: 'Standard_D4s_v3',
    max_capacity: 9,
    min_idle_instances: 2,
    stats: { idle_count: 2 },
  }
  effects: string[] = []
  private left = 0

  answer({ method, path, query, body }: Question): Answer {
    const of = path.slice(`/${hosts[1]}`.length)
    if (method === 'POST') return this.posted(of, body as Record<string, unknown>)
    this.tick()
    if (of === '/api/2.1/clusters/list') return { body: { clusters: [this.cluster], next_page_token: '' } }
    if (of === '/api/2.0/instance-pools/list') return { body: { instance_pools: [this.pool] } }
    if (of === '/api/2.0/sql/warehouses') return { body: { warehouses: [this.warehouse] } }
    if (of === '/api/2.1/clusters/get' && query['cluster_id'] === this.cluster.cluster_id) return { body: this.cluster }
    if (of === '/api/2.0/instance-pools/get' && query['instance_pool_id'] === 'pool-1') return { body: this.pool }
    if (of === '/api/2.0/sql/warehouses/f00d') return { body: this.warehouse }
    return absent
  }

  private tick(): void {
    if (this.left === 0 || --this.left > 0) return
    const ended = { PENDING: 'RUNNING', TERMINATING: 'TERMINATED', STARTING: 'RUNNING', STOPPING: 'STOPPED' } as Record<
      string,
      string
    >
    for (const one of [this.cluster, this.warehouse]) one.state = ended[one.state] ?? one.state
    this.pool.stats.idle_count = this.pool.min_idle_instances
  }

  private posted(of: string, body: Record<string, unknown>): Answer {
    const [was, does] = [JSON.stringify([this.cluster.state, this.warehouse.state, this.pool]), of.split('/').at(-1)!]
    if (of === '/api/2.1/clusters/start') {
      if (this.cluster.state !== 'TERMINATED') return wrongState
      this.cluster.state = 'PENDING'
    }
    if (of === '/api/2.1/clusters/delete' && this.cluster.state === 'RUNNING') this.cluster.state = 'TERMINATING'
    if (of.endsWith('/f00d/start') && this.warehouse.state === 'STOPPED') this.warehouse.state = 'STARTING'
    if (of.endsWith('/f00d/stop') && this.warehouse.state === 'RUNNING') this.warehouse.state = 'STOPPING'
    if (of.endsWith('/instance-pools/edit')) Object.assign(this.pool, body)
    if (JSON.stringify([this.cluster.state, this.warehouse.state, this.pool]) !== was) {
      this.effects.push(does)
      this.left = 2
    }
    return { body: {} }
  }
}

const absent: Answer = {
  status: 400,
  body: { error_code: 'INVALID_PARAMETER_VALUE', message: 'Cluster x does not exist' },
}
const wrongState: Answer = {
  status: 400,
  body: { error_code: 'INVALID_STATE', message: 'Cluster is in unexpected state Pending.' },
}

describe('what runs inside of workspaces of Databricks', () => {
  let server: AnswerServer
  let cloud: Connector
  let inside: Inside
  afterEach(() => server.close())

  const serving = async (random?: () => number, more: (question: Question) => Answer | undefined = () => undefined) => {
    inside = new Inside()
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

  const driven = async (action: Action, isDone: (seen: Look) => boolean) => {
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

  it('keeps as many machines of a pool idle as is wanted, and the rest of it as it was', async () => {
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
