import type { Answer, Question } from './answer-server.ts'

/** What is inside of a workspace, as the REST reference of Databricks has it: changes take two looks. */
export class Inside {
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
  private readonly host: string

  constructor(host: string) {
    this.host = host
  }

  answer({ method, path, query, body }: Question): Answer {
    const of = path.slice(`/${this.host}`.length)
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

export const absent: Answer = {
  status: 400,
  body: { error_code: 'INVALID_PARAMETER_VALUE', message: 'Cluster x does not exist' },
}
const wrongState: Answer = {
  status: 400,
  body: { error_code: 'INVALID_STATE', message: 'Cluster is in unexpected state Pending.' },
}
